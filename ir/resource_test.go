package ir

import "testing"

func TestResourceKeys(t *testing.T) {
	c := NewContext()
	if got := c.DeclareResource("k"); got != "k" {
		t.Errorf("first key: %s", got)
	}
	c.SetResource("k", HexResource(8, []byte("0aFF")))
	if got := c.DeclareResource("k"); got != "k_1" {
		t.Errorf("second key: %s", got)
	}
	r := c.Resource("k")
	if r == nil || r.Len() != 2 || string(r.Data()) != "\x0a\xff" {
		t.Fatalf("resource: %v", r)
	}
	if got, want := string(r.AppendHex(nil)), "0x080000000AFF"; got != want {
		t.Errorf("hex: %s, want %s", got, want)
	}
	if c.Resource("k_1") != nil {
		t.Error("a declared key has a blob")
	}
	c.AddExternalResource("tool", ExternalEntry{"a", true})
	c.AddExternalResource("tool", ExternalEntry{"b", "x"})
	if got := c.ExternalResources(); len(got) != 1 || len(got[0].Entries) != 2 {
		t.Errorf("external resources: %v", got)
	}
}
