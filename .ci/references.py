"""Makes reference files with the peer, for what the golden corpus has no case of.

Run by references.sh, which sets the peer's environment. One subcommand a group of cases; each leaves
OUT/CASE/NET/{top.mlir,lowered.mlir,commands.txt,...} in the layout of the golden corpus, and OUT/CASE/failed.txt where
the peer itself failed.
"""

import argparse
import concurrent.futures
import itertools
import os
import re
import shutil
import subprocess
import sys
import threading

TOOLS = os.path.join(os.environ.get("TPUC_ROOT", ""), "python", "tools")
WEIGHT_MODES = ("W8F16", "W8BF16", "W4F16", "W4BF16")
FLOAT_MODES = ("F32", "F16", "BF16")

# The nets that lowering is crossed over with modes, chips and groups: (golden case, net).
MATRIX_NETS = (
    ("nano-llama-bf16", "block_0"),
    ("nano-llama-bf16", "block_cache_0"),
    ("nano-llama-bf16", "lm_head"),
    ("nano-llama-bf16", "embedding"),
    ("nano-qwen3-w8bf16-sample", "greedy_head"),
    ("nano-qwen3-w8bf16-sample", "sample_head"),
    ("nano-qwen3-w4bf16-history", "block_0"),
    ("nano-qwen3-w4bf16-history", "block_kv_0"),
    ("nano-qwen2-bf16-history", "block_kv_0"),
    ("nano-qwen2-bf16-history", "block_cache_0_1"),
    ("odd-llama-w4bf16-g32", "block_0"),
    ("odd-llama-w4bf16-g32", "block_cache_0"),
    ("odd-qwen3-w4bf16", "block_0"),
    ("odd-qwen3-w4bf16", "block_cache_0"),
    # Weights come from the group golden. Without groups the peer repeats scales every 128: only here is K that long.
    ("small-qwen2-w4bf16", "block_0"),
    ("small-qwen2-w4bf16", "block_cache_0"),
    ("small-qwen3-w4bf16", "block_0"),
)
# Of these the interpreter's numbers are kept too, and in which modes.
MATRIX_NUMBERS = {
    ("nano-llama-bf16", "block_0"): FLOAT_MODES + WEIGHT_MODES,
    ("nano-llama-bf16", "block_cache_0"): FLOAT_MODES + WEIGHT_MODES,
    ("small-qwen2-w4bf16", "block_0"): FLOAT_MODES + WEIGHT_MODES,
    ("small-qwen2-w4bf16", "block_cache_0"): FLOAT_MODES + WEIGHT_MODES,
    ("nano-qwen3-w8bf16-sample", "greedy_head"): FLOAT_MODES,
    ("nano-qwen3-w8bf16-sample", "sample_head"): FLOAT_MODES,
}

# Model, and what llm_convert gets, of the cases that are converted whole.
CONVERSIONS = {
    "headdim48-llama-w4bf16": ("headdim48-llama", "-s 80 -q w4bf16 -c bm1684x"),
    "headdim48-llama-biases-w4bf16": ("headdim48-llama-biases", "-s 80 -q w4bf16 -c bm1684x"),
    "headdim48-qwen2-w4bf16": ("headdim48-qwen2", "-s 80 -q w4bf16 -c bm1684x"),
    "headdim48-qwen2-w8bf16-sym-g32": ("headdim48-qwen2", "-s 80 -q w8bf16 --symmetric -g 32 -c bm1684x"),
    "headdim48-qwen3-w4bf16": ("headdim48-qwen3", "-s 80 -q w4bf16 -c bm1684x"),
    "headdim48-qwen3-w4bf16-history": ("headdim48-qwen3", "-s 80 -q w4bf16 --use_history_kv --do_sample -c bm1684x"),
    "headdim48-qwen3-w4f16": ("headdim48-qwen3-h", "-s 80 -q w4f16 -c bm1684x"),
}
# Converted up to the lowered files only: the peer's later stages do not matter, and some of them fail here.
LOWERINGS = {
    "small-qwen2-w4bf16-bm1688-dynamic": ("small-qwen2", "-s 128 -q w4bf16 -c bm1688 --dynamic"),
    "small-qwen3-bf16-bm1688-history": ("small-qwen3", "-s 128 -q bf16 -c bm1688 --use_history_kv"),
    "small-llama-w8bf16-bm1688-dynamic-core1": ("small-llama", "-s 256 -q w8bf16 -c bm1688 --dynamic --num_core 1"),
    "small-qwen2-w4bf16-dynamic-s512": ("small-qwen2", "-s 512 -q w4bf16 -c bm1684x --dynamic"),
    "nano-qwen3-w4f16-chunk": ("nano-qwen3-h", "-s 64 -q w4f16 --chunk_length 16 --max_input_length 32 -c bm1684x"),
}


