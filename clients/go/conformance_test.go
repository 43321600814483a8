package latchkey

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// scripted is the Latchkey of clients/conformance.
type scripted struct{ HTTP, Control int }

func (s scripted) url() string { return fmt.Sprintf("http://127.0.0.1:%d", s.HTTP) }

type asked struct {
	Question map[string]any
	Identity string
}

func (s scripted) call(t *testing.T, method string, script any) (seen struct {
	Asked    []asked
	Reported []map[string]any
}) {
	t.Helper()
	body, err := json.Marshal(script)
	must(t, err)
	request, err := http.NewRequest(method, fmt.Sprintf("http://127.0.0.1:%d", s.Control), bytes.NewReader(body))
	must(t, err)
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	defer func() { _ = response.Body.Close() }()
	must(t, json.NewDecoder(response.Body).Decode(&seen))
	return seen
}

func (s scripted) script(t *testing.T, answers ...any) { s.call(t, "PUT", answers) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// startScripted ends with the test.
func startScripted(t *testing.T) (s scripted) {
	t.Helper()
	program := exec.Command("node", "../conformance/latchkey.mjs")
	program.Stderr = os.Stderr
	input, err := program.StdinPipe()
	must(t, err)
	output, err := program.StdoutPipe()
	must(t, err)
	must(t, program.Start())
	t.Cleanup(func() { _ = input.Close(); _ = program.Wait() })
	must(t, json.NewDecoder(output).Decode(&s))
	return s
}

func table[T any](t *testing.T, name string) (read T) {
	t.Helper()
	text, err := os.ReadFile("../conformance/" + name)
	must(t, err)
	must(t, json.Unmarshal(text, &read))
	return read
}

type caseTable struct {
	Cases []struct {
		Name    string
		Options struct {
			DeadlineMs int
			Leases     bool
		}
		Steps []struct {
			Latchkey []any
			Clock    struct{ Wall, Monotonic int64 }
			Request  struct {
				Method, Path string
				Headers      [][2]string
			}
			Expect struct {
				Status  int
				Headers map[string]*string
				Body    map[string]any
				Asked   any
				Source  string
			}
		}
	}
}

func show(w http.ResponseWriter, r *http.Request) {
	p, _ := PrincipalFromContext(r.Context())
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"keyId": p.KeyID, "ownerId": p.OwnerID, "access": p.Access, "permissions": p.Permissions,
		"attributes": p.Attributes, "expiresAt": p.ExpiresAt.UTC().Format("2006-01-02T15:04:05.000Z"),
	})
}

// exchange sends a request byte by byte in Latin-1, and returns the fields of its answer as they were sent.
func exchange(t *testing.T, server *httptest.Server, method, path string, headers [][2]string) (int, map[string]string, []byte) {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", method, path, server.Listener.Addr())
	for _, header := range headers {
		fmt.Fprintf(&text, "%s: %s\r\n", header[0], header[1])
	}
	text.WriteString("\r\n")
	sent := []byte{}
	for _, each := range text.String() {
		sent = append(sent, byte(each))
	}
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	must(t, err)
	defer func() { _ = connection.Close() }()
	_, err = connection.Write(sent)
	must(t, err)
	received, err := io.ReadAll(connection)
	must(t, err)
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(received)), &http.Request{Method: method})
	must(t, err)
	body, err := io.ReadAll(response.Body)
	must(t, err)
	fields := map[string]string{}
	head, _, _ := strings.Cut(string(received), "\r\n\r\n")
	for _, line := range strings.Split(head, "\r\n")[1:] {
		name, value, _ := strings.Cut(line, ": ")
		fields[name] = value
	}
	return response.StatusCode, fields, body
}

func newGuard(t *testing.T, opts ...Option) *Guard {
	t.Helper()
	guard, err := New(append([]Option{WithServiceToken("token"), WithDeadline(time.Minute), WithLogger(nil)}, opts...)...)
	must(t, err)
	t.Cleanup(guard.Close)
	return guard
}

