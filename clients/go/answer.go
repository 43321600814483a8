package latchkey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Principal is the account and the key that a request acts with.
type Principal struct {
	KeyID       string
	OwnerID     string
	Access      string            // read-only or read-and-write
	Permissions []string          // of the owner, as far as the key may use them
	Attributes  map[string]string // what the platform says of the account, such as its tenant
	ExpiresAt   time.Time
}

func (p Principal) clone() *Principal {
	p.Permissions, p.Attributes = slices.Clone(p.Permissions), maps.Clone(p.Attributes)
	return &p
}

type principalKey struct{}

// PrincipalFromContext returns the principal of a request that a guard granted.
func PrincipalFromContext(ctx context.Context) (Principal, bool) {
	principal, ok := ctx.Value(principalKey{}).(Principal)
	return principal, ok
}

// ContextWithPrincipal makes the context of a granted request, for tests of handlers.
func ContextWithPrincipal(ctx context.Context, principal Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, principal)
}

// A RateLimit is what is left for a key. The seconds are whole ones, rounded up.
type RateLimit struct{ Limit, Remaining, ResetSeconds, WindowSeconds int }

// A Decision is how a guard answers a question.
type Decision struct {
	Status            int        // 200, 401, 403, 429 or 503
	Principal         *Principal // if it is 200
	Reason            string     // if it is not, for logs and never for the client; UNKNOWN: of a newer Latchkey
	RateLimit         *RateLimit // once the secret of the key is proven
	RetryAfter        int        // seconds, with 429
	MissingPermission string
	KeyID, OwnerID    string // of a refused key, once its secret is proven
}

var unavailable = Decision{Status: 503, Reason: "SERVICE_UNAVAILABLE"}

var messages = map[int]string{
	401: "invalid api key", 403: "operation not allowed", 429: "too many requests", 503: "service unavailable",
}

func (g *Guard) addHeaders(h http.Header, r *http.Request, d Decision) {
	if g.has(XAPIKey) && len(h["Cache-Control"]) == 0 {
		h.Set("Cache-Control", "private")
	}
	// The names are canonical, so that they are not changed at each request.
	if rate := d.RateLimit; rate != nil {
		policy := `"key";q=` + strconv.Itoa(rate.Limit)
		if rate.WindowSeconds > 0 {
			policy += ";w=" + strconv.Itoa(rate.WindowSeconds)
		}
		h.Set("Ratelimit-Policy", policy)
		h.Set("Ratelimit", `"key";r=`+strconv.Itoa(rate.Remaining)+";t="+strconv.Itoa(rate.ResetSeconds))
	}
	switch {
	case d.Status == 200:
		h.Set("Latchkey-Key-Expires", d.Principal.ExpiresAt.UTC().Format("2006-01-02T15:04:05.000Z"))
		h.Add("Access-Control-Expose-Headers", "Latchkey-Key-Expires")
	case d.Status == 401:
		h.Set("Www-Authenticate", g.challenge(r))
	case d.Status == 403 && d.Reason != "ADDRESS_NOT_ALLOWED": // RFC 6750: more scope would not help there.
		value := `Bearer error="insufficient_scope"`
		if isPermission(d.MissingPermission) {
			value += `, scope="` + d.MissingPermission + `"`
		}
		h.Set("Www-Authenticate", value)
	case d.Status == 429:
		h.Set("Retry-After", strconv.Itoa(max(1, d.RetryAfter)))
	}
}

// refuse has the same text for every reason, so that a client does not learn why its key was refused.
func (d Decision) refuse(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(d.Status)
	_, _ = fmt.Fprintf(w, `{"message":"%s"}`, messages[d.Status]) // The client has gone.
}

type lease struct {
	length            time.Duration
	uses              int
	hasOwnPermissions bool
	allowedNetworks   []string
}

// A reader reads JSON by exact names and types, which encoding/json does not, and keeps the first error.
type reader struct{ err error }

func field[T any](r *reader, object map[string]any, name string) T {
	value, isPresent := object[name]
	read, isOfType := value.(T)
	if isPresent && !isOfType && r.err == nil {
		r.err = fmt.Errorf("%s is of another type", name)
	}
	return read
}

func (r *reader) check(isRight bool, problem string) {
	if !isRight && r.err == nil {
		r.err = errors.New(problem)
	}
}

func (r *reader) number(object map[string]any, name string) int {
	value := field[float64](r, object, name)
	r.check(value >= 0 && value <= math.MaxUint32 && value == math.Trunc(value), name+" is no whole number")
	return int(value)
}

