package host

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/llmfleet/llmfleet/exporter/catalog"
	"github.com/llmfleet/llmfleet/internal/hosttree"
)

// spoiled gives other contents, errors or links for what is below one device.
type spoiled struct {
	FS
	below   string
	content []byte
	err     error
}

func (s spoiled) hits(name string) bool { return strings.HasPrefix(name, s.below) }

func (s spoiled) Read(name string, buf []byte, most int) ([]byte, error) {
	if !s.hits(name) {
		return s.FS.Read(name, buf, most)
	}
	return append(buf, s.content[:min(most, len(s.content))]...), s.err
}

func (s spoiled) ReadLink(name string) (string, error) {
	if !s.hits(name) {
		return s.FS.ReadLink(name)
	}
	return string(s.content), s.err
}

func (s spoiled) ReadDir(name string) ([]string, error) {
	if !s.hits(name) {
		return s.FS.ReadDir(name)
	}
	return strings.Split(string(s.content), "\n"), s.err
}

// errnos are what the kernel may answer.
var errnos = []error{
	nil, syscall.EACCES, syscall.EPERM, syscall.EBUSY, syscall.EINVAL, syscall.ENODEV, syscall.EIO, syscall.ENOENT,
	syscall.EAGAIN, syscall.ENXIO, syscall.EOPNOTSUPP, syscall.ENOMEM, os.ErrDeadlineExceeded,
}

// sound fails a test for points that no page may have.
func sound(t *testing.T, points []catalog.Point) {
	t.Helper()
	seen := map[string]bool{}
	for i := range points {
		p := &points[i]
		if len(p.Labels) != len(p.Series.Labels) {
			t.Fatalf("%s has %d labels, want %d", p.Series.Name, len(p.Labels), len(p.Series.Labels))
		}
		if math.IsNaN(p.Value) || math.IsInf(p.Value, 0) || p.Value < 0 && p.Series.Unit != catalog.Celsius {
			t.Errorf("%s = %v", p.Series.Name, p.Value)
		}
		if p.Series.Unit == catalog.Ratio && p.Value > 1 {
			t.Errorf("%s = %v", p.Series.Name, p.Value)
		}
		for _, l := range p.Labels {
			if !utf8.ValidString(l) || strings.ContainsFunc(l, unicode.IsControl) {
				t.Errorf("%s has a label %q", p.Series.Name, l)
			}
		}
		key := p.Series.Name + "\x00" + strings.Join(p.Labels, "\x00")
		if seen[key] {
			t.Errorf("%s%q is there twice", p.Series.Name, p.Labels)
		}
		seen[key] = true
		if i > 0 && points[i-1].Series.Name > p.Series.Name {
			t.Errorf("%s comes after %s", p.Series.Name, points[i-1].Series.Name)
		}
	}
}

// linesOf returns the lines about one card.
func linesOf(page, address string) []string {
	return slices.DeleteFunc(strings.Split(page, "\n"), func(l string) bool { return !strings.Contains(l, address) })
}

func FuzzOneDeviceTakesNothingFromAnother(f *testing.F) {
	for i, content := range []string{"", "0", "63", "255", "Unknown", "(null)", "16.0 GT/s PCIe", "../../../devices/pci0000:00/0000:00:02.1/0000:07:00.0", "0x030000", "suspended",
		"drm-pdev:\t0000:07:00.0\ndrm-client-id:\t1\ndrm-memory-vram:\t1 KiB\n", "TOTAL_ERR_COR 18446744073709551615\nA 1\nA 2\n", "hwmon1\nhwmon1\ncard9", strings.Repeat("9", 40), "\xff\xff\x00"} {
		f.Add([]byte(content), byte(i))
	}
	tree, err := hosttree.Parse("fuzz", twoCards)
	if err != nil {
		f.Fatal(err)
	}
	player := tree.Play(func() time.Duration { return 0 })
	good := New(Options{FS: player, Run: noTool})
	defer good.Close()
	want := linesOf(text(good.Collect(context.Background())), "0000:07:00.0")
	f.Fuzz(func(t *testing.T, content []byte, errno byte) {
		s := spoiled{player, devicesDir + "/0000:03:00.0", content, errnos[int(errno)%len(errnos)]}
		h := newHost(t, Options{FS: s})
		for range 2 {
			points := h.Collect(t.Context())
			sound(t, points)
			got := linesOf(text(points), "0000:07:00.0")
			got = slices.DeleteFunc(got, func(l string) bool { return strings.Contains(l, "0000:03:00.0") })
			if !slices.Equal(got, want) {
				t.Fatalf("the other card lost or changed:\n got %q\nwant %q", got, want)
			}
		}
	})
}

// FuzzReaders gives any bytes to every parser.
func FuzzReaders(f *testing.F) {
	for _, dir := range []string{"a1", "b", "c72-gb10", "edge-aer", "edge-fdinfo", "edge-smi-reset"} {
		b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "hosts", dir, "tree.txt"))
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range strings.Split(string(b), "=\n")[1:] { // contents of several lines
			f.Add([]byte(strings.ReplaceAll(part[:min(len(part), 2000)], "\n  ", "\n")))
		}
	}
	f.Add([]byte("4,903,61000000,-;NVRM: Xid (PCI:0000:3d:00 GPU-I:05): 31, pid=4711"))
	f.Add([]byte("NVRM: Xid (PCI:0000:01:00): 31"))
	f.Fuzz(func(t *testing.T, b []byte) {
		began := time.Now()
		defer func() {
			if took := time.Since(began); took > 2*time.Second {
				t.Errorf("%d bytes took %s", len(b), took)
			}
		}()
		if v, ok := parseSpeed(b); ok && (v < 2.5e9 || v > 64e9) {
			t.Errorf("speed %v", v)
		}
		if v, ok := parseWidth(b); ok && (v < 1 || v > 32) {
			t.Errorf("width %v", v)
		}
		decodeConfig(b)
		var a aerCounters
		for range 2 {
			a.parse(0, b, "0000:00:00.0")
		}
		p := &points{}
		a.points(p, newDevice("0000:00:00.0"))
		sound(t, p.sorted())
		if c, ok := parseClient(b); ok && !isAddress(c.address) {
			t.Errorf("address %q", c.address)
		}
		if gpus, ok := parseNVIDIA(b); ok {
			for _, n := range gpus {
				if !isAddress(n.address) || n.busy.v > 1 || n.memoryUsed.v < 0 {
					t.Errorf("card %+v", n)
				}
			}
		}
		parseNVIDIAApps(b)
		lostGPUs(b)
		if _, message, ok := parseRecord(b); ok {
			parseXID(message)
		}
		if e, ok := parseXID(b); ok && !isAddress(e.address) {
			t.Errorf("error of %q", e.address)
		}
		parseStat(b)
		eachLine(b, func(line []byte) { parseListener(line) })
		for _, address := range chainOf(string(b)) {
			if !isAddress(address) {
				t.Errorf("hop %q", address)
			}
		}
		var m memory
		m.meminfo(b)
		contiguous(b)
		stalled(b)
		windowSize(b)
		eachRegion(b, func(address string, bytes float64) {
			if !isAddress(address) || bytes < 0 {
				t.Errorf("region of %q: %v", address, bytes)
			}
		})
		if a, ok := ParseAddress(string(b)); ok && !isAddress(a) {
			t.Errorf("address %q", a)
		}
	})
}
