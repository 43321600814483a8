package latchkey

import (
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// An Event is one decision, for metrics and logs. It never has the key.
type Event struct {
	Decision   Decision
	Operation  Operation
	Permission string // with the parameters of the route
	Template   string // as the route names it, for labels
	ClientIP   string
	RequestID  string
	Source     string // service or lease
	Latency    time.Duration
}

// A Failure is why there was no usable answer. It never has the key.
type Failure struct {
	Code      string // Latchkey's, or UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, UNREADABLE_ANSWER
	Message   string
	RequestID string
}

// Error makes a Failure an error inside of the guard.
func (f *Failure) Error() string { return f.Code + ": " + f.Message }

// An Option sets up a guard.
type Option func(*Guard)

// WithTarget sets the URL of Latchkey's SERVICES_PORT: https://latchkey.internal:3080, or http: to this machine.
func WithTarget(target string) Option { return func(g *Guard) { g.target = target } }

// WithServiceToken sets the token of a service identity with the role validator.
func WithServiceToken(token string) Option { return func(g *Guard) { g.serviceToken = token } }

// WithTLS sets an authority or a client certificate of one's own.
func WithTLS(config *tls.Config) Option { return func(g *Guard) { g.tls = config } }

// WithInsecure allows plain text to other machines, where a mesh encrypts it.
func WithInsecure() Option { return func(g *Guard) { g.insecure = true } }

// WithDeadline sets how long a request waits for its decision: 200 ms by default.
func WithDeadline(deadline time.Duration) Option { return func(g *Guard) { g.deadline = deadline } }

// WithCredentials sets where a request may carry its key: Bearer by default. More than one credential is 401.
func WithCredentials(forms ...Form) Option {
	return func(g *Guard) { g.forms = slices.Clone(forms) }
}

// WithKeyPrefix sets Latchkey's KEY_PREFIX, by which Otherwise and IsAPIKey know a key.
func WithKeyPrefix(prefix string) Option { return func(g *Guard) { g.keyPrefix = prefix } }

// WithLeases lets the guard grant further requests of a key without a call, for a moment after Latchkey granted one.
func WithLeases() Option { return func(g *Guard) { g.hasLeases = true } }

// WithClientAddress sets how the client's address is found behind a proxy. Anything but one address counts as unknown.
func WithClientAddress(find func(*http.Request) string) Option {
	return func(g *Guard) { g.clientAddress = find }
}

// WithPathValue sets how a parameter of the path is found, for routers that don't set http.Request.PathValue.
func WithPathValue(find func(r *http.Request, name string) string) Option {
	return func(g *Guard) { g.pathValue = find }
}

// WithOperations sets the operations of further methods, or other ones: {"REPORT": Read}.
func WithOperations(byMethod map[string]Operation) Option {
	return func(g *Guard) { maps.Copy(g.operations, byMethod) }
}

// WithLogger sets the logger for why requests are answered with 503, at most once a minute, and for hooks that panic. The
// default is slog's; nil is none.
func WithLogger(logger *slog.Logger) Option { return func(g *Guard) { g.logger = logger } }

// OnDecision sets a hook that is called for each decision, for metrics.
func OnDecision(hook func(Event)) Option { return func(g *Guard) { g.onDecision = hook } }

// OnDenied sets a hook that is called for each denial, for logs.
func OnDenied(hook func(Event)) Option { return func(g *Guard) { g.onDenied = hook } }

// OnError sets a hook that is called for each 503.
func OnError(hook func(Failure)) Option { return func(g *Guard) { g.onError = hook } }

// New makes a guard, which Close ends. It does not wait for Latchkey. An error names the option that is missing or
// unusable, and never has the token.
func New(opts ...Option) (*Guard, error) {
	g := &Guard{
		keyPrefix: "lk", deadline: 200 * time.Millisecond, forms: []Form{Bearer}, pathValue: (*http.Request).PathValue,
		operations: map[string]Operation{
			"GET": Read, "HEAD": Read, "OPTIONS": Read, "POST": Write, "PUT": Write, "PATCH": Write,
		},
		logger: slog.Default(), now: readClocks, closing: make(chan struct{}),
		leases: leases{
			keys: map[[sha256.Size]byte]*leasedKey{}, hot: map[Credential]*leasedKey{}, counts: map[Question]*count{},
		},
	}
	for _, option := range opts {
		option(g)
	}
	if err := g.check(); err != nil {
		return nil, fmt.Errorf("latchkey.New: %w", err)
	}
	g.target = strings.TrimSuffix(g.target, "/")
	if g.tls != nil {
		// Another transport with this configuration may have added HTTP/2 to what it offers.
		g.tls = g.tls.Clone()
		g.tls.NextProtos = nil
	}
	// No environment variable names its proxy, and it speaks HTTP/1.1 alone.
	// It opens a connection even after the request that needed it has gone, but not for ever.
	opening := max(g.deadline, time.Second)
	g.transport = &http.Transport{
		DialContext: (&net.Dialer{Timeout: opening}).DialContext, TLSHandshakeTimeout: opening,
		TLSNextProto:    map[string]func(string, *tls.Conn) http.RoundTripper{},
		TLSClientConfig: g.tls, DisableCompression: true, MaxResponseHeaderBytes: 16 << 10,
		MaxIdleConnsPerHost: 100, IdleConnTimeout: time.Minute,
	}
	// After a character of a token, the marker is part of another one, such as a JWT.
	g.marker = regexp.MustCompile(`(?:^|[^A-Za-z0-9._~+/-])` + g.keyPrefix + `_`)
	if g.hasLeases {
		g.reporting.Go(g.reportUses)
	}
	return g, nil
}

var (
	operations = []Operation{Read, Write, Destroy, ManageAPIKeys, ManageAccount, Impersonate}
	tokenForm  = regexp.MustCompile(`^[\x21-\x7e]*$`)
	prefixForm = regexp.MustCompile(`^[a-z][a-z0-9]{0,15}$`)
	methodForm = regexp.MustCompile(`^[A-Z][A-Z-]*$`)
)

// check names the first option that is missing or unusable.
func (g *Guard) check() error {
	target, err := url.Parse(g.target)
	if err != nil {
		target = &url.URL{}
	}
	isPlain := target.Scheme == "http"
	isTarget := (isPlain || target.Scheme == "https") && target.Hostname() != "" &&
		strings.EqualFold(strings.TrimSuffix(g.target, "/"), target.Scheme+"://"+target.Host)
	address, _ := netip.ParseAddr(target.Hostname()) // A name is no address.
	isHere := target.Hostname() == "localhost" || address.IsLoopback()
	hasCertificate := g.tls != nil && (len(g.tls.Certificates) > 0 || g.tls.GetClientCertificate != nil)
	isUnknown := func(form Form) bool { return form != Bearer && form != XAPIKey && form != Basic }
	hasForms := len(g.forms) > 0 && !slices.ContainsFunc(g.forms, isUnknown)
	for _, rule := range []struct {
		isBroken bool
		problem  string
	}{
		{g.target == "", "WithTarget is missing"},
		{!isTarget, "WithTarget must be a URL such as http://127.0.0.1:3080 or https://latchkey.internal:3080"},
		{isPlain && g.tls != nil, "WithTLS needs WithTarget with https"},
		{!isPlain && g.insecure, "WithInsecure contradicts WithTarget with https"},
		{isPlain && !isHere && !g.insecure, "WithTarget must be https, or WithInsecure where a mesh encrypts: keys are readable"},
		{g.serviceToken == "" && !hasCertificate, "WithServiceToken is missing (or WithTLS with a client certificate)"},
		{!tokenForm.MatchString(g.serviceToken), "WithServiceToken contains spaces or characters beyond ASCII"},
		{g.deadline <= 0, "WithDeadline is not positive"},
		{!hasForms, "WithCredentials must name at least one of bearer, x-api-key and basic, and nothing else"},
		{!prefixForm.MatchString(g.keyPrefix), "WithKeyPrefix is not 1 to 16 lower-case letters and digits, a letter first"},
		{g.pathValue == nil, "WithPathValue is nil"},
	} {
		if rule.isBroken {
			return errors.New(rule.problem)
		}
	}
	for method, operation := range g.operations {
		if !slices.Contains(operations, operation) || !methodForm.MatchString(method) {
			return fmt.Errorf("WithOperations: %q: %q is not a method in capitals with a known operation", method, operation)
		}
	}
	return nil
}