def run(command, directory, log):
    """Runs a shell command, everything it prints going to the file log; gives its exit status."""
    with open(log, "ab") as out:
        return subprocess.call(["bash", "-c", command], cwd=directory, stdout=out, stderr=out,
                               stdin=subprocess.DEVNULL)


def note_failure(case_dir, what, log):
    with open(log, errors="replace") as file:
        lines = [line for line in file.read().splitlines() if line.strip()]
    wanted = [line for line in lines if re.search("error|UNREACHABLE|assert|failed|Segmentation", line, re.I)]
    with open(os.path.join(case_dir, "failed.txt"), "a") as out:
        out.write(what + "\n" + "".join("    " + line[:300] + "\n" for line in (wanted or lines)[:4]))


def lowering_command(net, mode, chip, cores, addr_mode, high_precision, group, symmetric, devices=1):
    # The shorter decode nets block_cache_I_J hold a module block_cache_I, which names their files.
    module = re.sub(r"^(block_cache_\d+)_\d+$", r"\1", net)
    stem = f"{module}_{chip}_{mode.lower()}_tpu"
    if mode not in WEIGHT_MODES:
        group = 0
    return (f'tpuc-opt {net}.mlir --processor-assign="chip={chip} mode={mode} num_device={devices} num_core={cores} '
            f'addr_mode={addr_mode} high_precision={high_precision}" --processor-top-optimize '
            f'--convert-top-to-tpu="weightFileName={stem}_weights.npz asymmetric=False doWinograd=False '
            f'q_group_size={group} q_symmetric={symmetric} matmul_perchannel=False gelu_mode=normal" '
            f'--canonicalize --weight-fold -o {stem}.mlir')


def task_command(task):
    """The lowering command that model_deploy makes of one line of tasks.txt, and the net's name."""
    words = task.split()
    option = lambda name, default: words[words.index(name) + 1] if name in words else default
    net = option("--mlir", "").removesuffix(".mlir")
    return net, lowering_command(
        net, option("--quantize", "f32").upper(), option("--chip", ""), option("--num_core", "1"),
        option("--addr_mode", "auto"), "--high_precision" in words, option("--q_group_size", "0"),
        "--q_symmetric" in words, option("--num_device", "1"))


def address_mode(net):
    return "io_alone" if net.startswith("block_cache") or net.endswith("_head") and net != "lm_head" else "basic"


def lower(case_dir, net, command, passes):
    """Lowers NET/top.mlir with the command, leaving lowered.mlir, its weights and commands.txt in the net's folder."""
    folder = os.path.join(case_dir, net)
    shutil.copyfile(os.path.join(folder, "top.mlir"), os.path.join(folder, net + ".mlir"))
    log = os.path.join(folder, "log.txt")
    dumped = command + " --mlir-disable-threading --mlir-print-ir-after-all" if passes else command
    status = run(dumped, folder, log)
    os.remove(os.path.join(folder, net + ".mlir"))
    with open(os.path.join(folder, "commands.txt"), "w") as out:
        out.write(command + "\n")
    if status != 0:
        note_failure(case_dir, f"{net}: exit {status}: {command}", log)
        return False
    os.rename(os.path.join(folder, command.split()[-1]), os.path.join(folder, "lowered.mlir"))
    if passes:
        split_passes(log, os.path.join(folder, "passes"))
    os.remove(log)
    return True


