package recording

import (
	"strings"
	"testing"
	"testing/fstest"
)

// folder is a small recording, with some files put in place of others.
func folder(change map[string]string) fstest.MapFS {
	files := map[string]string{
		"one/recording.yml": "program: engine\nversion: \"1\"\nrecorded: \"2026-11-29\"\nstory: It idles.\ninterval: 15s\nlength: 15s\nstand_in: {service: before}\nalike: {/models: /v1/models}\n",
		"one/exporter.yml":  "backends: [{name: engine, url: http://service}]\n",
		"one/service.txt":   form + "\n@ 0 /metrics 200 1ms \"text/plain\"\n|a 1\n@ 15 /metrics 200 1ms\n1 2\n",
		"one/states.txt":    form + "\n@ before /health 200 - \"\"\n|fine\n@ before /metrics 200 - \"text/plain\"\n|a 0\n@ asleep /health 503 -\n",
		"README.md":         "recordings",
	}
	for name, text := range change {
		if files[name] = text; text == "" {
			delete(files, name)
		}
	}
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func TestARecordingLoadsFromAnyFileSystem(t *testing.T) {
	fsys := folder(nil)
	names, err := List(fsys)
	if err != nil || len(names) != 1 || names[0] != "one" {
		t.Fatalf("ListFS = %v %v, want one", names, err)
	}
	r, err := LoadFS(fsys, "one")
	if err != nil {
		t.Fatal(err)
	}
	if r.Name != "one" || r.Meta.Program != "engine" || len(r.Servers) != 1 || len(r.States) != 2 || !strings.HasPrefix(string(r.Exporter), "backends:") {
		t.Errorf("recording = %+v", r)
	}
	if a := answerAt(t, r, "service", 15, "/metrics"); string(a.Body) != "a 2\n" || a.ContentType != "text/plain" {
		t.Errorf("/metrics at 15 = %+v", a)
	}
	// Nobody asked for /health in the series; the numbers of the state are not used, the series has its own.
	if a := answerAt(t, r, "service", 0, "/health"); string(a.Body) != "fine\n" {
		t.Errorf("/health = %q, want that of the state", a.Body)
	}
	if a := answerAt(t, r, "service", 0, "/metrics"); string(a.Body) != "a 1\n" {
		t.Errorf("/metrics at 0 = %q, want that of the series", a.Body)
	}
}

func TestAFolderThatIsNoRecordingIsRefusedWithTheReason(t *testing.T) {
	for name, tt := range map[string]struct {
		change map[string]string
		want   string
	}{
		"no recording.yml":   {map[string]string{"one/recording.yml": ""}, "recording.yml"},
		"an unknown key":     {map[string]string{"one/recording.yml": "programme: x\n"}, "recording.yml: yaml: unmarshal errors:\n  line 1: field programme"},
		"no such state":      {map[string]string{"one/recording.yml": "stand_in: {service: after}\n"}, "stand_in: service: after: there is no such server or no such state"},
		"no such server":     {map[string]string{"one/recording.yml": "stand_in: {worker: before}\n"}, "stand_in: worker: before"},
		"nothing in it":      {map[string]string{"one/service.txt": "", "one/states.txt": "", "one/recording.yml": "program: x\n"}, "no server and no state"},
		"a name of no host":  {map[string]string{"one/My Server.txt": form + "\n"}, `My Server.txt: "My Server" is no server name`},
		"time runs backward": {map[string]string{"one/service.txt": form + "\n@ 15 /m 200 - \"\"\n@ 0 /m 200 -\n"}, "service.txt: second 0 comes after second 15"},
		"a second of words":  {map[string]string{"one/service.txt": form + "\n@ soon /m 200 - \"\"\n"}, `service.txt: /m: second "soon"`},
		"a broken text":      {map[string]string{"one/service.txt": form + "\nx\n"}, "service.txt:2: "},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := LoadFS(folder(tt.change), "one")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %s", err, tt.want)
			}
		})
	}
}
