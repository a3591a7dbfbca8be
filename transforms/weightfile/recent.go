package weightfile

// This file keeps what several weights are parts of: codes, scales and zero points come from one quantization.

import "sync"

// recent is the last thing that was computed. One is enough, since parts of a thing have neighbouring names and are
// written one after the other.
type recent struct {
	mu    sync.Mutex
	key   string
	value any
}

// Recent returns what compute makes, from memory where it was the last that was asked for. The key names weight and way of
// computing. It must not be called by compute.
func Recent[T any](s *Session, key string, compute func() (T, error)) (T, error) {
	s.recent.mu.Lock()
	defer s.recent.mu.Unlock()
	if known, ok := s.recent.value.(T); ok && s.recent.key == key {
		return known, nil
	}
	s.recent.value = nil // the old may go before the new is made
	made, err := compute()
	if err == nil {
		s.recent.key, s.recent.value = key, made
	}
	return made, err
}
