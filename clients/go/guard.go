// Package latchkey lets a service accept Latchkey API keys.
package latchkey

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptrace"
	"regexp"
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

	http      *http.Transport
	marker    *regexp.Regexp
	clocks    clocks
	leases    *leases
	closing   context.Context
	close     context.CancelFunc
	reporting sync.WaitGroup

	logLock  sync.Mutex
	loggedAt time.Time
	unlogged int
}

// Close reports what leases were used for, and closes the connections. Later requests are refused with 503.
func (g *Guard) Close() {
	g.close()
	g.reporting.Wait()
	g.http.CloseIdleConnections()
}

// Leases returns how many leases are held, and how many requests were granted from leases, for metrics.
func (g *Guard) Leases() (held, spent int) {
	if g.leases == nil {
		return 0, 0
	}
	g.leases.lock.Lock()
	defer g.leases.lock.Unlock()
	for _, key := range g.leases.keys {
		if key.held != nil {
			held++
		}
	}
	return held, g.leases.spent
}

type route struct {
	permission, writes string
	operation          Operation
	otherwise          func(http.Handler) http.Handler
}

// A RouteOption changes what Protect requires.
type RouteOption func(*route)

// AnyKey in the place of a permission: any good key is enough.
const AnyKey = "*"

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
	route := &route{permission: permission}
	for _, option := range opts {
		option(route)
	}
	for _, template := range []string{route.permission, cmp.Or(route.writes, AnyKey)} {
		if template != AnyKey && !templateForm.MatchString(template) {
			panic(fmt.Sprintf("latchkey: %q is not of the form resource:action or resource/{id}:action", template))
		}
	}
	return func(next http.Handler) http.Handler {
		var otherwise http.Handler
		if route.otherwise != nil {
			otherwise = route.otherwise(next)
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if otherwise != nil && !g.IsAPIKey(r) {
				otherwise.ServeHTTP(w, r)
				return
			}
			decision := g.Check(r.Context(), g.questionOf(r, route))
			g.addHeaders(w.Header(), r, decision)
			if decision.Status != 200 {
				decision.refuse(w)
				return
			}
			next.ServeHTTP(w, r.WithContext(ContextWithPrincipal(r.Context(), *decision.Principal)))
		})
	}
}

// Check decides about one question. Without a usable answer within the deadline the decision is 503.
func (g *Guard) Check(ctx context.Context, question Question) Decision {
	begun := time.Now()
	if question.RequestID == "" {
		question.RequestID = requestID("")
	}
	var asked *call
	isOwn := false
	if g.leases != nil && question.Credential != (Credential{}) && g.closing.Err() == nil {
		digest := digestOf(question.Credential)
		if granted := g.fromLease(digest, question); granted != nil {
			return g.decided(question, *granted, begun, "lease")
		}
		asked, isOwn = g.leases.next(digest, question)
	}
	ctx, cancel := context.WithDeadline(ctx, begun.Add(g.deadline))
	defer cancel()
	if asked == nil {
		return g.answered(question, g.ask(ctx, question, nil), begun)
	}
	if isOwn {
		// It ends by its deadline, even if this client goes: others may wait for it.
		go g.askAlone(question, asked, begun)
	}
	select {
	case <-asked.ended:
	case <-ctx.Done():
		return g.answered(question, failed(failureOf(ctx, ctx.Err())), begun)
	}
	if isOwn {
		return g.answered(question, asked.outcome, begun)
	}
	if granted := g.fromLease(asked.digest, question); granted != nil {
		return g.decided(question, *granted, begun, "lease")
	}
	return g.answered(question, g.ask(ctx, question, nil), begun)
}

// An outcome of a call is a decision, and the lease that came with it or why it is 503.
type outcome struct {
	decision Decision
	lease    *lease
	failure  *failure
}

func failed(failure *failure) outcome { return outcome{decision: unavailable, failure: failure} }

func (g *Guard) answered(question Question, o outcome, begun time.Time) Decision {
	if o.failure != nil {
		g.report(question, o.failure)
	}
	return g.decided(question, o.decision, begun, "service")
}

func (g *Guard) fromLease(digest digest, question Question) *Decision {
	granted, renewal := g.leases.grant(digest, question)
	if renewal != nil {
		go g.askAlone(question, renewal, time.Now())
	}
	if granted != nil {
		granted.Principal = granted.Principal.clone() // The handler may change it.
	}
	return granted
}

func (g *Guard) askAlone(question Question, wish *call, begun time.Time) {
	ctx, cancel := context.WithDeadline(context.Background(), begun.Add(g.deadline))
	defer cancel()
	g.leases.end(wish, g.ask(ctx, question, wish))
}

// ask calls Latchkey, and once more if the first call ended before an answer began and there is time for another one.
func (g *Guard) ask(ctx context.Context, question Question, wish *call) outcome {
	sent := time.Now()
	asked := g.askOnce(ctx, question, wish)
	now := time.Now()
	deadline, _ := ctx.Deadline()
	hasTime := ctx.Err() == nil && now.Add(now.Sub(sent)).Before(deadline)
	if asked.failure != nil && asked.failure.mayRetry && hasTime {
		return g.askOnce(ctx, question, wish)
	}
	return asked
}

