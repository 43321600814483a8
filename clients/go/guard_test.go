package latchkey

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const grant = `"grant":{"keyId":"k","ownerId":"o","access":"ACCESS_LEVEL_READ_AND_WRITE","permissions":["systems:read"],` +
	`"expiresAt":"2030-03-17T17:46:40Z"}`

// answering is a Latchkey that answers each question with these members.
func answering(t *testing.T, members func(question map[string]any) string) *httptest.Server {
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var question map[string]any
		if err := json.NewDecoder(r.Body).Decode(&question); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"requestId":%q,%s}`, question["requestId"], members(question))
	}))
}

func ask(guard *Guard, ctx context.Context) Decision {
	return guard.Check(ctx, Question{
		Credential: Credential{Authorization: "Bearer lk_key"}, Operation: Read, Permission: "systems:read",
		ClientIP: "192.0.2.7",
	})
}

func TestNewNamesTheOptionThatIsMissingOrUnusable(t *testing.T) {
	good := []Option{WithTarget("http://127.0.0.1:3080"), WithServiceToken("token")}
	with := func(opts ...Option) []Option { return append(append([]Option{}, good...), opts...) }
	for _, each := range []struct {
		named string
		opts  []Option
	}{
		{"WithTarget is missing", []Option{WithServiceToken("token")}},
		{"WithTarget must be a URL", with(WithTarget("127.0.0.1:3080"))},
		{"WithTarget must be a URL", with(WithTarget("http://127.0.0.1:3080/v1"))},
		{"WithTarget must be a URL", with(WithTarget("http://user@127.0.0.1:3080"))},
		{"WithTarget must be https", with(WithTarget("http://latchkey.internal:3080"))},
		{"WithTarget must be https", with(WithTarget("http://localhost.example:3080"))},
		{"WithTarget must be https", with(WithTarget("http://192.0.2.1:3080"))},
		{"WithInsecure", with(WithTarget("https://latchkey.internal"), WithInsecure())},
		{"WithTLS", with(WithTLS(&tls.Config{}))},
		{"WithServiceToken is missing", []Option{WithTarget("http://127.0.0.1:3080")}},
		{"WithServiceToken is missing", []Option{WithTarget("https://latchkey.internal"), WithTLS(&tls.Config{})}},
		{"WithServiceToken contains", with(WithServiceToken("sécret"))},
		{"WithDeadline", with(WithDeadline(0))},
		{"WithCredentials", with(WithCredentials())},
		{"WithCredentials", with(WithCredentials("cookie"))},
		{"WithKeyPrefix", with(WithKeyPrefix("LK"))},
		{"WithPathValue", with(WithPathValue(nil))},
		{"WithOperations", with(WithOperations(map[string]Operation{"report": Read}))},
		{"WithOperations", with(WithOperations(map[string]Operation{"REPORT": "LOOK"}))},
	} {
		guard, err := New(each.opts...)
		if guard != nil || err == nil || !strings.Contains(err.Error(), each.named) || strings.Contains(err.Error(), "sécret") {
			t.Errorf("%v instead of %s", err, each.named)
		}
	}
	for _, target := range []string{"http://localhost:3080/", "http://[::1]:3080", "http://127.9.9.9"} {
		if guard, err := New(with(WithTarget(target))...); err != nil || guard == nil {
			t.Errorf("%s: %v", target, err)
		}
	}
	if _, err := New(with(WithTarget("http://latchkey.mesh:3080"), WithInsecure())...); err != nil {
		t.Error(err)
	}
}

func TestProtectPanicsAtWhatIsNoPermission(t *testing.T) {
	guard := newGuard(t, WithTarget("http://127.0.0.1:1"))
	panics := func(permission string, opts ...RouteOption) {
		defer func() {
			if recover() == nil {
				t.Errorf("%q with %d options does not panic", permission, len(opts))
			}
		}()
		guard.Protect(permission, opts...)
	}
	for _, each := range []string{"", "systems", "systems:*", "systems/{id:read", "a{id}:read", "{id}:", "../x:read", ":read"} {
		panics(each)
		// Otherwise who may read might write.
		panics("systems:read", ForWrites(each))
	}
	panics("systems:read", As("read"))
}

func TestAParameterIsWhatTheHandlerGetsAndTheRawSegment(t *testing.T) {
	guard := newGuard(t, WithTarget("http://127.0.0.1:1"))
	for path, permission := range map[string]string{
		"/systems/42": "systems/42:read", "/systems/%34%32": "", "/systems/a%2Fb": "", "/systems/%2E%2E": "", "/systems/": "",
		"/systems/...": "", "/systems/é": "",
	} {
		mux := http.NewServeMux()
		var question Question
		mux.HandleFunc("/systems/{id}", func(_ http.ResponseWriter, r *http.Request) {
			question = guard.questionOf(r, &route{permission: "systems/{id}:read"})
		})
		mux.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
		if question.Permission != permission || (permission == "") != (question.Operation != Read) {
			t.Errorf("%s asks for %q, %s", path, question.Permission, question.Operation)
		}
	}
	// Outside of the router nothing names the parameter.
	question := guard.questionOf(httptest.NewRequest("GET", "/systems/42", nil), &route{permission: "systems/{id}:read"})
	if question.Operation != Destroy {
		t.Errorf("without a router it asks for %s", question.Operation)
	}
}

func TestAParameterOfAnotherRouterIsTheRawSegmentToo(t *testing.T) {
	guard := newGuard(t, WithTarget("http://127.0.0.1:1"), WithPathValue(func(r *http.Request, _ string) string {
		return strings.TrimPrefix(r.URL.Path, "/systems/")
	}))
	for path, operation := range map[string]Operation{"/systems/42": Read, "/systems/%34%32": Destroy, "/systems/a%2Fb": Destroy} {
		question := guard.questionOf(httptest.NewRequest("GET", path, nil), &route{permission: "systems/{id}:read"})
		if question.Operation != operation {
			t.Errorf("%s asks for %s, %q", path, question.Operation, question.Permission)
		}
	}
}

func TestOtherwiseGetsWhatIsNoAPIKeyAndNothingElse(t *testing.T) {
	latchkey := answering(t, func(map[string]any) string { return grant })
	guard := newGuard(t, WithTarget(latchkey.URL))
	platform := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(418) })
	}
	handler := guard.Protect("systems:read", Otherwise(platform))(http.HandlerFunc(show))
	status := func(values ...string) int {
		request := httptest.NewRequest("GET", "/systems", nil)
		request.Header["Authorization"] = values
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		return recorder.Code
	}
	for _, values := range [][]string{{}, {"Bearer eyJ.lk_.x"}, {"Basic eA=="}} {
		if found := status(values...); found != 418 {
			t.Errorf("%v: %d", values, found)
		}
	}
	for _, values := range [][]string{{"Bearer lk_a"}, {"bearer  lk_a"}, {"Bearer eyJ", "Bearer lk_a"}} {
		if found := status(values...); found != 200 {
			t.Errorf("%v: %d", values, found)
		}
	}
}

func TestTheAddressIsKnownOnlyIfItIsOne(t *testing.T) {
	guard := newGuard(t, WithTarget("http://127.0.0.1:1"), WithClientAddress(func(r *http.Request) string {
		return r.Header.Get("CF-Connecting-IP")
	}))
	for text, address := range map[string]string{
		"192.0.2.1": "192.0.2.1", "192.0.2.1:80": "192.0.2.1", "[2001:db8::1]:443": "2001:db8::1", "[2001:db8::1]": "2001:db8::1",
		"::ffff:192.0.2.1": "192.0.2.1", "fe80::1%eth0": "fe80::1", "": "", "unknown": "", "192.0.2.1:": "", "192.0.2.1, 192.0.2.2": "",
	} {
		request := httptest.NewRequest("GET", "/", nil)
		request.Header.Set("CF-Connecting-IP", text)
		request.Header.Set("X-Forwarded-For", "192.0.2.9")
		if found := guard.addressOf(request); found != address {
			t.Errorf("%q is %q", text, found)
		}
	}
}

func TestNoProxyAndNoRedirectIsFollowed(t *testing.T) {
	var calls atomic.Int32
	other := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	t.Setenv("HTTP_PROXY", other.URL)
	redirecting := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	guard := newGuard(t, WithTarget(redirecting.URL))
	if decision := ask(guard, context.Background()); decision.Status != 503 || calls.Load() != 0 {
		t.Errorf("%d, %d calls", decision.Status, calls.Load())
	}
	if guard.transport.Proxy != nil {
		t.Error("the transport has a proxy")
	}
}

func TestTwoMembersOfOneNameAreFoundHoweverTheyAreWritten(t *testing.T) {
	for text, isTwin := range map[string]bool{
		`{"a":1,"a":2}`: true, `{"a":[{"b":1,"b" : 1}]}`: true, `{"grant":{},"Grant":{}}`: true,
		`{"lease":{},"lea\u017fe":{}}`: true, `{"a":1,"\u0061":2}`: true,
		`{"a":{"a":"a"},"b":["a","a",{"a":1},{"a":1}]}`: false, `{"a":"\"a\":{","b":"\\"}`: false, `["a","a"]`: false, `"a"`: false,
	} {
		if hasTwins([]byte(text)) != isTwin {
			t.Error(text)
		}
	}
}

func TestEachRequestIDEndsInWhatNoClientKnows(t *testing.T) {
	one, other := requestID("a\nb"), requestID("a\nb")
	if one == other || !strings.HasPrefix(one, "ab-") || len(one) != len("ab-")+26 {
		t.Errorf("%q and %q", one, other)
	}
}

func TestHooksSeeNoKeyAndOneThatPanicsChangesNothing(t *testing.T) {
	latchkey := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var question map[string]any
		_ = json.NewDecoder(r.Body).Decode(&question)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(500)
		_, _ = fmt.Fprintf(w, `{"code":"internal","message":"%v and %s"}`, question["authorization"], r.Header.Get("Authorization"))
	}))
	var seen strings.Builder
	guard := newGuard(t, WithTarget(latchkey.URL), WithServiceToken("very-secret"), OnError(func(failure Failure) {
		fmt.Fprintf(&seen, "%+v", failure)
	}), OnDecision(func(event Event) {
		fmt.Fprintf(&seen, "%+v", event)
		panic("a hook")
	}))
	if decision := ask(guard, context.Background()); decision.Status != 503 {
		t.Error(decision)
	}
	if text := seen.String(); !strings.Contains(text, "INTERNAL") || strings.Contains(text, "lk_key") || strings.Contains(text, "very-secret") {
		t.Error(text)
	}
}

func TestAHookThatPanicsIsReportedToTheGuardsOwnLogger(t *testing.T) {
	var own, usual strings.Builder
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&usual, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	for _, logger := range []*slog.Logger{slog.New(slog.NewTextHandler(&own, nil)), nil} {
		guard := newGuard(t, WithTarget("http://127.0.0.1:1"), WithLogger(logger), OnError(func(Failure) { panic("a hook") }))
		if decision := ask(guard, context.Background()); decision.Status != 503 {
			t.Error(decision)
		}
	}
	if !strings.Contains(own.String(), "a hook") || usual.String() != "" {
		t.Errorf("%q, and %q by the usual logger", &own, &usual)
	}
}

func TestAClientThatGoesEndsNobodyElsesCall(t *testing.T) {
	release, come := make(chan struct{}), make(chan struct{}, 9)
	var calls atomic.Int32
	latchkey := answering(t, func(map[string]any) string {
		calls.Add(1)
		come <- struct{}{}
		<-release
		return grant + `,"lease":{"lengthMs":2000,"uses":50}`
	})
	guard := newGuard(t, WithTarget(latchkey.URL), WithLeases())
	ctx, cancel := context.WithCancel(context.Background())
	leader, follower := make(chan int, 1), make(chan int, 1)
	go func() { leader <- ask(guard, ctx).Status }()
	<-come
	go func() { follower <- ask(guard, context.Background()).Status }()
	cancel()
	if status := <-leader; status != 503 {
		t.Errorf("the client that went got %d", status)
	}
	close(release)
	if status := <-follower; status != 200 {
		t.Errorf("the other one got %d", status)
	}
	if calls.Load() != 1 {
		t.Errorf("the other one did not use the lease: %d calls", calls.Load())
	}
}

func TestAHotKeyCostsFewCallsAndEveryUseIsReportedOnce(t *testing.T) {
	var calls, reported, own atomic.Int64
	latchkey := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var message struct {
			RequestID string
			LeaseWish struct{ Uses int }
			Uses      []struct {
				Authorization, ClientIP, Permission, Operation string
				Count                                          int64
			}
		}
		_ = json.NewDecoder(r.Body).Decode(&message)
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/ReportUses") {
			for _, each := range message.Uses {
				if each.Authorization != "Bearer lk_key" || each.ClientIP != "192.0.2.7" || each.Permission != "systems:read" || each.Operation != "OPERATION_READ" {
					t.Errorf("reported %+v", each)
				}
				reported.Add(each.Count)
			}
			_, _ = fmt.Fprint(w, "{}")
			return
		}
		calls.Add(1)
		own.Add(1)
		lease := ""
		if message.LeaseWish.Uses > 0 {
			lease = fmt.Sprintf(`,"lease":{"lengthMs":2000,"uses":%d}`, message.LeaseWish.Uses)
		}
		_, _ = fmt.Fprintf(w, `{"requestId":%q,%s%s}`, message.RequestID, grant, lease)
	}))
	guard := newGuard(t, WithTarget(latchkey.URL), WithLeases())
	const callers, each = 20, 100
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for range each {
				if decision := ask(guard, context.Background()); decision.Status != 200 {
					t.Error(decision)
				}
			}
		})
	}
	all.Wait()
	guard.Close()
	if calls.Load() > callers*each/4 {
		t.Errorf("%d calls for %d requests", calls.Load(), callers*each)
	}
	if total := reported.Load() + own.Load(); total != callers*each {
		t.Errorf("%d uses were reported and %d were calls, of %d requests", reported.Load(), own.Load(), callers*each)
	}
}

func TestWhatAHandlerDoesToItsPrincipalStaysThere(t *testing.T) {
	var calls atomic.Int32
	latchkey := answering(t, func(map[string]any) string {
		calls.Add(1)
		return grant + `,"lease":{"lengthMs":2000,"uses":50}`
	})
	guard := newGuard(t, WithTarget(latchkey.URL), WithLeases(), func(g *Guard) {
		g.now = func() moment { return moment{time.Hour, time.Hour} }
	})
	for range 3 {
		principal := ask(guard, context.Background()).Principal
		if principal.Permissions[0] != "systems:read" {
			t.Fatal(principal)
		}
		principal.Permissions[0] = "users:write"
	}
	handler := guard.Protect("systems:read")(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		principal, _ := PrincipalFromContext(r.Context())
		if principal.Permissions[0] != "systems:read" {
			t.Error(principal)
		}
		principal.Permissions[0] = "users:write"
	}))
	request := httptest.NewRequest("GET", "/systems", nil)
	request.Header.Set("Authorization", "Bearer lk_key")
	for range 3 {
		handler.ServeHTTP(httptest.NewRecorder(), request)
	}
	if calls.Load() != 1 {
		t.Errorf("the lease lost its permission: %d calls", calls.Load())
	}
}

func TestEachFailureIsReportedOnce(t *testing.T) {
	hanging := serve(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		<-r.Context().Done()
	}))
	for _, opts := range [][]Option{nil, {WithLeases()}} {
		var failures []string
		hook := OnError(func(failure Failure) { failures = append(failures, failure.Code) })
		guard := newGuard(t, append(opts, WithTarget(hanging.URL), WithDeadline(50*time.Millisecond), hook)...)
		if decision := ask(guard, context.Background()); decision.Status != 503 {
			t.Error(decision)
		}
		guard.Close()
		if fmt.Sprint(failures) != "[DEADLINE_EXCEEDED]" {
			t.Errorf("reported %v", failures)
		}
	}
}

func TestTLSAsksOnlyACertifiedLatchkeyAndOverHTTP1(t *testing.T) {
	var protocol atomic.Value
	latchkey := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var question map[string]any
		_ = json.NewDecoder(r.Body).Decode(&question)
		protocol.Store(r.Proto)
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"requestId":%q,%s}`, question["requestId"], grant)
	}))
	latchkey.EnableHTTP2 = true
	latchkey.StartTLS()
	t.Cleanup(latchkey.Close)
	authorities := x509.NewCertPool()
	authorities.AddCert(latchkey.Certificate())
	for _, each := range []struct {
		opts   []Option
		status int
	}{
		{[]Option{WithTLS(&tls.Config{RootCAs: authorities})}, 200},
		// As a client for HTTP/2 leaves it, with which the service shares it.
		{[]Option{WithTLS(&tls.Config{RootCAs: authorities, NextProtos: []string{"h2", "http/1.1"}})}, 200},
		{nil, 503},
	} {
		guard := newGuard(t, append(each.opts, WithTarget(latchkey.URL))...)
		if decision := ask(guard, context.Background()); decision.Status != each.status {
			t.Errorf("%d instead of %d", decision.Status, each.status)
		}
	}
	if protocol.Load() != "HTTP/1.1" {
		t.Errorf("asked over %v", protocol.Load())
	}
}

