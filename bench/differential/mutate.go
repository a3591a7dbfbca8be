// Small random changes of a text: what people mistype, and what parsers forget.
package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

var token = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|[%@!#^]?[\w.$-]+|\s+|->|::|.`)

// What is put in place of a token, or before one.
var spare = strings.Fields(`( ) [ ] { } < > , : = -> :: * ? @ # ! % ^ - + . i1 i8 i32 si4 ui64 f16 bf16 f32 f64 tf32
	f8E4M3FN index none 0 1 -1 255 256 2147483648 18446744073709551616 0x0 0xFF 1.0 1e400 -0.0 true false unit
	tensor memref vector tuple complex dense array loc affine_map affine_set strided opaque distinct unknown
	"" "a" "\00" @a %0 %0#1 ^bb0 #map !t 0x 2x ?x4xf32 [4]x /* // attributes`)

// mutateAll makes n mutated chunks from those given, in turn at random.
func mutateAll(chunks []chunk, n int, random *rand.Rand) []chunk {
	mutated := make([]chunk, n)
	for i := range mutated {
		from := chunks[random.IntN(len(chunks))]
		mutated[i] = chunk{fmt.Sprintf("%s~%d", from.name, i), mutate(from.text, random)}
	}
	return mutated
}

// mutate changes one token, sometimes two.
func mutate(text string, random *rand.Rand) string {
	tokens := token.FindAllString(text, -1)
	for range 1 + random.IntN(4)/3 {
		if len(tokens) < 2 {
			break
		}
		at := random.IntN(len(tokens))
		for try := 0; try < 8 && strings.TrimSpace(tokens[at]) == ""; try++ {
			at = random.IntN(len(tokens))
		}
		switch random.IntN(6) {
		case 0:
			tokens[at] = ""
		case 1:
			tokens[at] += tokens[at]
		case 2:
			other := random.IntN(len(tokens))
			tokens[at], tokens[other] = tokens[other], tokens[at]
		case 3:
			tokens[at] = spare[random.IntN(len(spare))]
		case 4:
			tokens[at] = spare[random.IntN(len(spare))] + " " + tokens[at]
		case 5:
			tokens[at] = tokens[random.IntN(len(tokens))]
		}
	}
	// A marker made by chance would split the text.
	return strings.ReplaceAll(strings.Join(tokens, ""), inputMarker, "//") + "\n"
}
