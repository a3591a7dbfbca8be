// Package checkpointfile reads the small files of a checkpoint's folder, config.json, tokenizer.json and the like. They come
// from strangers: none is believed to be there, to be small or to be JSON.
package checkpointfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"tpuir/internal/jsonerror"
)

// Read returns the content of a file that has at most limit bytes. Errors do not name the file, so that the caller may say
// where its folder is; one for a file that is missing is [fs.ErrNotExist].
func Read(fsys fs.FS, name string, limit int64) ([]byte, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, cause(err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, cause(err)
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("the file has more than %d bytes", limit)
	}
	return content, nil
}

// cause leaves the name out of an error.
func cause(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

// ReadJSON reads a file into target, which stays as it is where the file is missing. Errors name the file.
func ReadJSON(fsys fs.FS, name string, limit int64, target any) error {
	content, err := Read(fsys, name, limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = jsonerror.Describe(content, json.Unmarshal(content, target))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// TokenName is a token, which files give as a string or as an object with its content.
type TokenName string

// UnmarshalJSON reads either form.
func (n *TokenName) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil { // null is a token that is not there
		*n = TokenName(text)
		return nil
	}
	var object struct {
		Content string `json:"content"`
	}
	if err := json.Unmarshal(data, &object); err != nil {
		return errors.New("a token is neither a string nor an object with content")
	}
	*n = TokenName(object.Content)
	return nil
}