func serve(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

func TestEveryCaseOfTheTable(t *testing.T) {
	latchkey := startScripted(t)
	for _, each := range table[caseTable](t, "cases.json").Cases {
		t.Run(each.Name, func(t *testing.T) {
			var source atomic.Value
			var wall, monotonic atomic.Int64
			opts := []Option{WithTarget(latchkey.url()), OnDecision(func(e Event) { source.Store(e.Source) })}
			if each.Options.DeadlineMs > 0 {
				opts = append(opts, WithDeadline(time.Duration(each.Options.DeadlineMs)*time.Millisecond))
			}
			if each.Options.Leases {
				read := func(ms *atomic.Int64) time.Duration { return time.Hour + time.Duration(ms.Load())*time.Millisecond }
				opts = append(opts, WithLeases(), func(g *Guard) {
					g.now = func() moment { return moment{read(&wall), read(&monotonic)} }
				})
			}
			guard := newGuard(t, opts...)
			mux := http.NewServeMux()
			handler := http.HandlerFunc(show)
			mux.Handle("/systems", guard.Protect("systems:read", ForWrites("systems:write"))(handler))
			mux.Handle("/systems/{id}", guard.Protect("systems/{id}:read")(handler))
			mux.Handle("/any", guard.Protect(AnyKey)(handler))
			mux.Handle("/search", guard.Protect("systems:read", As(Read))(handler))
			server := serve(t, mux)
			for _, step := range each.Steps {
				if step.Latchkey != nil {
					latchkey.script(t, step.Latchkey...)
				}
				wall.Add(step.Clock.Wall)
				monotonic.Add(step.Clock.Monotonic)
				before := len(latchkey.call(t, "GET", nil).Asked)
				if step.Request.Method == "" {
					continue
				}
				status, fields, body := exchange(t, server, step.Request.Method, step.Request.Path, step.Request.Headers)
				expect := step.Expect
				if status != expect.Status {
					t.Fatalf("status %d instead of %d: %s", status, expect.Status, body)
				}
				for name, value := range expect.Headers {
					found, has := fieldOf(fields, name)
					if value == nil && has || value != nil && found != *value {
						t.Errorf("%s is %q", name, found)
					}
				}
				if expect.Body != nil {
					compare(t, body, expect.Body)
				}
				if expect.Source != "" && source.Load() != expect.Source {
					t.Errorf("decided by %v", source.Load())
				}
				compareAsked(t, latchkey.call(t, "GET", nil).Asked[before:], expect.Asked)
			}
		})
	}
}

func fieldOf(fields map[string]string, name string) (string, bool) {
	for each, value := range fields {
		if strings.EqualFold(each, name) {
			return value, true
		}
	}
	return "", false
}

func compare(t *testing.T, body []byte, expected map[string]any) {
	t.Helper()
	var read map[string]any
	must(t, json.Unmarshal(body, &read))
	for name, value := range expected {
		if fmt.Sprint(read[name]) != fmt.Sprint(value) {
			t.Errorf("%s is %v", name, read[name])
		}
	}
}

func compareAsked(t *testing.T, found []asked, expected any) {
	t.Helper()
	for _, each := range found {
		if each.Identity != "Bearer token" {
			t.Errorf("the identity is %q", each.Identity)
		}
	}
	if expected == nil {
		return
	}
	members, isMembers := expected.(map[string]any)
	count := 1
	if !isMembers {
		count = int(expected.(float64))
	}
	if len(found) != count {
		t.Fatalf("asked %d times instead of %d", len(found), count)
	}
	for name, value := range members {
		sent, _ := found[0].Question[name].(string)
		switch value := value.(type) {
		case map[string]any:
			if slices.Contains(value["not"].([]any), any(sent)) {
				t.Errorf("%s is %q", name, sent)
			}
		case nil:
			if sent != "" {
				t.Errorf("%s is %q", name, sent)
			}
		default:
			if sent != value {
				t.Errorf("%s is %q", name, sent)
			}
		}
	}
}

type credentialTable struct {
	Key   string
	Cases []struct {
		Name        string
		Credentials []Form
		Headers     [][2]string
		Finds       struct{ APIKey, Authorization string }
		Status      int
		Challenge   string
	}
}

func TestEveryCredentialOfTheTable(t *testing.T) {
	latchkey := startScripted(t)
	read := table[credentialTable](t, "credentials.json")
	for _, each := range read.Cases {
		t.Run(each.Name, func(t *testing.T) {
			answer := any(map[string]any{"denial": map[string]any{"reason": "REASON_INVALID_KEY", "httpStatus": 401}})
			if each.Status == 200 {
				answer = map[string]any{"grant": map[string]any{
					"keyId": "k", "ownerId": "o", "access": "ACCESS_LEVEL_READ_ONLY", "expiresAt": "2030-03-17T17:46:40Z",
				}}
			}
			latchkey.script(t, map[string]any{"answer": answer})
			guard := newGuard(t, WithTarget(latchkey.url()), WithCredentials(each.Credentials...))
			server := serve(t, guard.Protect("systems:read")(http.HandlerFunc(show)))
			headers := [][2]string{}
			for _, header := range each.Headers {
				value := strings.ReplaceAll(header[1], "{host}", server.Listener.Addr().String())
				headers = append(headers, [2]string{header[0], value})
			}
			status, fields, _ := exchange(t, server, "GET", "/systems", headers)
			if challenge, _ := fieldOf(fields, "WWW-Authenticate"); status != each.Status || challenge != each.Challenge {
				t.Errorf("%d with the challenge %q", status, challenge)
			}
			cacheControl, _ := fieldOf(fields, "Cache-Control")
			if isPrivate := cacheControl == "private"; isPrivate != slices.Contains(each.Credentials, XAPIKey) {
				t.Errorf("Cache-Control is %q", cacheControl)
			}
			question := latchkey.call(t, "GET", nil).Asked[0].Question
			apiKey, _ := question["apiKey"].(string)
			authorization, _ := question["authorization"].(string)
			if apiKey != each.Finds.APIKey || authorization != each.Finds.Authorization {
				t.Errorf("found %v", question)
			}
		})
	}
}

type judgementTable struct {
	Cases []struct {
		Name string
		Key  struct {
			Access, MaxAccess string
			Owned, Subset     []string
			Networks          []string
		}
		Request struct{ Operation, Permission, ClientAddress string }
		Refusal *string
	}
}

func TestALeaseIsJudgedAsTheTableSays(t *testing.T) {
	for _, each := range table[judgementTable](t, "judgement.json").Cases {
		t.Run(each.Name, func(t *testing.T) {
			key := each.Key
			if key.MaxAccess != "" {
				key.Access = key.MaxAccess
			}
			// As the service makes them: what may be read and written, and what owner and subset both cover.
			effective := slices.DeleteFunc(slices.Clone(key.Owned), func(permission string) bool {
				isRead, isWrite := strings.HasSuffix(permission, ":read"), strings.HasSuffix(permission, ":write")
				return !isRead && !(isWrite && key.Access == "read-and-write")
			})
			if key.Subset != nil {
				owned := effective
				effective = slices.DeleteFunc(slices.Clone(key.Subset), func(permission string) bool {
					return covering(permission, owned) == ""
				})
			}
			held := &lease{
				HasOwnPermissions: key.Subset != nil, AllowedNetworks: key.Networks,
				grant: Decision{Principal: &Principal{Access: key.Access, Permissions: effective}},
			}
			operation := Operation(strings.ToUpper(strings.ReplaceAll(each.Request.Operation, "-", "_")))
			question := &Question{
				Operation: operation, Permission: each.Request.Permission, ClientIP: each.Request.ClientAddress,
			}
			if _, isAllowed := held.allows(question); isAllowed != (each.Refusal == nil) {
				t.Errorf("the refusal should be %v", each.Refusal)
			}
		})
	}
}