def split_passes(log, folder):
    """Writes each dump of --mlir-print-ir-after-all to a file of its own."""
    os.makedirs(folder, exist_ok=True)
    with open(log, errors="replace") as file:
        parts = re.split(r"// -----// IR Dump After \w+(?: \(([\w-]+)\))? //----- //\n", file.read())
    with open(os.path.join(folder, "index.txt"), "w") as index:
        for number, (name, text) in enumerate(zip(parts[1::2], parts[2::2])):
            # What the tool prints between two dumps is no part of the IR: it starts at an alias or the module and
            # ends with a closing brace or a location alias.
            start = re.search(r"^(#loc|module)", text, re.M)
            lines = text[start.start():].rstrip("\n").split("\n")
            while lines and not re.match(r"\}$|#loc", lines[-1]):
                lines.pop()
            body = "\n".join(lines) + "\n"
            path = f"{number:02d}_{name}.mlir"
            with open(os.path.join(folder, path), "w") as out:
                out.write(body)
            attribute = lambda key: (re.search(rf'module\.{key} = "([^"]*)"', body) or [None, ""])[1]
            index.write(f"{path}\tlowering\t{attribute('state')}\t{attribute('weight_file')}\n")


def stage_top(golden, source, net, case_dir):
    """Copies a golden net's Top file and its weights into a case."""
    folder = os.path.join(case_dir, net)
    os.makedirs(folder, exist_ok=True)
    shutil.copyfile(os.path.join(golden, source, net, "top.mlir"), os.path.join(folder, "top.mlir"))
    with open(os.path.join(folder, "top.mlir")) as file:
        weights = re.search(r'module\.weight_file = "\.\./([^"]+)"', file.read())
    if weights and not os.path.exists(os.path.join(case_dir, weights[1])):
        os.link(kept_weights(golden, os.path.dirname(case_dir), source, weights[1]),
                os.path.join(case_dir, weights[1]))
    inputs = os.path.join(golden, source, net, "num_input.npz")
    if os.path.exists(inputs):
        shutil.copyfile(inputs, os.path.join(folder, "num_input.npz"))
    elif (source, net) in MATRIX_NUMBERS:
        random_inputs(folder)


def kept_weights(golden, out, source, name):
    """The one copy of a source's weights that its many cases link to."""
    path = os.path.join(out, source, name)
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copyfile(os.path.join(golden, source, name), path + f".{threading.get_ident()}")
        os.replace(path + f".{threading.get_ident()}", path)
    return path


def matrix_options():
    for mode, chip, high in itertools.product(FLOAT_MODES, ("bm1684x", "bm1688"), (True, False)):
        yield mode, chip, high, 0, False
    for mode, chip, high, group, symmetric in itertools.product(
            WEIGHT_MODES, ("bm1684x", "bm1688"), (True, False), (64, 32, 0), (False, True)):
        yield mode, chip, high, group, symmetric


def matrix_case(source, mode, chip, high, group, symmetric):
    name = f"{source}.{mode.lower()}"
    if mode in WEIGHT_MODES:
        name += f"-g{group}" + ("-sym" if symmetric else "")
    return name + ("" if high else "-lowprecision") + ("" if chip == "bm1684x" else "-" + chip)


