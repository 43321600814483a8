package latchkey

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
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

type principalKey struct{}

// PrincipalFromContext returns the principal of a request that a guard granted.
func PrincipalFromContext(ctx context.Context) (Principal, bool) {
	principal, ok := ctx.Value(principalKey{}).(*Principal)
	if !ok {
		return Principal{}, false
	}
	return principal.clone(), true
}

// ContextWithPrincipal makes the context of a granted request, for tests of handlers.
func ContextWithPrincipal(ctx context.Context, principal Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, &principal)
}

// clone is one that a handler may change.
func (p Principal) clone() Principal {
	p.Permissions, p.Attributes = slices.Clone(p.Permissions), maps.Clone(p.Attributes)
	return p
}

// A RateLimit is what is left for a key. The seconds are whole ones, rounded up.
type RateLimit struct {
	Limit         int
	Remaining     int
	ResetSeconds  int
	WindowSeconds int // 0 if Latchkey did not say it
}

// A Decision is how a guard answers a question.
type Decision struct {
	Status            int        // 200, 401, 403, 429 or 503
	Principal         *Principal // if it is 200
	Reason            string     // if it is not, for logs and never for the client; UNKNOWN: of a newer Latchkey
	RateLimit         *RateLimit // once the secret of the key is proven
	RetryAfter        int        // seconds, with 429
	MissingPermission string
	KeyID, OwnerID    string   // of a refused key, once its secret is proven
	failure           *Failure // with 503
	expires, policy   string   // as headers write them
}

// clone is one that a handler may change.
func (d Decision) clone() Decision {
	if d.Principal != nil {
		principal := d.Principal.clone()
		d.Principal = &principal
	}
	if d.RateLimit != nil {
		rate := *d.RateLimit
		d.RateLimit = &rate
	}
	return d
}

// messages has one text for every reason, so that a client does not learn why its key was refused.
var messages = map[int]string{
	http.StatusUnauthorized:       "invalid api key",
	http.StatusForbidden:          "operation not allowed",
	http.StatusTooManyRequests:    "too many requests",
	http.StatusServiceUnavailable: "service unavailable",
}

func isDenial(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusTooManyRequests
}

// addHeaders adds what clients learn. The names are canonical.
func (g *Guard) addHeaders(h http.Header, r *http.Request, d Decision) {
	values := make([]string, 0, 4) // One allocation for the headers of a grant.
	set := func(name, value string) {
		values = append(values, value)
		h[name] = values[len(values)-1 : len(values) : len(values)]
	}
	if g.has(XAPIKey) && len(h["Cache-Control"]) == 0 {
		set("Cache-Control", "private")
	}
	if rate := d.RateLimit; rate != nil {
		text := strconv.AppendInt(append(make([]byte, 0, 64), `"key";r=`...), int64(rate.Remaining), 10)
		text = strconv.AppendInt(append(text, ";t="...), int64(rate.ResetSeconds), 10)
		set("Ratelimit-Policy", d.policy)
		set("Ratelimit", string(text))
	}
	switch d.Status {
	case http.StatusOK:
		set("Latchkey-Key-Expires", d.expires)
		h["Access-Control-Expose-Headers"] = append(h["Access-Control-Expose-Headers"], "Latchkey-Key-Expires")
	case http.StatusUnauthorized:
		set("Www-Authenticate", g.challenge(r))
	case http.StatusForbidden:
		if d.Reason != "ADDRESS_NOT_ALLOWED" { // RFC 6750: more scope would not help there.
			value := `Bearer error="insufficient_scope"`
			if isPermission(d.MissingPermission) {
				value += `, scope="` + d.MissingPermission + `"`
			}
			set("Www-Authenticate", value)
		}
	case http.StatusTooManyRequests:
		set("Retry-After", strconv.Itoa(d.RetryAfter))
	}
}

// An answer is Latchkey's, as JSON. encoding/json finds its names in any capitals, and ignores members of a later release.
type answer struct {
	Code, Message string // of an error
	RequestID     string
	Grant         *struct {
		Principal
		Attributes []struct{ Name, Value *string } // hides Principal.Attributes
	}
	Denial *struct {
		Reason         any // its name, or the number of one of a later release
		HTTPStatus     int
		RetryAfter     seconds
		KeyID, OwnerID string
	}
	RateLimit *struct {
		Limit, Remaining   uint32
		ResetAfter, Window seconds
	}
	Lease  *lease
	window int // of the service's rate limit, in seconds; an account may have its own
}

