package latchkeytest_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"latchkey.dev/guard"
	"latchkey.dev/guard/latchkeytest"
)

func call(handler http.Handler, method, key string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, "/systems/42", nil)
	request.Header.Set("Authorization", "Bearer "+key)
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}

func systems(guard *latchkey.Guard) http.Handler {
	mux := http.NewServeMux()
	protect := guard.Protect("systems/{id}:read", latchkey.ForWrites("systems/{id}:write"))
	mux.Handle("/systems/{id}", protect(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		principal, _ := latchkey.PrincipalFromContext(r.Context())
		_, _ = w.Write([]byte(principal.OwnerID))
	})))
	return mux
}

func TestTheFakeGrantsAndRefusesAsItIsTold(t *testing.T) {
	fake := latchkeytest.NewFake(t)
	handler := systems(fake.Guard(t))
	fake.Grants("all", latchkey.Principal{OwnerID: "acme", Permissions: []string{"systems:read", "systems:write"}})
	fake.Grants("one", latchkey.Principal{Permissions: []string{"systems/4:read"}})
	fake.Grants("reads", latchkey.Principal{Access: "read-only", Permissions: []string{"systems:read"}})
	fake.Refuses("busy", 429, "RATE_LIMITED")
	for _, each := range []struct {
		method, key string
		status      int
	}{
		{"GET", "all", 200}, {"POST", "all", 200}, {"DELETE", "all", 403}, {"GET", "one", 403}, {"GET", "reads", 200},
		{"POST", "reads", 403}, {"GET", "busy", 429}, {"GET", "none", 401},
	} {
		if answer := call(handler, each.method, each.key); answer.Code != each.status {
			t.Errorf("%s with %s: %d", each.method, each.key, answer.Code)
		}
	}
	if owner := call(handler, "GET", "all").Body.String(); owner != "acme" {
		t.Errorf("the owner is %q", owner)
	}
	if asked := fake.Questions(); len(asked) != 9 || asked[0].Permission != "systems/42:read" {
		t.Errorf("asked %+v", asked)
	}
}

func TestARealLatchkeyGrantsUntilAKeyIsRevoked(t *testing.T) {
	service := latchkeytest.Start(t, "../../..", "LEASE_MS=500")
	guard, err := latchkey.New(latchkey.WithTarget(service.Target), latchkey.WithServiceToken(service.ServiceToken),
		latchkey.WithDeadline(time.Minute), latchkey.WithLeases())
	if err != nil {
		t.Fatal(err)
	}
	defer guard.Close()
	handler := systems(guard)
	key, id := service.NewKey(t, "read-only")
	answer := call(handler, "GET", key)
	if answer.Code != 200 || answer.Body.String() == "" || answer.Header().Get("Latchkey-Key-Expires") == "" {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	if answer := call(handler, "POST", key); answer.Code != 403 {
		t.Errorf("a read-only key writes: %d", answer.Code)
	}
	// Callers go on while the key is revoked: none of them is granted once the revocation was answered.
	revoked := make(chan struct{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for isLast := false; !isLast; {
				select {
				case <-revoked:
					isLast = true
				default:
				}
				if status := call(handler, "GET", key).Code; isLast && status != 401 {
					t.Errorf("a revoked key: %d", status)
				}
			}
		})
	}
	service.Revoke(t, id)
	close(revoked)
	all.Wait()
	if _, spent := guard.Leases(); spent == 0 {
		t.Error("no lease was used")
	}
	service.Stop()
	if answer := call(handler, "GET", key); answer.Code != 503 {
		t.Errorf("without Latchkey: %d", answer.Code)
	}
}