def make_matrix(options):
    def one(net, setting):
        source, name = net
        mode, chip, high, group, symmetric = setting
        case_dir = os.path.join(options.out, matrix_case(source, *setting))
        if os.path.exists(os.path.join(case_dir, name, "commands.txt")):
            return
        stage_top(options.golden, source, name, case_dir)
        cores = 2 if chip == "bm1688" else 1
        command = lowering_command(name, mode, chip, cores, address_mode(name), high, group, symmetric)
        done = lower(case_dir, name, command, passes=chip == "bm1684x" and group in (0, 64) and not symmetric)
        if done and mode in MATRIX_NUMBERS.get(net, ()) and chip == "bm1684x" and group in (0, 64) and not symmetric:
            numbers(case_dir, name, ("top", "lowered") if mode == "F32" else ("lowered",))

    # One source after the other, so that two workers do not copy the same weights.
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(lambda setting: [one(net, setting) for net in MATRIX_NETS], matrix_options()))


def make_golden(options):
    """The golden cases without weights: imported anew, lowered with the golden command."""
    for case in sorted(os.listdir(options.golden)):
        folder = os.path.join(options.golden, case)
        if not os.path.exists(os.path.join(folder, "cmd.txt")) or "2dev" in case or "lora" in case:
            continue
        if any(name.endswith(".npz") for name in os.listdir(folder)):
            continue
        case_dir = os.path.join(options.out, case)
        if os.path.exists(os.path.join(case_dir, "cmd.txt")):
            continue
        with open(os.path.join(folder, "cmd.txt")) as file:
            words = file.read().split()
        model, arguments = words[2], words[5:]
        work = convert(options, case, os.path.join(options.golden, "models", model), arguments, "import")
        if work is None:
            continue
        for net in sorted(os.listdir(folder)):
            if os.path.exists(os.path.join(folder, net, "commands.txt")):
                golden_net(options, folder, net, work, case_dir)
        for net in ("block_0", "block_cache_0"):
            random_inputs(os.path.join(case_dir, net))
            numbers(case_dir, net, ("top", "lowered"))
        with open(os.path.join(case_dir, "cmd.txt"), "w") as out:
            out.write(" ".join(words) + "\n")
        shutil.rmtree(os.path.dirname(work))


def golden_net(options, golden_case, net, work, case_dir):
    collect_top(work, net, case_dir)
    with open(os.path.join(golden_case, net, "commands.txt")) as file:
        command = file.readline().rstrip("\n")
    lower(case_dir, net, command, passes=False)
    for name in ("top.mlir", "lowered.mlir"):
        paths = [os.path.join(folder, net, name) for folder in (golden_case, case_dir)]
        if subprocess.call(["cmp", *paths]) != 0:
            note = f"{net}: {name} differs from the golden one\n"
            with open(os.path.join(case_dir, "failed.txt"), "a") as out:
                out.write(note)


def convert(options, case, model, arguments, extent):
    """Runs llm_convert (extent: import, lower or all); gives the folder that holds its nets, None if it failed."""
    out = os.path.join(options.out, ".work", case)
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    log = os.path.join(options.out, ".work", case + ".log")
    if os.path.exists(log):
        os.remove(log)
    command = [sys.executable, os.path.abspath(__file__), "llm-convert", extent,
               "-m", model, "-o", out, *arguments]
    if "--debug" not in arguments:
        command.append("--debug")
    status = run(" ".join(command), options.out, log)
    folders = [os.path.join(out, name) for name in os.listdir(out)
               if name != "config" and os.path.isdir(os.path.join(out, name))]
    if status != 0 or len(folders) != 1:
        case_dir = os.path.join(options.out, case)
        os.makedirs(case_dir, exist_ok=True)
        note_failure(case_dir, f"llm_convert: exit {status}", log)
    return folders[0] if len(folders) == 1 else None


def collect_top(work, net, case_dir):
    os.makedirs(os.path.join(case_dir, net), exist_ok=True)
    shutil.copyfile(os.path.join(work, net, net + ".mlir"), os.path.join(case_dir, net, "top.mlir"))
    for name in os.listdir(work):
        if name.endswith("_top_weights.npz") and not os.path.exists(os.path.join(case_dir, name)):
            shutil.copyfile(os.path.join(work, name), os.path.join(case_dir, name))


