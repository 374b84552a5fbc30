package recording

import "testing"

// Loading must stay cheap: the proof loads every recording.
func BenchmarkLoadFleet(b *testing.B) {
	root, err := Root()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r, err := Load(root + "/fleet-incidents")
		if err != nil {
			b.Fatal(err)
		}
		var n int64
		for _, s := range r.Servers {
			for _, a := range s.Answers {
				n += int64(len(a.Body))
			}
		}
		if len(r.Servers) != 5 {
			b.Fatalf("%d servers, want 5", len(r.Servers))
		}
		b.SetBytes(n)
	}
}
