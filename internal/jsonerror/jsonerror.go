// Package jsonerror says what is wrong with a JSON text in the words of somebody who wrote the text, not of the Go program
// that reads it.
package jsonerror

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// Describe words an error that encoding/json gave on reading text. A mistake in the syntax gets its line and column, where
// text is not nil; a value of the wrong kind gets the path of its field and what was expected. Other errors stay.
func Describe(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &kind):
		what := kind.Field
		if what == "" {
			what = "the value"
		}
		return fmt.Errorf("%s is a JSON %s; expected %s", what, kind.Value, nameOf(kind.Type.Kind()))
	case errors.As(err, &syntax) && text != nil:
		before := text[:min(max(syntax.Offset-1, 0), int64(len(text)))] // the offset is behind the bad byte
		line := bytes.Count(before, []byte("\n")) + 1
		column := len(before) - bytes.LastIndexByte(before, '\n')
		return fmt.Errorf("%d:%d: not valid JSON: %w", line, column, err)
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return errors.New("the JSON ends too early")
	}
	return err
}

// nameOf says in JSON's words what a Go value is read from.
func nameOf(kind reflect.Kind) string {
	switch kind {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number from 0 on"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a " + kind.String()
}
