// Help texts of the command line.

package filecheck

const usage = `usage: filecheck [options] CHECKFILE < INPUT

Matches the input against the directives (CHECK, CHECK-NEXT, ...) in the comments of CHECKFILE. The exit status is 0
where the input matches, 1 where it does not, 2 where it could not be checked. Options are also read from the variable
FILECHECK_OPTS.

  --input-file=FILE              read the input from FILE; - is standard input
  --check-prefixes=A,B           words that directives start with (CHECK); also --check-prefix
  --comment-prefixes=A,B         words that start a comment (COM,RUN)
  --match-full-lines             each positive match covers a whole line
  --strict-whitespace            blanks and tabs are not folded into one blank
  --ignore-case                  letters match in both cases
  --implicit-check-not=PATTERN   PATTERN must not occur between positive matches
  --allow-empty                  the input may be empty
  --allow-unused-prefixes        a prefix may be missing from CHECKFILE
  --allow-deprecated-dag-overlap matches of a CHECK-DAG group may overlap
  --enable-var-scope             variables without $ are forgotten at each CHECK-LABEL
  -DNAME=VALUE                   define a string variable
  -D#NAME=EXPRESSION             define a numeric variable, perhaps after a format: -D#%x,NAME=0xff
  --dump-input=MODE              show the annotated input: help, always, fail (the default) or never
  --dump-input-filter=KIND       which lines: all, annotation-full, annotation or error
  --dump-input-context=N         lines around those (5)
  -v, -vv                        report matches, or everything that was tried
  --update                       rewrite the CHECK lines of CHECKFILE so that they match the input
`

const dumpUsage = `The input dump shows the input with the number of each line before it, and below a
line what directives found there. A blank is added to each line; it stands for the
line break.

Labels of the marks:
  check:7     the directive on line 7 of the check file; next, same, not, dag, label, empty and count are named so too
  not:imp1    the first pattern of --implicit-check-not
  check:7'1   the second result of the directive on line 7

Marks:
  ^~~   a good match (with -v)
  !~~   a bad match: on the wrong line, of what must not occur, or (with -vv) one that was discarded
  X~~   the range that was searched in vain
  ?     what may have been meant
  ...   lines that were left out, see --dump-input-filter and --dump-input-context

Options of the dump: --dump-input, --dump-input-filter, --dump-input-context, -v, -vv.
They may be set in FILECHECK_OPTS.
`
