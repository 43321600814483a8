// Package latchkey lets a service accept Latchkey API keys.
package latchkey

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Guard decides about requests: one for each process, for as long as it lives.
type Guard struct {
	target, serviceToken, keyPrefix string
	tls                             *tls.Config
	insecure, hasLeases             bool
	deadline                        time.Duration
	forms                           []Form
	operations                      map[string]Operation
	clientAddress                   func(*http.Request) string
	pathValue                       func(r *http.Request, name string) string
	logger                          *slog.Logger
	onDecision, onDenied            func(Event)
	onError                         func(Failure)

	transport *http.Transport
	marker    *regexp.Regexp
	now       func() moment
	leases    leases
	isClosed  atomic.Bool    // no call for a lease begins once it is set, by who has the leases locked
	calls     sync.WaitGroup // for leases
	closing   chan struct{}  // is closed after the last of them
	reporting sync.WaitGroup

	logLock  sync.Mutex
	loggedAt time.Time
	unlogged int
}

// Close waits for the calls of leases, reports what leases were used for, and closes the connections. Later requests are
// refused with 503.
func (g *Guard) Close() {
	g.leases.lock.Lock()
	wasClosed := g.isClosed.Swap(true)
	g.leases.lock.Unlock()
	g.calls.Wait()
	if !wasClosed {
		close(g.closing)
	}
	g.reporting.Wait()
	g.transport.CloseIdleConnections()
}

// Leases returns how many leases are held, and how many requests were granted from leases, for metrics.
func (g *Guard) Leases() (held, spent int) {
	g.leases.lock.Lock()
	defer g.leases.lock.Unlock()
	now := g.now()
	for _, key := range g.leases.keys {
		if now.until(key.end) > 0 {
			held++
		}
	}
	return held, g.leases.spent
}

// reportUses reports each second, and at the end.
func (g *Guard) reportUses() {
	for isLast := false; !isLast; {
		select {
		case <-time.After(time.Second):
		case <-g.closing:
			isLast = true
		}
		// 50 keys of the longest form stay below the 48 KiB of a report. It is sent once.
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		for portion := range slices.Chunk(g.leases.takeUses(g.now()), 50) {
			_, _, _ = g.post(ctx, "ReportUses", map[string]any{"uses": portion})
		}
		cancel()
	}
}

// AnyKey stands in the place of a permission where any good key is enough.
const AnyKey = "*"

// A route is what Protect requires.
type route struct {
	permission, writes string
	operation          Operation
	otherwise          func(http.Handler) http.Handler
}

// A RouteOption changes what Protect requires.
type RouteOption func(*route)

// ForWrites names the permission of everything but reads, to protect a whole router at once.
func ForWrites(permission string) RouteOption { return func(r *route) { r.writes = permission } }

// As names what a handler does where the method does not show it: Read for a search by POST.
func As(operation Operation) RouteOption { return func(r *route) { r.operation = operation } }

// Otherwise hands each request without an API key to the platform's own check, which must refuse strangers.
func Otherwise(check func(http.Handler) http.Handler) RouteOption {
	return func(r *route) { r.otherwise = check }
}

// Protect lets only granted requests through. A parameter of the route stands in braces: systems/{id}:read. It panics if
// the permission is not of this form, because an unset variable must not mean "any good key".
func (g *Guard) Protect(permission string, opts ...RouteOption) func(http.Handler) http.Handler {
	required := &route{permission: permission, writes: permission}
	for _, option := range opts {
		option(required)
	}
	for _, template := range []string{required.permission, required.writes} {
		if template != AnyKey && !templateForm.MatchString(template) {
			panic(fmt.Sprintf("latchkey: %q is not of the form resource:action or resource/{id}:action", template))
		}
	}
	if required.operation != "" && !slices.Contains(operations, required.operation) {
		panic(fmt.Sprintf("latchkey: %q is no operation", required.operation))
	}
	return func(next http.Handler) http.Handler {
		var otherwise http.Handler
		if required.otherwise != nil {
			otherwise = required.otherwise(next)
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if otherwise != nil && !g.IsAPIKey(r) {
				otherwise.ServeHTTP(w, r)
				return
			}
			question := g.questionOf(r, required)
			decision := g.judge(r.Context(), &question)
			g.addHeaders(w.Header(), r, decision)
			if decision.Status == http.StatusOK {
				next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), principalKey{}, decision.Principal)))
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(decision.Status)
			_, _ = fmt.Fprintf(w, `{"message":"%s"}`, messages[decision.Status]) // The client has gone.
		})
	}
}

