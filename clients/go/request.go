package latchkey

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Operation is what a request does. No key may ever do the last four.
type Operation string

const (
	Read          Operation = "READ"
	Write         Operation = "WRITE"
	Destroy       Operation = "DESTROY"
	ManageAPIKeys Operation = "MANAGE_API_KEYS"
	ManageAccount Operation = "MANAGE_ACCOUNT"
	Impersonate   Operation = "IMPERSONATE"
)

// A Form is a place where a request may carry its key.
type Form string

const (
	Bearer  Form = "bearer"    // Authorization: Bearer <key>
	XAPIKey Form = "x-api-key" // X-API-Key: <key>
	Basic   Form = "basic"     // Authorization: Basic, the key as password of any user name
)

// A Credential is what a request presents: an API key by itself, or one Authorization header as it came. An empty
// Authorization is an invalid key.
type Credential struct{ APIKey, Authorization string }

// A Question is one request of a client, as Latchkey judges it.
type Question struct {
	Credential Credential
	Operation  Operation
	Permission string // resource:action; empty: any good key is enough
	Template   string // the permission as the route names it, such as systems/{id}:read
	ClientIP   string // empty if it is not certain
	UserAgent  string
	RequestID  string

	request *http.Request // has both of them, until they are needed
}

// identify reads what only a call and a hook need, because it takes longer than a grant from a lease.
func (q *Question) identify() {
	if q.RequestID != "" {
		return
	}
	given := ""
	if q.request != nil {
		given, q.UserAgent = q.request.Header.Get("X-Request-Id"), tidy(q.request.Header.Get("User-Agent"), 256)
	}
	q.RequestID = requestID(given)
}

// message is what both methods of Latchkey take, as JSON.
func (q *Question) message() map[string]any {
	message := map[string]any{"operation": "OPERATION_" + q.Operation, "permission": q.Permission, "clientIp": q.ClientIP}
	if q.Credential.APIKey != "" {
		message["apiKey"] = q.Credential.APIKey
	} else {
		message["authorization"] = q.Credential.Authorization
	}
	return message
}

func (g *Guard) questionOf(r *http.Request, required *route) Question {
	does := cmp.Or(required.operation, g.operations[r.Method], Destroy)
	template := required.writes
	if does == Read {
		template = required.permission
	}
	template = strings.TrimPrefix(template, AnyKey) // A question for any key has no permission.
	permission, isWhole := g.fillIn(template, r)
	if !isWhole {
		// Like an unknown method: a client without a good key still gets 401.
		does, permission = Destroy, ""
	}
	return Question{
		Credential: g.credentialOf(r), Operation: does, Permission: permission, Template: template, ClientIP: g.addressOf(r),
		request: r,
	}
}

// requestID ends in what no client can know.
func requestID(given string) string { return strings.TrimLeft(tidy(given, 100)+"-"+rand.Text(), "-") }

// tidy removes control characters.
func tidy(text string, longest int) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, latin1(text, longest))
}

// latin1 reads each byte as one character, and keeps so many.
func latin1(text string, longest int) string {
	text = text[:min(len(text), longest)]
	if utf8.ValidString(text) && utf8.RuneCountInString(text) == len(text) {
		return text // It is ASCII.
	}
	characters := make([]rune, len(text))
	for at := range len(text) {
		characters[at] = rune(text[at])
	}
	return string(characters)
}

// credentialOf finds the only credential of a request. Each header that an enabled form uses counts as a credential,
// whatever its scheme.
func (g *Guard) credentialOf(r *http.Request) Credential {
	const longest = 4096
	authorization, keys := g.credentialHeaders(r)
	switch {
	case len(authorization)+len(keys) != 1, len(keys) == 1 && strings.Contains(keys[0], ","):
		return Credential{} // A comma joins two headers of the same name.
	case len(keys) == 1:
		return Credential{APIKey: latin1(keys[0], longest)}
	}
	if password, isBasic := passwordIn(authorization[0]); isBasic && g.has(Basic) {
		if isFromOtherSite(r) {
			return Credential{}
		}
		return Credential{APIKey: latin1(password, longest)}
	}
	if g.has(Bearer) {
		return Credential{Authorization: latin1(authorization[0], longest)}
	}
	return Credential{}
}