func TestAClosedGuardRefusesAndLeavesNothingOpen(t *testing.T) {
	latchkey := answering(t, func(map[string]any) string { return grant + `,"lease":{"lengthMs":2000,"uses":50}` })
	guard := newGuard(t, WithTarget(latchkey.URL), WithLeases())
	if decision := ask(guard, context.Background()); decision.Status != 200 {
		t.Fatal(decision)
	}
	guard.Close()
	guard.Close()
	if decision := ask(guard, context.Background()); decision.Status != 503 {
		t.Errorf("a closed guard decides %d", decision.Status)
	}
}

func TestReportsToALatchkeyThatHangsTakeASecondInAll(t *testing.T) {
	var reports atomic.Int32
	latchkey := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var question map[string]any
		_ = json.NewDecoder(r.Body).Decode(&question)
		if strings.HasSuffix(r.URL.Path, "/ReportUses") {
			reports.Add(1)
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"requestId":%q,%s,"lease":{"lengthMs":2000,"uses":50}}`, question["requestId"], grant)
	}))
	guard := newGuard(t, WithTarget(latchkey.URL), WithLeases())
	for number := range 200 {
		used := Question{Credential: Credential{APIKey: fmt.Sprint("lk_", number)}, Operation: Read}
		guard.leases.count(&leasedKey{}, used, guard.now().monotonic)
	}
	guard.Close()
	if reports.Load() > 1 {
		t.Errorf("%d reports were sent one after the other", reports.Load())
	}
}

func TestTheTextOfACredentialIsKeptOnlyAsLongAsItsCount(t *testing.T) {
	latchkey := answering(t, func(map[string]any) string { return grant + `,"lease":{"lengthMs":2000,"uses":50}` })
	guard := newGuard(t, WithTarget(latchkey.URL))
	guard.hasLeases = true // Without its reporter: the test takes out what was used.
	guard.now = func() moment { return moment{time.Hour, time.Hour} }
	for range 2 {
		for range 3 {
			if decision := ask(guard, context.Background()); decision.Status != 200 {
				t.Fatal(decision)
			}
		}
		if uses := guard.leases.takeUses(guard.now()); len(uses) != 1 {
			t.Errorf("reported %v", uses)
		}
		if kept := fmt.Sprint(guard.leases.hot, guard.leases.counts); strings.Contains(kept, "lk_key") {
			t.Errorf("kept %s", kept)
		}
		for _, key := range guard.leases.keys {
			if key.lastCount != nil {
				t.Errorf("kept %v", key.lastCount.used)
			}
		}
	}
}

func TestCloseWaitsForARenewalAndReportsItsUseIfItFails(t *testing.T) {
	var asked, reported atomic.Int64
	release := make(chan struct{})
	latchkey := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var message struct {
			RequestID string
			Uses      []struct{ Count int64 }
		}
		_ = json.NewDecoder(r.Body).Decode(&message)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/ReportUses"):
			for _, each := range message.Uses {
				reported.Add(each.Count)
			}
			_, _ = fmt.Fprint(w, "{}")
		case asked.Add(1) == 1:
			_, _ = fmt.Fprintf(w, `{"requestId":%q,%s,"lease":{"lengthMs":2000,"uses":1}}`, message.RequestID, grant)
		default:
			<-release
			w.WriteHeader(400)
			_, _ = fmt.Fprint(w, `{"code":"invalid_argument"}`)
		}
	}))
	guard := newGuard(t, WithTarget(latchkey.URL), WithLeases())
	for range 2 {
		if decision := ask(guard, context.Background()); decision.Status != 200 {
			t.Fatal(decision)
		}
	}
	until(func() bool { return asked.Load() == 2 })
	go func() {
		until(guard.isClosed.Load)
		close(release)
	}()
	guard.Close()
	if reported.Load() != 1 {
		t.Errorf("%d uses were reported", reported.Load())
	}
}

func TestARenewalThatIsDeniedEndsTheLease(t *testing.T) {
	var calls atomic.Int32
	latchkey := answering(t, func(map[string]any) string {
		lease := `,"lease":{"lengthMs":2000,"uses":5}`
		if calls.Add(1) == 1 {
			return grant + lease
		}
		return `"denial":{"reason":"REASON_REVOKED","httpStatus":401}` + lease
	})
	guard := newGuard(t, WithTarget(latchkey.URL), WithLeases(), func(g *Guard) {
		g.now = func() moment { return moment{time.Hour, time.Hour} }
	})
	for range 5 { // The fourth use of the lease renews it.
		if decision := ask(guard, context.Background()); decision.Status != 200 {
			t.Fatal(decision)
		}
	}
	awaitCalls(guard)
	if decision := ask(guard, context.Background()); decision.Status != 401 || calls.Load() != 3 {
		t.Errorf("%v after %d calls", decision, calls.Load())
	}
}

// awaitCalls waits until no renewal is under way.
func awaitCalls(guard *Guard) {
	for isBusy := true; isBusy; time.Sleep(time.Millisecond) {
		guard.leases.lock.Lock()
		isBusy = false
		for _, key := range guard.leases.keys {
			isBusy = isBusy || key.call != nil
		}
		guard.leases.lock.Unlock()
	}
}
