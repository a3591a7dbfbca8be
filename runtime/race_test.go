//go:build race

package runtime_test

// raceDetector says that the tests run many times slower; a part of the models is then enough.
const raceDetector = true