// Check decides about one question. Without a usable answer within the deadline the decision is 503.
func (g *Guard) Check(ctx context.Context, question Question) Decision {
	return g.judge(ctx, &question).clone()
}

// judge shares the principal of its decision with other requests.
func (g *Guard) judge(ctx context.Context, question *Question) Decision {
	begun := time.Now()
	decision, source := g.decide(ctx, question)
	if decision.failure != nil {
		g.report(*decision.failure)
	}
	isDenied := isDenial(decision.Status)
	if g.onDecision == nil && (g.onDenied == nil || !isDenied) {
		return decision
	}
	question.identify()
	event := Event{
		Decision: decision.clone(), Operation: question.Operation, Permission: question.Permission,
		Template: question.Template, ClientIP: question.ClientIP, RequestID: question.RequestID, Source: source,
		Latency: time.Since(begun),
	}
	if isDenied {
		callHook(g.logger, g.onDenied, event)
	}
	callHook(g.logger, g.onDecision, event)
	return decision
}

// decide grants from a lease, or asks Latchkey. Before that it waits for one call that may bring a lease.
func (g *Guard) decide(ctx context.Context, question *Question) (decision Decision, source string) {
	granted, own, other := g.fromLease(question, true)
	if granted.Status == http.StatusOK {
		return granted, "lease"
	}
	question.identify()
	ctx, cancel := context.WithTimeout(ctx, g.deadline)
	defer cancel()
	if own != nil || other != nil {
		select {
		case decision := <-own:
			return decision, "service"
		case <-ctx.Done():
			return g.unavailable(ctx, *question, ctx.Err()), "service"
		case <-other:
		}
		if granted, _, _ := g.fromLease(question, false); granted.Status == http.StatusOK {
			return granted, "lease"
		}
	}
	decision, _ = g.ask(ctx, *question, 0)
	return decision, "service"
}

// callForLease ends by its deadline, even if this client goes: others may wait for it. The leases are locked.
func (g *Guard) callForLease(key *leasedKey, of *Question, renewing Question, begun moment) <-chan Decision {
	of.identify()
	question, uses := *of, 1
	if key.isRecent(begun) {
		uses = 2*key.used + 1
	}
	key.call = make(chan struct{})
	decided := make(chan Decision, 1)
	g.calls.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), g.deadline)
		defer cancel()
		decision, given := g.ask(ctx, question, uses)
		g.leases.ended(key, renewing, begun, g.now(), decision, given)
		decided <- decision
	})
	return decided
}

// ask calls Latchkey, and once more if the first call ended before an answer began and there is time for another one. A
// wish for uses may bring a lease.
func (g *Guard) ask(ctx context.Context, question Question, uses int) (Decision, *lease) {
	if g.isClosed.Load() {
		return g.unavailable(ctx, question, errors.New("the guard is closed")), nil
	}
	message := question.message()
	message["requestId"], message["userAgent"] = question.RequestID, question.UserAgent
	if uses > 0 {
		understands := []string{"KEY_RESTRICTION_PERMISSIONS", "KEY_RESTRICTION_NETWORKS"}
		message["leaseWish"] = map[string]any{"uses": uses, "understands": understands}
	}
	sent := time.Now()
	read, mayRetry, err := g.post(ctx, "ValidateKey", message)
	if deadline, _ := ctx.Deadline(); mayRetry && time.Until(deadline) > time.Since(sent) {
		read, _, err = g.post(ctx, "ValidateKey", message)
	}
	var decision Decision
	if err == nil {
		decision, err = read.decision(question)
	}
	if g.isClosed.Load() || errors.Is(err, errUnreadable) {
		// Close was too early for this connection, or what else it brings may belong to other requests, too.
		g.transport.CloseIdleConnections()
	}
	if err != nil {
		return g.unavailable(ctx, question, err), nil
	}
	if decision.Status == http.StatusUnauthorized {
		g.leases.drop(question.Credential)
	}
	return decision, read.Lease
}