func (r *reader) texts(object map[string]any, name string) []string {
	texts := []string{}
	for _, each := range field[[]any](r, object, name) {
		text, isText := each.(string)
		r.check(isText, name+" has what is no text")
		texts = append(texts, text)
	}
	return texts
}

var durationForm = regexp.MustCompile(`^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$`)

// seconds are whole ones, rounded up; 0 for none.
func (r *reader) seconds(object map[string]any, name string) int {
	text := field[string](r, object, name)
	match := durationForm.FindStringSubmatch(text)
	if match == nil {
		r.check(text == "", name+" is no duration")
		return 0
	}
	whole, _ := strconv.Atoi(match[2])
	if match[1] == "-" {
		return 0
	}
	if strings.Trim(match[3], "0") != "" {
		whole++
	}
	return whole
}

// readAnswer reads a ValidateKeyResponse as JSON. A complete grant is accepted as it is.
func readAnswer(body []byte, question Question, window string) (outcome, error) {
	var answer map[string]any
	if err := json.Unmarshal(body, &answer); err != nil {
		return outcome{}, err
	}
	r := &reader{}
	r.check(field[string](r, answer, "requestId") == question.RequestID, "the answer to another request")
	grant, isGrant := answer["grant"]
	_, isDenial := answer["denial"]
	r.check(isGrant != isDenial, "not one outcome")
	var asked outcome
	if isGrant {
		read, _ := grant.(map[string]any)
		asked.decision = Decision{Status: 200, Principal: r.principal(read)}
		if _, has := answer["lease"]; has {
			asked.lease = r.lease(field[map[string]any](r, answer, "lease"))
		}
	} else {
		asked.decision = r.denial(field[map[string]any](r, answer, "denial"), question.Permission)
	}
	if _, has := answer["rateLimit"]; has {
		rate := field[map[string]any](r, answer, "rateLimit")
		seconds, _ := strconv.Atoi(window) // Without the header it has no window.
		if _, has := rate["window"]; has {
			seconds = r.seconds(rate, "window")
		}
		asked.decision.RateLimit = &RateLimit{
			r.number(rate, "limit"), r.number(rate, "remaining"), r.seconds(rate, "resetAfter"), seconds,
		}
	}
	return asked, r.err
}

func (r *reader) principal(grant map[string]any) *Principal {
	access := map[string]string{
		"ACCESS_LEVEL_READ_ONLY": "read-only", "ACCESS_LEVEL_READ_AND_WRITE": "read-and-write",
	}[field[string](r, grant, "access")]
	expiresAt, err := time.Parse(time.RFC3339, field[string](r, grant, "expiresAt"))
	r.check(err == nil, "expiresAt is no time")
	attributes := map[string]string{}
	for _, each := range field[[]any](r, grant, "attributes") {
		pair, _ := each.(map[string]any)
		_, hasName := pair["name"]
		_, hasValue := pair["value"]
		r.check(hasName && hasValue, "an attribute without name or value")
		attributes[field[string](r, pair, "name")] = field[string](r, pair, "value")
	}
	principal := &Principal{
		field[string](r, grant, "keyId"), field[string](r, grant, "ownerId"), access, r.texts(grant, "permissions"),
		attributes, expiresAt,
	}
	r.check(principal.KeyID != "" && principal.OwnerID != "" && access != "", "an incomplete grant")
	return principal
}

func (r *reader) lease(given map[string]any) *lease {
	length := time.Duration(r.number(given, "lengthMs")) * time.Millisecond
	own := field[bool](r, given, "hasOwnPermissions")
	return &lease{length, r.number(given, "uses"), own, r.texts(given, "allowedNetworks")}
}

func (r *reader) denial(denial map[string]any, permission string) Decision {
	status := r.number(denial, "httpStatus")
	r.check(status == 401 || status == 403 || status == 429, "a denial with another status")
	reason, isNamed := denial["reason"].(string)
	_, isNumber := denial["reason"].(float64)
	r.check(isNumber || isNamed && reason != "REASON_UNSPECIFIED" && reason != "", "a denial without a reason")
	name := strings.TrimPrefix(reason, "REASON_")
	if isNumber {
		name = "UNKNOWN"
	}
	decision := Decision{
		Status: status, Reason: name, KeyID: field[string](r, denial, "keyId"), OwnerID: field[string](r, denial, "ownerId"),
	}
	if retryAfter := r.seconds(denial, "retryAfter"); status == 429 {
		decision.RetryAfter = max(1, retryAfter)
	}
	if name == "MISSING_PERMISSION" || name == "READ_ONLY_KEY" && !strings.HasSuffix(permission, ":read") {
		decision.MissingPermission = permission
	}
	return decision
}