func (g *Guard) credentialHeaders(r *http.Request) (authorization, keys []string) {
	if g.has(Bearer) || g.has(Basic) {
		authorization = r.Header["Authorization"]
	}
	if g.has(XAPIKey) {
		keys = r.Header["X-Api-Key"]
	}
	return authorization, keys
}

func (g *Guard) has(form Form) bool { return slices.Contains(g.forms, form) }

var bearerScheme = regexp.MustCompile(`(?i)(?:^|, *)bearer(?: |$)`)

// challenge is Basic only where a person's browser does not ask for a password because of it.
func (g *Guard) challenge(r *http.Request) string {
	authorization, keys := g.credentialHeaders(r)
	isFromBrowser := hasAny(r, "Origin", "Sec-Fetch-Site", "Upgrade-Insecure-Requests")
	hasBearer := g.has(Bearer) && slices.ContainsFunc(authorization, bearerScheme.MatchString)
	if g.has(Basic) && len(keys) == 0 && !hasBearer && !isFromBrowser {
		return `Basic realm="api"`
	}
	return "Bearer"
}

func hasAny(r *http.Request, headers ...string) bool {
	return slices.ContainsFunc(headers, func(name string) bool { return len(r.Header[name]) > 0 })
}

// IsAPIKey reports whether a request carries what looks like an API key. Imported keys have no marker.
func (g *Guard) IsAPIKey(r *http.Request) bool {
	authorization, keys := g.credentialHeaders(r)
	texts := slices.Concat(keys, authorization)
	if g.has(Basic) {
		for _, value := range authorization {
			password, _ := passwordIn(value)
			texts = append(texts, password)
		}
	}
	return slices.ContainsFunc(texts, g.marker.MatchString)
}

// passwordIn is whatever follows the first colon (RFC 7617), if this is the canonical base64 (RFC 4648, section 4).
func passwordIn(authorization string) (password string, isBasic bool) {
	scheme, encoded, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Basic") {
		return "", false
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return "", true
	}
	_, password, _ = strings.Cut(string(decoded), ":")
	return password, true
}

// isFromOtherSite reports whether a page of another site made a request, to which browsers add a remembered password.
func isFromOtherSite(r *http.Request) bool {
	host := strings.ToLower(r.Host)
	own := []string{"http://" + strings.TrimSuffix(host, ":80"), "https://" + strings.TrimSuffix(host, ":443")}
	isElsewhere := func(origin string) bool { return !slices.Contains(own, origin) }
	isForeign := func(site string) bool { return site != "none" && site != "same-origin" }
	return slices.ContainsFunc(r.Header["Sec-Fetch-Site"], isForeign) || slices.ContainsFunc(r.Header["Origin"], isElsewhere)
}

// fillIn puts the values of the route into a template. It fails if a value is missing or can't be exactly one part of a
// permission, so that no key may do this. A value must be a segment of the path before decoding.
func (g *Guard) fillIn(template string, r *http.Request) (permission string, isWhole bool) {
	if !strings.Contains(template, "{") {
		return template, true
	}
	segments := strings.Split(r.URL.EscapedPath(), "/")
	permission = parameterForm.ReplaceAllStringFunc(template, func(name string) string {
		if value := g.pathValue(r, strings.Trim(name, "{}")); slices.Contains(segments, value) {
			return value
		}
		return ""
	})
	return permission, isPermission(permission)
}

// addressOf is the client's address, if it is certain. With a forwarding header the peer is a proxy, or the client lies.
func (g *Guard) addressOf(r *http.Request) string {
	text := r.RemoteAddr
	if g.clientAddress != nil {
		text = g.clientAddress(r)
	} else if hasAny(r, "X-Forwarded-For", "Forwarded", "X-Real-Ip") {
		return ""
	}
	if address := addressIn(text); address.IsValid() {
		return address.String()
	}
	return ""
}

// addressIn is without port, brackets and zone. What is no address is not valid.
func addressIn(text string) netip.Addr {
	if strings.HasSuffix(text, "]") {
		text += ":0"
	}
	withPort, err := netip.ParseAddrPort(text)
	address := withPort.Addr()
	if err != nil {
		address, _ = netip.ParseAddr(text)
	}
	return address.Unmap().WithZone("")
}