// post calls a method and reads its answer. It follows no redirect. If it failed before an answer began, it mayRetry.
func (g *Guard) post(ctx context.Context, method string, message map[string]any) (read answer, mayRetry bool, err error) {
	body, _ := json.Marshal(message) // No text or number fails to become JSON.
	var hasBegun atomic.Bool
	trace := &httptrace.ClientTrace{GotFirstResponseByte: func() { hasBegun.Store(true) }}
	request, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, trace), http.MethodPost,
		g.target+"/latchkey.v1.ApiKeyService/"+method, bytes.NewReader(body))
	if err != nil {
		return read, false, err
	}
	deadline, _ := ctx.Deadline()
	request.Header = http.Header{
		"Content-Type": {"application/json"}, "User-Agent": {"latchkey-guard-go"},
		"Connect-Timeout-Ms": {strconv.FormatInt(max(1, time.Until(deadline).Milliseconds()), 10)},
	}
	if g.serviceToken != "" {
		request.Header.Set("Authorization", "Bearer "+g.serviceToken)
	}
	response, err := g.transport.RoundTrip(request)
	if err != nil {
		return read, !hasBegun.Load(), err
	}
	defer func() { _ = response.Body.Close() }() // If it was not read to its end, this closes the connection.
	text, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err != nil {
		return read, false, err
	}
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	read, err = parseAnswer(text)
	isOK := response.StatusCode == http.StatusOK
	switch {
	case err != nil, mediaType != "application/json", !isOK && read.Code == "":
		return read, false, unreadable(response.Status + ", no JSON of at most 64 KiB: is target Latchkey's SERVICES_PORT?")
	case !isOK:
		mayRetry = response.StatusCode == http.StatusServiceUnavailable && read.Code == "unavailable"
		return read, mayRetry, &Failure{Code: strings.ToUpper(read.Code), Message: read.Message}
	}
	if window := response.Header.Get("Latchkey-Ratelimit-Window"); windowForm.MatchString(window) {
		read.window, _ = strconv.Atoi(window) // So few digits are a number.
	}
	return read, false, nil
}

var windowForm = regexp.MustCompile(`^[1-9]\d{0,8}$`)

var errUnreadable = errors.New("unreadable answer")

func unreadable(problem string) error { return fmt.Errorf("%w: %s", errUnreadable, problem) }

// unavailable decides about a question without a usable answer.
func (g *Guard) unavailable(ctx context.Context, question Question, err error) Decision {
	failure := &Failure{Code: "UNAVAILABLE", Message: err.Error()}
	var timeout net.Error
	switch {
	case errors.As(err, &failure): // Latchkey said why.
	case errors.Is(err, errUnreadable):
		failure.Code = "UNREADABLE_ANSWER"
	case errors.Is(ctx.Err(), context.Canceled):
		failure.Code = "CANCELLED"
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		failure.Code = "DEADLINE_EXCEEDED"
	}
	failure.RequestID = question.RequestID
	for _, secret := range []string{question.Credential.APIKey, question.Credential.Authorization, g.serviceToken} {
		if secret != "" {
			failure.Message = strings.ReplaceAll(failure.Message, secret, "[redacted]")
		}
	}
	return Decision{Status: http.StatusServiceUnavailable, Reason: "SERVICE_UNAVAILABLE", failure: failure}
}

// report logs the first failure, and then at most one line a minute.
func (g *Guard) report(failure Failure) {
	callHook(g.logger, g.onError, failure)
	g.logLock.Lock()
	defer g.logLock.Unlock()
	g.unlogged++
	if g.logger != nil && failure.Code != "CANCELLED" && time.Since(g.loggedAt) >= time.Minute {
		g.logger.Error("latchkey guard: requests were answered with 503", "count", g.unlogged, "code", failure.Code,
			"message", failure.Message)
		g.loggedAt, g.unlogged = time.Now(), 0
	}
}

// callHook calls a hook, if there is one. A hook that panics changes no decision.
func callHook[E any](logger *slog.Logger, hook func(E), event E) {
	defer func() {
		if problem := recover(); problem != nil && logger != nil {
			logger.Error("latchkey guard: a hook panicked", "problem", problem)
		}
	}()
	if hook != nil {
		hook(event)
	}
}
