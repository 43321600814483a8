package latchkey

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A mortal Latchkey grants every key to the owner of the same name, with a lease for one use, while it is up.
type mortal struct {
	address string
	server  *http.Server
	open    atomic.Int32
	hold    func()
}

func (m *mortal) start(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", m.address)
	must(t, err)
	m.address = listener.Addr().String()
	m.server = &http.Server{Handler: http.HandlerFunc(m.answer), ConnState: func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			m.open.Add(1)
		case http.StateClosed:
			m.open.Add(-1)
		}
	}}
	go func(server *http.Server) { _ = server.Serve(listener) }(m.server)
}

func (m *mortal) kill() { _ = m.server.Close() }

func (m *mortal) answer(w http.ResponseWriter, r *http.Request) {
	var question struct{ RequestID, Authorization string }
	if json.NewDecoder(r.Body).Decode(&question) != nil {
		return // It is killed.
	}
	if m.hold != nil {
		m.hold()
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"requestId":%q,"grant":{"keyId":"k","ownerId":%q,"access":"ACCESS_LEVEL_READ_ONLY",`+
		`"expiresAt":"2030-03-17T17:46:40Z"},"lease":{"lengthMs":2000,"uses":1}}`,
		question.RequestID, strings.TrimPrefix(question.Authorization, "Bearer "))
}

func until(condition func() bool) {
	for !condition() {
		time.Sleep(5 * time.Millisecond)
	}
}

func of(key string) Question {
	return Question{Credential: Credential{Authorization: "Bearer " + key}, Operation: Read}
}

func TestOnlyARequestWithoutALatchkeyIs503AndEveryOtherGetsItsOwnAnswer(t *testing.T) {
	latchkey := &mortal{address: "127.0.0.1:0"}
	latchkey.start(t)
	t.Cleanup(func() { latchkey.kill() })
	guard := newGuard(t, WithTarget("http://"+latchkey.address), WithLeases(), WithLogger(nil))
	var granted, refused, wrong atomic.Int32
	var isOver atomic.Bool
	var clients sync.WaitGroup
	for client := range 8 {
		clients.Go(func() {
			for number := 0; !isOver.Load(); number++ {
				key := fmt.Sprintf("lk_%d_%d", client, number/3)
				decision := guard.Check(context.Background(), of(key))
				switch {
				case decision.Status == 503:
					refused.Add(1)
				case decision.Status == 200 && decision.Principal.OwnerID == key:
					granted.Add(1)
				default:
					wrong.Add(1)
				}
			}
		})
	}
	more := func(count *atomic.Int32) {
		before := count.Load()
		until(func() bool { return count.Load() > before+100 })
	}
	more(&granted)
	if refused.Load() != 0 {
		t.Errorf("%d requests were answered with 503 while Latchkey was up", refused.Load())
	}
	latchkey.kill()
	more(&refused)
	latchkey.start(t)
	more(&granted)
	before := refused.Load()
	more(&granted)
	if refused.Load() != before {
		t.Errorf("%d requests were answered with 503 after Latchkey was back", refused.Load()-before)
	}
	isOver.Store(true)
	clients.Wait()
	if wrong.Load() != 0 {
		t.Errorf("%d answers were wrong", wrong.Load())
	}
	guard.Close()
	until(func() bool { return latchkey.open.Load() == 0 })
}

func TestContextsThatEndDisturbNoOtherRequest(t *testing.T) {
	for _, opts := range [][]Option{nil, {WithLeases()}} {
		var asked atomic.Int32
		release := make(chan struct{})
		latchkey := &mortal{address: "127.0.0.1:0", hold: func() { asked.Add(1); <-release }}
		latchkey.start(t)
		guard := newGuard(t, append(opts, WithTarget("http://"+latchkey.address), WithLogger(nil))...)
		ctx, cancel := context.WithCancel(context.Background())
		given, kept := make(chan Decision, 20), make(chan string, 20)
		for number := range 20 {
			key := fmt.Sprintf("lk_%d", number)
			go func() { given <- guard.Check(ctx, of(key)) }()
			go func() {
				decision := guard.Check(context.Background(), of(key))
				if decision.Status != 200 || decision.Principal.OwnerID != key {
					kept <- fmt.Sprintf("%s: %v", key, decision)
					return
				}
				kept <- ""
			}()
		}
		calls := int32(40)
		if len(opts) > 0 {
			calls = 20 // One for each key.
		}
		until(func() bool { return asked.Load() == calls })
		cancel()
		for range 20 {

			if decision := <-given; decision.Status != 503 {
				t.Error(decision)
			}
		}
		close(release)
		for range 20 {
			if problem := <-kept; problem != "" {
				t.Error(problem)
			}
		}
		guard.Close()
		until(func() bool { return latchkey.open.Load() == 0 })
		latchkey.kill()
	}
}

func TestNoSecondCallOnceAnAnswerHasBegun(t *testing.T) {
	var calls atomic.Int32
	cut := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		connection, _, err := http.NewResponseController(w).Hijack()
		must(t, err)
		_, _ = connection.Write([]byte("HTTP/1.1 200 OK\r\nContent-Ty"))
		_ = connection.Close()
	}))
	guard := newGuard(t, WithTarget(cut.URL), WithLogger(nil))
	if decision := ask(guard, context.Background()); decision.Status != 503 || calls.Load() != 1 {
		t.Errorf("%v after %d calls", decision, calls.Load())
	}
}
