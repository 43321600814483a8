package latchkeytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A Latchkey is a real one: `npm start` of a checkout, with its own PostgreSQL and demo values.
type Latchkey struct {
	URL          string // of HTTP_PORT
	Target       string // of SERVICES_PORT, for WithTarget
	ServiceToken string // for WithServiceToken

	client *http.Client
	stop   func()
}

const password = "correct horse battery staple"

// Start runs the Latchkey of a checkout on free ports until the test ends. It needs Node.js. Further variables, such as
// LEASE_MS=500, stand in env.
func Start(t testing.TB, checkout string, env ...string) *Latchkey {
	t.Helper()
	ports := freePorts(t)
	// Not t.TempDir: as root, PostgreSQL runs as another user, who must be able to enter the folder.
	folder, err := os.MkdirTemp("", "latchkey-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	program := exec.Command("node", "scripts/start.mjs")
	program.Dir = checkout
	program.Env = append(os.Environ(), "HTTP_PORT="+ports[0], "GRPC_PORT="+ports[1], "SERVICES_PORT="+ports[2],
		"SYSTEMS_API_PORT="+ports[3], "DATA_DIR="+filepath.Join(folder, "data"))
	program.Env = append(program.Env, env...)
	var output bytes.Buffer
	program.Stdout, program.Stderr = &output, &output
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = program.Wait(); close(ended) }()
	jar, _ := cookiejar.New(nil) // Without options it can't fail.
	l := &Latchkey{
		URL: "http://127.0.0.1:" + ports[0], Target: "http://127.0.0.1:" + ports[2], ServiceToken: "dev-validator-token",
		client: &http.Client{Jar: jar},
	}
	l.stop = sync.OnceFunc(func() { _ = program.Process.Signal(syscall.SIGTERM); <-ended })
	t.Cleanup(l.stop)
	for {
		if response, err := http.Get(l.URL + "/readyz"); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				break
			}
		}
		select {
		case <-ended:
			t.Fatalf("Latchkey of %s ended: %s", checkout, &output)
		case <-time.After(100 * time.Millisecond):
		}
	}
	l.call(t, "/v1/session", map[string]any{"email": "demo@latchkey.dev", "password": password}, nil)
	return l
}

// freePorts has all of them open at once, so that none comes twice.
func freePorts(t testing.TB) (ports [4]string) {
	t.Helper()
	for at := range ports {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = listener.Close() }()
		_, ports[at], _ = net.SplitHostPort(listener.Addr().String())
	}
	return ports
}

// Stop ends it before the test does.
func (l *Latchkey) Stop() { l.stop() }

// NewKey makes a key of the demo owner, who has systems:read and systems:write.
func (l *Latchkey) NewKey(t testing.TB, access string, permissions ...string) (key, id string) {
	t.Helper()
	order := map[string]any{"name": t.Name(), "access": access, "expiresInDays": 1, "password": password}
	if len(permissions) > 0 {
		order["permissions"] = permissions
	}
	var made struct {
		APIKey  struct{ ID string }
		FullKey string
	}
	l.call(t, "/v1/api-keys", order, &made)
	return made.FullKey, made.APIKey.ID
}

// Revoke returns once no guard grants the key any more.
func (l *Latchkey) Revoke(t testing.TB, id string) {
	t.Helper()
	l.call(t, fmt.Sprintf("/v1/api-keys/%s/revoke", id), map[string]any{}, nil)
}

func (l *Latchkey) call(t testing.TB, path string, body, answer any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	response, err := l.client.Post(l.URL+path, "application/json", bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode >= 300 {
		t.Fatalf("%s: %s", path, response.Status)
	}
	if answer != nil {
		if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
			t.Fatal(err)
		}
	}
}
