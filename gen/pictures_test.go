package gen

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/llmfleet/llmfleet/dashboards"
)

// A picture is drawn by drawing, not by this package; it is only held to be there and small.
const largestPicture = 150_000 // bytes

func TestEveryDashboardHasASmallPicture(t *testing.T) {
	left, err := filepath.Glob(filepath.Join(root, "docs", "pictures", "*"))
	if err != nil {
		t.Fatal(err)
	}
	unused := map[string]bool{}
	for _, file := range left {
		unused[filepath.Base(file)] = true
	}
	for _, d := range dashboards.All() {
		name := d.UID + ".webp"
		delete(unused, name)
		picture, err := os.ReadFile(filepath.Join(root, "docs", "pictures", name))
		switch {
		case err != nil:
			t.Errorf("%v; draw it: cd drawing && npm run gallery", err)
		case http.DetectContentType(picture) != "image/webp" || len(picture) > largestPicture:
			t.Errorf("%s: %s of %d bytes, want image/webp of at most %d", name, http.DetectContentType(picture), len(picture), largestPicture)
		}
	}
	for name := range unused {
		t.Errorf("docs/pictures/%s is of no dashboard", name)
	}
}

var markdownPicture = regexp.MustCompile(`!\[[^\]]*\]\(([^)]+)\)`)

func TestPagesShowPicturesThatAreThere(t *testing.T) {
	for page, want := range map[string]int{"README.md": 1, "docs/dashboards.md": len(dashboards.All())} {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		shown := markdownPicture.FindAllStringSubmatch(string(text), -1)
		if len(shown) != want {
			t.Errorf("%s shows %d pictures, want %d", page, len(shown), want)
		}
		for _, p := range shown {
			if strings.Contains(p[1], "://") {
				t.Errorf("%s: picture %s is not kept here", page, p[1])
			} else if _, err := os.Stat(filepath.Join(root, filepath.Dir(page), p[1])); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}