// parseAnswer is as strict as the other guards: text in UTF-8, and no member twice.
func parseAnswer(text []byte) (read answer, err error) {
	if err = json.Unmarshal(text, &read); err != nil {
		return read, err
	}
	if !utf8.Valid(text) || hasTwins(text) {
		return read, unreadable("not UTF-8, or a member twice")
	}
	return read, nil
}

// hasTwins reports whether an object of a JSON text has two members of one name, of which json.Unmarshal takes the last.
// Capitals make no other name, as for json.Unmarshal. json.Decoder.Token would take four times as long.
func hasTwins(text []byte) bool {
	var around []map[string]bool // the names so far of each object that this place is in
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '{':
			around = append(around, map[string]bool{})
		case '}':
			around = around[:len(around)-1]
		case '"':
			begin := at
			for at++; text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
			behind := bytes.TrimLeft(text[at+1:], " \t\r\n")
			if !bytes.HasPrefix(behind, []byte{':'}) {
				continue // It is no name.
			}
			name := string(text[begin+1 : at])
			if strings.Contains(name, `\`) {
				_ = json.Unmarshal(text[begin:at+1], &name) // It is a string.
			}
			name, names := strings.ToLower(strings.ToUpper(name)), around[len(around)-1]
			if names[name] {
				return true
			}
			names[name] = true
		}
	}
	return false
}

// seconds are whole ones, rounded up, of a duration such as "1.5s".
type seconds int

func (s *seconds) UnmarshalText(text []byte) error {
	duration, err := time.ParseDuration(string(text))
	*s = seconds(math.Ceil(max(0, duration.Seconds())))
	return err
}

var accessLevels = map[string]string{
	"ACCESS_LEVEL_READ_ONLY": "read-only", "ACCESS_LEVEL_READ_AND_WRITE": "read-and-write",
}

// decision fails if an answer is incomplete. A complete grant is accepted as it is.
func (a *answer) decision(question Question) (d Decision, err error) {
	switch {
	case a.RequestID != question.RequestID:
		err = unreadable("the answer to another request")
	case (a.Grant == nil) == (a.Denial == nil):
		err = unreadable("not one outcome")
	case a.Grant != nil:
		d.Status = http.StatusOK
		d.Principal, err = a.principal()
	default:
		d, err = a.denial(question.Permission)
	}
	if rate := a.RateLimit; rate != nil {
		window := cmp.Or(int(rate.Window), a.window)
		d.RateLimit = &RateLimit{
			Limit: int(rate.Limit), Remaining: int(rate.Remaining), ResetSeconds: int(rate.ResetAfter), WindowSeconds: window,
		}
		d.policy = `"key";q=` + strconv.Itoa(d.RateLimit.Limit)
		if window > 0 {
			d.policy += ";w=" + strconv.Itoa(window)
		}
	}
	if d.Principal != nil {
		d.expires = d.Principal.ExpiresAt.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return d, err
}

func (a *answer) principal() (*Principal, error) {
	principal := a.Grant.Principal
	principal.Access, principal.Attributes = accessLevels[principal.Access], map[string]string{}
	for _, each := range a.Grant.Attributes {
		if each.Name == nil || each.Value == nil {
			return nil, unreadable("an attribute without name or value")
		}
		principal.Attributes[*each.Name] = *each.Value
	}
	if principal.KeyID == "" || principal.OwnerID == "" || principal.Access == "" || principal.ExpiresAt.IsZero() {
		return nil, unreadable("an incomplete grant")
	}
	return &principal, nil
}

func (a *answer) denial(permission string) (Decision, error) {
	denial := a.Denial
	d := Decision{Status: denial.HTTPStatus, KeyID: denial.KeyID, OwnerID: denial.OwnerID}
	switch reason := denial.Reason.(type) {
	case string:
		d.Reason = strings.TrimPrefix(reason, "REASON_")
	case float64:
		if reason != 0 {
			d.Reason = "UNKNOWN"
		}
	}
	if d.Reason == "" || d.Reason == "UNSPECIFIED" || !isDenial(d.Status) {
		return d, unreadable("a denial without a reason, or with another status")
	}
	if d.Status == http.StatusTooManyRequests {
		d.RetryAfter = max(1, int(denial.RetryAfter))
	}
	if d.Reason == "MISSING_PERMISSION" || d.Reason == "READ_ONLY_KEY" && !strings.HasSuffix(permission, ":read") {
		d.MissingPermission = permission
	}
	return d, nil
}