def make_conversions(options, table, extent, with_numbers):
    for case, (model, arguments) in table.items():
        case_dir = os.path.join(options.out, case)
        if os.path.exists(os.path.join(case_dir, "cmd.txt")):
            continue
        folder = os.path.join(options.out, "models", model)
        if not os.path.exists(folder):
            folder = os.path.join(options.golden, "models", model)
        work = convert(options, case, folder, arguments.split(), extent)
        if work is None:
            continue
        for net in sorted(os.listdir(work)):
            if os.path.isdir(os.path.join(work, net)):
                collect_net(work, net, case_dir)
        if extent == "import":
            with open(os.path.join(work, "tasks.txt")) as file:
                for net, command in map(task_command, file):
                    lower(case_dir, net, command, passes=True)
        shutil.copyfile(os.path.join(folder, "config.json"), os.path.join(case_dir, "model_config.json"))
        for net in with_numbers:
            if os.path.exists(os.path.join(case_dir, net, "lowered.mlir")):
                random_inputs(os.path.join(case_dir, net))
                numbers(case_dir, net, ("top", "lowered", "bmodel") if extent == "all" else ("top", "lowered"))
        with open(os.path.join(case_dir, "cmd.txt"), "w") as out:
            out.write(f"llm_convert.py -m {model} -o {case} {arguments} --debug\n")
        shutil.rmtree(os.path.dirname(work))


def collect_net(work, net, case_dir):
    collect_top(work, net, case_dir)
    source, target = os.path.join(work, net), os.path.join(case_dir, net)
    for name in os.listdir(source):
        for suffix, kept in (("_tpu.mlir", "lowered.mlir"), ("_tpu_opt.mlir", "tpu_opt.mlir"),
                             ("_final.mlir", "final.mlir"), ("_tpu_weights.npz", name), (".bmodel", name)):
            if name.endswith(suffix):
                shutil.copyfile(os.path.join(source, name), os.path.join(target, kept))
    log = os.path.join(work, net + ".log")
    if os.path.exists(log):
        with open(log, errors="replace") as file:
            commands = re.findall(r"^\[Running\]: (.*)$", file.read(), re.M)
        with open(os.path.join(target, "commands.txt"), "w") as out:
            out.writelines(command + "\n" for command in commands)


def random_inputs(folder):
    """Writes num_input.npz for a net: normal values that bf16 holds exactly, a position for each column, a causal
    mask over a history that is not full."""
    import numpy
    random = numpy.random.default_rng(len(folder.rsplit("/", 1)[-1]))
    with open(os.path.join(folder, "top.mlir")) as file:
        text = file.read()
    names = dict(re.findall(r'^(#loc\d+) = loc\("([^"]+)"\)', text, re.M))
    inputs = {}
    for shape, element, alias in re.findall(
            r'"top.Input".*: \(tensor<([\dx]+)x(f32|si32)>\) -> .* loc\((#loc\d+)\)', text):
        inputs[names[alias]] = ([int(length) for length in shape.split("x")], element)
    history = inputs["history_k"][0][1] if "history_k" in inputs else 0
    # Positions stay within the rotary tables, which are as long as the history.
    rows = inputs["position_ids"][0][1] if "position_ids" in inputs else 0
    seen = max(history - max(rows, 7), 0)
    settings = {"penalty": 1.1, "temperature": 0.7, "top_k": 20, "top_p": 0.8}
    arrays = {}
    for name, (shape, element) in inputs.items():
        if name in settings:
            array = numpy.full(shape, settings[name], numpy.int32 if element == "si32" else numpy.float32)
        elif name == "position_ids":
            array = numpy.arange(shape[1], dtype=numpy.int32)[None] + seen
        elif name == "attention_mask":
            array = numpy.zeros(shape, numpy.float32)
            rows, columns = shape[2], shape[3]
            array[..., seen:history] = -10000
            array[0, 0] += numpy.triu(numpy.full((rows, columns), -10000, numpy.float32), columns - rows + 1)
            array = numpy.maximum(array, -10000)
        elif element == "si32":
            array = random.integers(0, 100, shape).astype(numpy.int32)
        else:
            scale = 0.5 if name.startswith("history") else 1.0
            bits = (random.standard_normal(shape) * scale).astype(numpy.float32).view(numpy.uint32)
            array = (bits & 0xffff0000).view(numpy.float32)
        arrays[name] = array
    numpy.savez(os.path.join(folder, "num_input.npz"), **arrays)


