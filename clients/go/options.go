package latchkey

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
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
type Failure struct{ Code, Message, RequestID string }

type options struct {
	target, serviceToken, keyPrefix string
	tls                             *tls.Config
	insecure, hasLeases             bool
	clocks                          clocks
	deadline                        time.Duration
	forms                           []Form
	operations                      map[string]Operation
	clientAddress                   func(*http.Request) string
	pathValue                       func(r *http.Request, name string) string
	logger                          *slog.Logger
	onDecision, onDenied            func(Event)
	onError                         func(Failure)
}

func (o *options) has(form Form) bool { return slices.Contains(o.forms, form) }

// An Option sets up a guard.
type Option func(*options)

// WithTarget names Latchkey's SERVICES_PORT: https://latchkey.internal:3080, or http: to this machine.
func WithTarget(url string) Option { return func(o *options) { o.target = url } }

// WithServiceToken is of a service identity with the role validator.
func WithServiceToken(token string) Option { return func(o *options) { o.serviceToken = token } }

// WithTLS names an authority or a client certificate of one's own.
func WithTLS(config *tls.Config) Option { return func(o *options) { o.tls = config } }

// WithInsecure allows plain text to other machines, where a mesh encrypts it.
func WithInsecure() Option { return func(o *options) { o.insecure = true } }

// WithDeadline is how long a request waits for its decision: 200 ms by default.
func WithDeadline(deadline time.Duration) Option { return func(o *options) { o.deadline = deadline } }

// WithCredentials names where a request may carry its key: Bearer by default. More than one credential is 401.
func WithCredentials(forms ...Form) Option { return func(o *options) { o.forms = forms } }

// WithKeyPrefix is Latchkey's KEY_PREFIX, by which Otherwise and IsAPIKey know a key.
func WithKeyPrefix(prefix string) Option { return func(o *options) { o.keyPrefix = prefix } }

// WithLeases grants further requests of a key without a call, for a moment after Latchkey granted one.
func WithLeases() Option { return func(o *options) { o.hasLeases = true } }

// WithClientAddress finds the client's address behind a proxy. Anything but one address counts as unknown.
func WithClientAddress(find func(*http.Request) string) Option {
	return func(o *options) { o.clientAddress = find }
}

// WithPathValue finds a parameter of the route, for routers that don't set http.Request.PathValue.
func WithPathValue(find func(r *http.Request, name string) string) Option {
	return func(o *options) { o.pathValue = find }
}

// WithOperations names the operations of further methods, or other ones: {"REPORT": Read}.
func WithOperations(byMethod map[string]Operation) Option {
	return func(o *options) { maps.Copy(o.operations, byMethod) }
}

// WithLogger gets why requests are answered with 503, at most once a minute. The default is slog's; nil is none.
func WithLogger(logger *slog.Logger) Option { return func(o *options) { o.logger = logger } }

// OnDecision is called for each decision, for metrics.
func OnDecision(hook func(Event)) Option { return func(o *options) { o.onDecision = hook } }

// OnDenied is called for each denial, for logs.
func OnDenied(hook func(Event)) Option { return func(o *options) { o.onDenied = hook } }

// OnError is called for each 503.
func OnError(hook func(Failure)) Option { return func(o *options) { o.onError = hook } }

var (
	forms      = []Form{Bearer, XAPIKey, Basic}
	operations = []Operation{Read, Write, Destroy, ManageAPIKeys, ManageAccount, Impersonate}
	tokenForm  = regexp.MustCompile(`^[\x21-\x7e]+$`)
	prefixForm = regexp.MustCompile(`^[a-z][a-z0-9]{0,15}$`)
)

// New makes a guard. It does not wait for Latchkey. An error names the option that is missing or unusable, and never has
// the token.
func New(opts ...Option) (*Guard, error) {
	o := options{
		keyPrefix: "lk", deadline: 200 * time.Millisecond, forms: []Form{Bearer}, clocks: ownClocks,
		pathValue: pathValue, logger: slog.Default(), operations: map[string]Operation{
			"GET": Read, "HEAD": Read, "OPTIONS": Read, "POST": Write, "PUT": Write, "PATCH": Write,
		},
	}
	for _, option := range opts {
		option(&o)
	}
	target, err := o.check()
	if err != nil {
		return nil, fmt.Errorf("latchkey.New: %w", err)
	}
	g := &Guard{options: o, transport: newTransport(target, o.serviceToken, o.tls), reported: make(chan struct{})}
	// After a character of a token, the marker is part of another one, such as a JWT.
	g.marker = regexp.MustCompile(`(?:^|[^A-Za-z0-9._~+/-])` + o.keyPrefix + `_`)
	g.closing, g.close = context.WithCancel(context.Background())
	if o.hasLeases {
		g.leases = &leases{clocks: o.clocks, keys: map[digest]*leasedKey{}, counts: map[use]count{}}
		go g.reportUses()
	}
	return g, nil
}

func (o *options) check() (*url.URL, error) {
	if o.target == "" {
		return nil, errors.New("WithTarget is missing")
	}
	target, err := url.Parse(o.target)
	if err != nil || target.Hostname() == "" || target.Scheme != "http" && target.Scheme != "https" || target.User != nil ||
		target.Path != "" && target.Path != "/" || target.RawQuery != "" || target.Fragment != "" {
		return nil, errors.New("WithTarget must be a URL such as http://127.0.0.1:3080 or https://latchkey.internal:3080")
	}
	address, _ := netip.ParseAddr(target.Hostname()) // A name is no address.
	isHere := target.Hostname() == "localhost" || address.IsLoopback()
	hasCertificate := o.tls != nil && (len(o.tls.Certificates) > 0 || o.tls.GetClientCertificate != nil)
	isUnknown := func(form Form) bool { return !slices.Contains(forms, form) }
	switch {
	case target.Scheme == "http" && o.tls != nil:
		return nil, errors.New("WithTLS needs WithTarget with https")
	case target.Scheme == "https" && o.insecure:
		return nil, errors.New("WithInsecure contradicts WithTarget with https")
	case target.Scheme == "http" && !isHere && !o.insecure:
		return nil, errors.New("WithTarget must be https, or use WithInsecure where a mesh encrypts: keys would be readable")
	case o.serviceToken == "" && !hasCertificate:
		return nil, errors.New("WithServiceToken is missing (or WithTLS with a client certificate)")
	case o.serviceToken != "" && !tokenForm.MatchString(o.serviceToken):
		return nil, errors.New("WithServiceToken contains spaces or characters beyond ASCII")
	case o.deadline <= 0:
		return nil, errors.New("WithDeadline is not positive")
	case len(o.forms) == 0 || slices.ContainsFunc(o.forms, isUnknown):
		return nil, fmt.Errorf("WithCredentials must name at least one of %v, and nothing else", forms)
	case !prefixForm.MatchString(o.keyPrefix):
		return nil, errors.New("WithKeyPrefix is not 1 to 16 lower-case letters and digits, a letter first")
	case o.pathValue == nil:
		return nil, errors.New("WithPathValue is nil")
	}
	for method, operation := range o.operations {
		if !slices.Contains(operations, operation) || !regexp.MustCompile(`^[A-Z][A-Z-]*$`).MatchString(method) {
			return nil, fmt.Errorf("WithOperations: %q: %q is not a method in capitals with a known operation", method, operation)
		}
	}
	return target, nil
}