func (g *Guard) askOnce(ctx context.Context, question Question, wish *call) outcome {
	if g.closing.Err() != nil {
		return failed(failureWith("UNAVAILABLE", "the guard is closed"))
	}
	fields := question.Credential.fields()
	fields["requestId"], fields["operation"] = question.RequestID, "OPERATION_"+question.Operation
	fields["permission"], fields["clientIp"] = question.Permission, question.ClientIP
	fields["userAgent"] = question.UserAgent
	if wish != nil {
		understands := []string{"KEY_RESTRICTION_PERMISSIONS", "KEY_RESTRICTION_NETWORKS"}
		fields["leaseWish"] = map[string]any{"uses": wish.uses, "understands": understands}
	}
	body, window, failure := g.post(ctx, "ValidateKey", fields)
	if g.closing.Err() != nil {
		g.http.CloseIdleConnections() // Close was too early for this one.
	}
	if failure != nil {
		return failed(failure)
	}
	asked, err := readAnswer(body, question, window)
	if err != nil {
		// What else the connection brings may belong to other requests, too.
		g.http.CloseIdleConnections()
		return failed(failureWith("UNREADABLE_ANSWER", err.Error()))
	}
	return asked
}

func (c Credential) fields() map[string]any {
	if c.APIKey != "" {
		return map[string]any{"apiKey": c.APIKey}
	}
	return map[string]any{"authorization": c.Authorization}
}

func (g *Guard) decided(question Question, decision Decision, begun time.Time, source string) Decision {
	event := Event{
		Decision: decision, Operation: question.Operation, Permission: question.Permission, Template: question.Template,
		ClientIP: question.ClientIP, RequestID: question.RequestID, Source: source, Latency: time.Since(begun),
	}
	if decision.Status != 200 && decision.Status != 503 {
		if decision.Status == 401 && g.leases != nil {
			g.leases.drop(digestOf(question.Credential))
		}
		callHook(g.onDenied, event)
	}
	callHook(g.onDecision, event)
	return decision
}

// report logs the first failure, and then at most one line a minute.
func (g *Guard) report(question Question, failure *failure) {
	message := failure.message
	for _, secret := range []string{question.Credential.APIKey, question.Credential.Authorization, g.serviceToken} {
		if secret != "" {
			message = strings.ReplaceAll(message, secret, "[redacted]")
		}
	}
	callHook(g.onError, Failure{failure.code, message, question.RequestID})
	g.logLock.Lock()
	defer g.logLock.Unlock()
	g.unlogged++
	if g.logger != nil && failure.code != "CANCELLED" && time.Since(g.loggedAt) >= time.Minute {
		g.logger.Error("latchkey guard: requests were answered with 503", "count", g.unlogged, "code", failure.code,
			"message", message)
		g.loggedAt, g.unlogged = time.Now(), 0
	}
}

// callHook: a hook that panics changes no decision.
func callHook[E any](hook func(E), event E) {
	defer func() {
		if problem := recover(); problem != nil {
			slog.Error("latchkey guard: a hook panicked", "problem", problem)
		}
	}()
	if hook != nil {
		hook(event)
	}
}

type failure struct {
	code, message string
	mayRetry      bool
}

func failureWith(code, message string) *failure { return &failure{code: code, message: message} }

func failureOf(ctx context.Context, err error) *failure {
	var timeout net.Error
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return failureWith("CANCELLED", "the client went")
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return failureWith("DEADLINE_EXCEEDED", "no answer within the deadline")
	}
	return failureWith("UNAVAILABLE", err.Error())
}

const mostBytes = 64 << 10

// post returns the body of an answer with 200, and the window of the rate limit.
func (g *Guard) post(ctx context.Context, method string, fields map[string]any) ([]byte, string, *failure) {
	// No text or number fails to become JSON.
	body, _ := json.Marshal(fields)
	var isAnswered atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotFirstResponseByte: func() { isAnswered.Store(true) }})
	request, err := http.NewRequestWithContext(ctx, "POST", g.target+"/latchkey.v1.ApiKeyService/"+method, bytes.NewReader(body))
	if err != nil {
		return nil, "", failureOf(ctx, err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "latchkey-guard-go")
	if g.serviceToken != "" {
		request.Header.Set("Authorization", "Bearer "+g.serviceToken)
	}
	if deadline, ok := ctx.Deadline(); ok {
		request.Header.Set("Connect-Timeout-Ms", fmt.Sprint(max(1, time.Until(deadline).Milliseconds())))
	}
	response, err := g.http.RoundTrip(request)
	if err != nil {
		failed := failureOf(ctx, err)
		failed.mayRetry = !isAnswered.Load()
		return nil, "", failed
	}
	// A connection whose answer was not read to its end is closed.
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(io.LimitReader(response.Body, mostBytes+1))
	if err != nil {
		return nil, "", failureOf(ctx, err)
	}
	contentType, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	if len(read) > mostBytes || !strings.EqualFold(strings.TrimSpace(contentType), "application/json") {
		return nil, "", failureWith("UNREADABLE_ANSWER", "more than 64 KiB, or another type: is target Latchkey's SERVICES_PORT?")
	}
	if response.StatusCode != http.StatusOK {
		var problem struct{ Code, Message string }
		if err := json.Unmarshal(read, &problem); err != nil || problem.Code == "" {
			return nil, "", failureWith("UNREADABLE_ANSWER", "the status "+response.Status)
		}
		failed := failureWith(strings.ToUpper(problem.Code), problem.Message)
		failed.mayRetry = response.StatusCode == http.StatusServiceUnavailable && problem.Code == "unavailable"
		return nil, "", failed
	}
	return read, response.Header.Get("Latchkey-Ratelimit-Window"), nil
}
