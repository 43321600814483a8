// Package latchkeytest tests services behind a guard: with a fake Latchkey, or with a real one.
package latchkeytest

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"latchkey.dev/guard"
)

// A Question is what a guard asked, by the names and values of Latchkey's ValidateKey, such as OPERATION_READ.
type Question struct {
	RequestID     string
	APIKey        string
	Authorization string
	Operation     string
	Permission    string
	ClientIP      string
	UserAgent     string
}

// A Fake is a Latchkey that grants and refuses as a test says. It refuses every other key with 401.
type Fake struct {
	URL string // for WithTarget

	lock      sync.Mutex
	keys      map[string]map[string]any
	questions []Question
}

// NewFake starts a fake that ends with the test.
func NewFake(t testing.TB) *Fake {
	t.Helper()
	f := &Fake{keys: map[string]map[string]any{}}
	server := httptest.NewServer(f)
	f.URL = server.URL
	t.Cleanup(server.Close)
	return f
}

// Guard makes a guard that asks the fake. The deadline is one that a busy machine keeps to.
func (f *Fake) Guard(t testing.TB, opts ...latchkey.Option) *latchkey.Guard {
	t.Helper()
	own := []latchkey.Option{
		latchkey.WithTarget(f.URL), latchkey.WithServiceToken("fake"), latchkey.WithDeadline(time.Minute),
	}
	guard, err := latchkey.New(append(own, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(guard.Close)
	return guard
}

// Grants lets a key do what the principal may. Members that are not set have values of a usual key.
func (f *Fake) Grants(key string, principal latchkey.Principal) {
	access := "ACCESS_LEVEL_READ_AND_WRITE"
	if principal.Access == "read-only" {
		access = "ACCESS_LEVEL_READ_ONLY"
	}
	if principal.ExpiresAt.IsZero() {
		principal.ExpiresAt = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	attributes := []map[string]string{}
	for name, value := range principal.Attributes {
		attributes = append(attributes, map[string]string{"name": name, "value": value})
	}
	f.answers(key, map[string]any{"grant": map[string]any{
		"keyId": cmp.Or(principal.KeyID, "key-1"), "ownerId": cmp.Or(principal.OwnerID, "owner-1"), "access": access,
		"permissions": append([]string{}, principal.Permissions...), "attributes": attributes,
		"expiresAt": principal.ExpiresAt.Format(time.RFC3339Nano),
	}})
}

// Refuses answers a key with 401, 403 or 429, for a reason such as REVOKED or RATE_LIMITED.
func (f *Fake) Refuses(key string, status int, reason string) {
	denial := map[string]any{"httpStatus": status, "reason": "REASON_" + reason}
	if status == http.StatusTooManyRequests {
		denial["retryAfter"] = "1s"
	}
	f.answers(key, map[string]any{"denial": denial})
}

// Questions returns what guards asked, in order.
func (f *Fake) Questions() []Question {
	f.lock.Lock()
	defer f.lock.Unlock()
	return slices.Clone(f.questions)
}

func (f *Fake) answers(key string, answer map[string]any) {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.keys[key] = answer
}

// ServeHTTP is Latchkey's ValidateKey as JSON.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var question Question
	if err := json.NewDecoder(r.Body).Decode(&question); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	key := question.APIKey
	if scheme, rest, _ := strings.Cut(question.Authorization, " "); strings.EqualFold(scheme, "Bearer") {
		key = rest
	}
	f.lock.Lock()
	f.questions = append(f.questions, question)
	answer := map[string]any{"requestId": question.RequestID}
	outcome, isKnown := f.keys[key]
	f.lock.Unlock()
	if reason, status := refusalOf(outcome, isKnown, question); reason != "" {
		outcome = map[string]any{"denial": map[string]any{"httpStatus": status, "reason": "REASON_" + reason}}
	}
	maps.Copy(answer, outcome)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // The guard has gone.
}

func refusalOf(outcome map[string]any, isKnown bool, question Question) (string, int) {
	grant, isGrant := outcome["grant"].(map[string]any)
	isWrite := question.Operation == "OPERATION_WRITE"
	switch {
	case !isKnown:
		return "INVALID_KEY", http.StatusUnauthorized
	case !isGrant:
		return "", 0
	case question.Operation != "OPERATION_READ" && !isWrite:
		return "OPERATION_NOT_ALLOWED", http.StatusForbidden
	case isWrite && grant["access"] == "ACCESS_LEVEL_READ_ONLY":
		return "READ_ONLY_KEY", http.StatusForbidden
	case question.Permission != "" && !isCovered(question.Permission, grant["permissions"].([]string)):
		return "MISSING_PERMISSION", http.StatusForbidden
	}
	return "", 0
}

// isCovered: systems:read covers systems/42:read.
func isCovered(permission string, by []string) bool {
	resource, action, _ := strings.Cut(permission, ":")
	return slices.ContainsFunc(by, func(each string) bool {
		wider, other, _ := strings.Cut(each, ":")
		return action == other && strings.HasPrefix(resource+"/", wider+"/")
	})
}
