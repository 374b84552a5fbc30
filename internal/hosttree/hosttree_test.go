package hosttree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const machine = `# A machine.
# With a story.
[sys/devices/pci0000:00/0000:00:01.0]
class = 0x060400
text =
  first
    second
denied = !EACCES
empty = !EMPTY
precious = !MUST-NOT-BE-READ
driver -> ../../../bus/pci/drivers/pcieport
proc/meminfo = MemTotal: 1 kB
run/tool/query-gpu = a, b
=== t=30s
sys/devices/pci0000:00/0000:00:01.0/class = 0x030000
sys/devices/pci0000:00/0000:00:02.0/class = 0x020000
=== t=60s
sys/devices/pci0000:00/0000:00:01.0 = !ENOENT
run/tool/exit = 3
`

func TestMachineSaysWhatItsTreeHolds(t *testing.T) {
	tree, err := Parse("m", machine)
	if err != nil {
		t.Fatal(err)
	}
	var at time.Duration
	p := tree.Play(func() time.Duration { return at })
	read := func(name string) string {
		b, err := p.Read(name, nil, 4096)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "not there"
		case err != nil:
			return err.Error()
		}
		return string(b)
	}
	const device = "sys/bus/pci/devices/0000:00:01.0/"
	for _, tt := range []struct {
		at         time.Duration
		name, want string
	}{
		{0, device + "class", "0x060400\n"},
		{0, device + "text", "first\n  second\n"},
		{0, device + "denied", syscall.EACCES.Error()},
		{0, device + "empty", ""},
		{0, device + "nothing", "not there"},
		{0, "proc/meminfo", "MemTotal: 1 kB\n"},
		{0, "sys/bus/pci/devices/0000:00:02.0/class", "not there"},
		{29 * time.Second, device + "class", "0x060400\n"},
		{30 * time.Second, device + "class", "0x030000\n"},
		{30 * time.Second, device + "text", "first\n  second\n"},
		{30 * time.Second, "sys/bus/pci/devices/0000:00:02.0/class", "0x020000\n"},
		{time.Minute, device + "class", "not there"},
	} {
		if at = tt.at; read(tt.name) != tt.want {
			t.Errorf("%s at %s = %q, want %q", tt.name, at, read(tt.name), tt.want)
		}
	}
	at = 0
	if target, err := p.ReadLink("sys/bus/pci/devices/0000:00:01.0"); err != nil || target != "../../../devices/pci0000:00/0000:00:01.0" {
		t.Errorf("link = %q, %v", target, err)
	}
	if target, err := p.ReadLink(device + "driver"); err != nil || filepath.Base(target) != "pcieport" {
		t.Errorf("link = %q, %v", target, err)
	}
	if names, err := p.ReadDir("sys/bus/pci/devices"); err != nil || !slices.Equal(names, []string{"0000:00:01.0"}) {
		t.Errorf("devices = %q, %v", names, err)
	}
	if out, err := p.Run(t.Context(), "tool", "--query-gpu=x,y", "--format=csv"); err != nil || string(out) != "a, b\n" {
		t.Errorf("tool = %q, %v", out, err)
	}
	if _, err := p.Run(t.Context(), "other"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a tool that is not there = %v", err)
	}
	if tree.Violations() != nil {
		t.Errorf("violations = %q", tree.Violations())
	}
	read(device + "precious")
	if !slices.Equal(tree.Violations(), []string{device + "precious"}) {
		t.Errorf("violations = %q", tree.Violations())
	}
	at = time.Minute
	if out, err := p.Run(t.Context(), "tool", "--query-gpu=x"); err == nil || string(out) != "a, b\n" {
		t.Errorf("tool = %q, %v, want its output and a failure", out, err)
	}
	if names, _ := p.ReadDir("sys/bus/pci/devices"); !slices.Equal(names, []string{"0000:00:02.0"}) {
		t.Errorf("devices = %q", names)
	}
	if !slices.Equal(tree.About, []string{"A machine.", "With a story."}) || !slices.Equal(tree.Times(), []time.Duration{0, 30 * time.Second, time.Minute}) {
		t.Errorf("about %q, times %v", tree.About, tree.Times())
	}
}

func TestMistakesOfATreeNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"  indented":                "line 1",
		"a = b\nnonsense":           "line 2",
		"a = !EWHATEVER":            "EWHATEVER",
		"a = !CONFIG banana":        "banana",
		"a = b\na/c = d":            "no folder",
		"=== t=soon":                "line 1",
		"a = b\n=== t=5s\n=== t=5s": "line 3",
	} {
		if _, err := Parse("m", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q) = %v, want %q in it", text, err, want)
		}
	}
}

func TestTreeIsWrittenAsRealFiles(t *testing.T) {
	tree, err := Parse("m", machine)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := tree.WriteTo(dir); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "sys/bus/pci/devices/0000:00:01.0/class")); err != nil || string(b) != "0x060400\n" {
		t.Errorf("through the link = %q, %v", b, err)
	}
}
