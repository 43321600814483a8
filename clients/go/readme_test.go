package latchkey_test

import (
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"latchkey.dev/guard"
	"latchkey.dev/guard/latchkeytest"
)

// pasted returns the code under a heading of the README.
func pasted(t *testing.T, heading string) string {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)\n#+ " + heading + "\n.*?\n```[a-z]+\n(.*?\n)```").FindSubmatch(readme)
	if found == nil {
		t.Fatalf("the README has no code under %s", heading)
	}
	return string(found[1])
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	return port
}

func TestTheREADMEWorksAsPastedIntoAnEmptyFolder(t *testing.T) {
	beside := t.TempDir()
	folder := filepath.Join(beside, "my-service")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(folder, 0o755))
	must(os.Symlink(filepath.Join(here, "../.."), filepath.Join(beside, "latchkey")))
	run := func(name string, args ...string) {
		t.Helper()
		program := exec.Command(name, args...)
		program.Dir = folder
		program.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off")
		if output, err := program.CombinedOutput(); err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, output)
		}
	}
	run("sh", "-ec", pasted(t, "Install"))

	fake := latchkeytest.NewFake(t)
	fake.Grants("lk_good", latchkey.Principal{OwnerID: "acme", Permissions: []string{"systems:read"}})
	port := freePort(t)
	code := strings.ReplaceAll(pasted(t, "net/http"), "http://127.0.0.1:3080", fake.URL)
	code = strings.ReplaceAll(code, "127.0.0.1:8080", "127.0.0.1:"+port)
	must(os.WriteFile(filepath.Join(folder, "main.go"), []byte(code), 0o644))
	must(os.WriteFile(filepath.Join(folder, "main_test.go"), []byte(pasted(t, "Tests of your service")), 0o644))
	run("go", "test", ".")
	run("go", "build", "-o", "service", ".")

	service := exec.Command(filepath.Join(folder, "service"))
	service.Env = append(os.Environ(), "LATCHKEY_SERVICE_TOKEN=token")
	must(service.Start())
	defer func() { _ = service.Process.Kill(); _ = service.Wait() }()
	get := func(key string) (int, string) {
		for {
			request, err := http.NewRequest("GET", "http://127.0.0.1:"+port+"/systems/42", nil)
			must(err)
			request.Header.Set("Authorization", "Bearer "+key)
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				// It does not listen yet. A service that never does ends the test by go test's timeout.
				time.Sleep(10 * time.Millisecond)
				continue
			}
			body, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			must(err)
			// With the README's own deadline, a busy machine may be too slow once.
			if response.StatusCode != http.StatusServiceUnavailable {
				return response.StatusCode, string(body)
			}
		}
	}
	if status, body := get("lk_good"); status != 200 || body != "42 of acme\n" {
		t.Errorf("%d %s", status, body)
	}
	if status, body := get("lk_bad"); status != 401 || body != `{"message":"invalid api key"}` {
		t.Errorf("%d %s", status, body)
	}
}
