package runtime

// This file counts what a session does.

import "time"

// Stats says what a session computed.
type Stats struct {
	Stages map[Stage]StageStats
	// Head is the time in lm_head and behind it.
	Head time.Duration
}

// StageStats says what was computed in one stage.
type StageStats struct {
	// Runs counts how often the layers were run, Nets the nets, Tokens what came of it, without padding.
	Runs, Nets, Tokens int
	Time               time.Duration
}

func (s *Stats) add(which Stage, tokens, nets int, elapsed time.Duration) {
	all := s.Stages[which]
	all.Runs++
	all.Nets += nets
	all.Tokens += tokens
	all.Time += elapsed
	s.Stages[which] = all
}