def numbers(case_dir, net, stages):
    """Runs the peer's interpreter and simulator on a net's num_input.npz."""
    folder = os.path.join(case_dir, net)
    for stage in stages:
        model = f"{net}.bmodel" if stage == "bmodel" else f"{stage}.mlir"
        if not os.path.exists(os.path.join(folder, model)):
            continue
        log = os.path.join(folder, f"log_{stage}.txt")
        every = "" if stage == "bmodel" else "--dump_all_tensors"
        status = run(f"{sys.executable} {TOOLS}/model_runner.py --input num_input.npz --model {model} "
                     f"--output num_{stage}.npz {every}", folder, log)
        if status != 0:
            note_failure(case_dir, f"{net}: model_runner on {model}: exit {status}", log)
        os.remove(log)
        shutil.rmtree(os.path.join(folder, net), ignore_errors=True)  # what the simulator leaves


def llm_convert(extent, arguments):
    """The peer's llm_convert.py in this process. Its extent is "import" (Top files, and in tasks.txt what it would
    deploy), "lower" (each net's deployment stops after lowering) or "all"."""
    sys.path.insert(0, TOOLS)
    from llm.LlmConverter import LlmConverter
    if extent == "import":
        def keep_tasks(self):
            with open("tasks.txt", "a") as out:
                out.writelines(self.commands)
            self.commands.clear()
            self.debug = True  # else the weights are removed at the end
            # The shorter decode nets' tasks are made from this file of the longest, which deploying it would leave.
            for name in os.listdir("."):
                if re.fullmatch(r"block_cache_\d+", name):
                    open(os.path.join(name, "io_alone_config.json"), "w").close()

        LlmConverter.execute_tasks = keep_tasks
    if extent == "lower":
        add_task = LlmConverter.add_task

        def add_lowering_task(self, command, log_file):
            place = next(i for i, word in enumerate(command) if word.startswith("model_deploy"))
            add_task(self, command[:place + 1] + ["--not_gen_bmodel"] + command[place + 1:], log_file)

        LlmConverter.add_task = add_lowering_task
    if extent != "all":
        LlmConverter.combine = lambda self: None
    import runpy
    sys.argv = ["llm_convert.py"] + arguments
    runpy.run_path(os.path.join(TOOLS, "llm_convert.py"), run_name="__main__")


def main():
    if sys.argv[1] == "llm-convert":
        return llm_convert(sys.argv[2], sys.argv[3:])
    if sys.argv[1] == "task-commands":
        for net, command in map(task_command, sys.stdin):
            print(f"(cd {net} && {command}) || exit 1")
        return None
    parser = argparse.ArgumentParser()
    parser.add_argument("groups", nargs="+", choices=["golden", "matrix", "conversions", "lowerings"])
    parser.add_argument("--out", required=True)
    parser.add_argument("--golden", required=True)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    os.makedirs(os.path.join(options.out, ".work"), exist_ok=True)
    for group in options.groups:
        if group == "matrix":
            make_matrix(options)
        elif group == "golden":
            make_golden(options)
        elif group == "conversions":
            make_conversions(options, CONVERSIONS, "all",
                             ("block_0", "block_cache_0", "block_2", "block_kv_0", "lm_head", "embedding",
                              "greedy_head", "sample_head"))
        else:
            make_conversions(options, LOWERINGS, "import", ("block_0", "block_cache_0"))


if __name__ == "__main__":
    main()
