// Options of a check, the same that LLVM's FileCheck has, and the rules for prefixes.

package filecheck

import (
	"fmt"
	"slices"
)

// Options say how a check file is read and how the input is matched. The zero value is FileCheck's default.
type Options struct {
	CheckPrefixes   []string // default CHECK
	CommentPrefixes []string // default COM and RUN

	StrictWhitespace bool // blanks and tabs are not folded
	MatchFullLines   bool // a positive match covers a whole line
	IgnoreCase       bool
	AllowEmpty       bool // the input may be empty
	EnableVarScope   bool // variables without $ are forgotten at each CHECK-LABEL

	AllowUnusedPrefixes       bool // a prefix may be missing from the check file
	AllowDeprecatedDAGOverlap bool // matches of a CHECK-DAG group may overlap

	ImplicitCheckNot []string // patterns that must not occur between positive matches
	Defines          []string // NAME=VALUE for string variables, #NAME=EXPRESSION for numeric ones

	Verbose     bool // report matches too
	VeryVerbose bool // report everything that was tried

	Dump Dump
}

// defaultCheckPrefix and defaultCommentPrefixes apply where the options name none.
const defaultCheckPrefix = "CHECK"

func defaultCommentPrefixes() []string { return []string{"COM", "RUN"} }

// prefixes gives the prefixes in force, or what is wrong with those of the options.
func (o *Options) prefixes() (check, comment []string, err error) {
	check, comment = o.CheckPrefixes, o.CommentPrefixes
	var taken []string
	if len(check) == 0 {
		check = []string{defaultCheckPrefix}
		taken = append(taken, check...)
	}
	if len(comment) == 0 {
		comment = defaultCommentPrefixes()
		taken = append(taken, comment...)
	}
	for _, group := range []struct {
		kind     string
		supplied []string
	}{{"check", o.CheckPrefixes}, {"comment", o.CommentPrefixes}} {
		for _, prefix := range group.supplied {
			if err := validPrefix(group.kind, prefix, taken); err != nil {
				return nil, nil, err
			}
			taken = append(taken, prefix)
		}
	}
	return check, comment, nil
}

func validPrefix(kind, prefix string, taken []string) error {
	if prefix == "" {
		return fmt.Errorf("supplied %s prefix must not be the empty string", kind)
	}
	for i := range len(prefix) {
		if !isPrefixByte(prefix[i]) {
			return fmt.Errorf("supplied %s prefix must start with a letter and contain only alphanumeric characters, "+
				"hyphens, and underscores: '%s'", kind, prefix)
		}
	}
	if slices.Contains(taken, prefix) {
		return fmt.Errorf("supplied %s prefix must be unique among check and comment prefixes: '%s'", kind, prefix)
	}
	return nil
}

// isPrefixByte reports whether c may be part of a prefix, and so of a word that a prefix must not be a tail of.
func isPrefixByte(c byte) bool { return isWordByte(c) || c == '-' }
