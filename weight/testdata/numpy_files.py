"""Writes numpy.npz and numpy_deflated.npz: arrays of every kind that numpy writes and this package reads."""
import io
import sys
import zipfile

import numpy as np

arrays = {
    "f4": np.arange(6, dtype="<f4").reshape(2, 3),
    "f8": np.arange(3, dtype="<f8") / 2,
    "f2": np.array([1, -2, 0.5], dtype="<f2"),
    "i1": np.array([-1, 2], dtype="|i1"),
    "u1": np.array([255, 2], dtype="|u1"),
    "i2": np.array([-300], dtype="<i2"),
    "i4": np.array([-70000], dtype="<i4"),
    "i8": np.array([-(1 << 40)], dtype="<i8"),
    "b1": np.array([True, False]),
    "scalar": np.float32(3.5),
    "empty": np.zeros((0, 4), "<f4"),
    "fortran": np.asfortranarray(np.arange(6, dtype="<f4").reshape(2, 3)),
    "fortran3": np.asfortranarray(np.arange(24, dtype="<f4").reshape(2, 3, 4)),
    "a/b.weight": np.ones(1, "<f4"),
    "zeros": np.zeros(20000, "<f4"),
}
np.savez_compressed("numpy_deflated.npz", **arrays)
del arrays["zeros"]
np.savez("numpy.npz", **arrays)

# Written to a stream that cannot seek: sizes stand in data descriptors behind the entries.
class Stream(io.RawIOBase):
    def __init__(self): self.data = b""
    def writable(self): return True
    def write(self, b): self.data += bytes(b); return len(b)

stream = Stream()
with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as z:
    for name in ("f4", "fortran"):
        b = io.BytesIO()
        np.lib.format.write_array(b, arrays[name], version=(2, 0))
        z.writestr(name + ".npy", b.getvalue())
    z.writestr("notes.txt", "not an array")
open("numpy_streamed.npz", "wb").write(stream.data)
