package latchkey

import (
	"cmp"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
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

var operations = []Operation{Read, Write, Destroy, ManageAPIKeys, ManageAccount, Impersonate}

var byMethod = map[string]Operation{
	"GET": Read, "HEAD": Read, "OPTIONS": Read, "POST": Write, "PUT": Write, "PATCH": Write,
}

// A Form is a place where a request may carry its key.
type Form string

const (
	Bearer  Form = "bearer"    // Authorization: Bearer <key>
	XAPIKey Form = "x-api-key" // X-API-Key: <key>
	Basic   Form = "basic"     // Authorization: Basic, the key as password of any user name
)

var forms = []Form{Bearer, XAPIKey, Basic}

// A Credential is what a request presents: an API key by itself, or one Authorization header as it came. An empty
// Authorization is an invalid key.
type Credential struct{ APIKey, Authorization string }

func (c Credential) text() string { return c.APIKey + c.Authorization }

// A Question is one request of a client, as Latchkey judges it.
type Question struct {
	Credential Credential
	Operation  Operation
	Permission string // resource:action; empty: any good key is enough
	Template   string // the permission as the route names it, such as systems/{id}:read
	ClientIP   string // empty if it is not certain
	UserAgent  string
	RequestID  string
	challenge  string // for an answer of 401
}

const longestCredential = 4096

var (
	bearerScheme   = regexp.MustCompile(`(?i)(?:^|, *)bearer(?: |$)`)
	basicScheme    = regexp.MustCompile(`(?i)^basic(?: |$)`)
	browserHeaders = []string{"Origin", "Sec-Fetch-Site", "Upgrade-Insecure-Requests"}
	forwarding     = []string{"X-Forwarded-For", "Forwarded", "X-Real-Ip"}
)

// credentialOf finds the only credential of a request, and the challenge of a 401. Each header that an enabled form uses
// counts as a credential, whatever its scheme.
func (g *Guard) credentialOf(r *http.Request) (Credential, string) {
	authorization, keys := g.credentialHeaders(r)
	isBearer, isBasic := g.has(Bearer), g.has(Basic)
	var found Credential
	if len(authorization)+len(keys) == 1 {
		switch {
		case len(keys) == 1:
			if !strings.Contains(keys[0], ",") { // A comma joins two headers of the same name.
				found.APIKey = latin1(keys[0])
			}
		case isBasic && basicScheme.MatchString(authorization[0]):
			if !isFromOtherSite(r) {
				found.APIKey = passwordIn(authorization[0])
			}
		case isBearer:
			found.Authorization = latin1(authorization[0])
		}
	}
	found.APIKey, found.Authorization = cut(found.APIKey, longestCredential), cut(found.Authorization, longestCredential)
	if !isBasic || len(keys) > 0 || isBearer && slices.ContainsFunc(authorization, bearerScheme.MatchString) {
		return found, "Bearer"
	}
	// Browsers would ask a person for a password, and remember it.
	if !slices.ContainsFunc(browserHeaders, func(name string) bool { return len(r.Header[name]) > 0 }) {
		return found, `Basic realm="api"`
	}
	return found, "Bearer"
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

// IsAPIKey reports whether a request carries what looks like an API key. Imported keys have no marker.
func (g *Guard) IsAPIKey(r *http.Request) bool {
	authorization, keys := g.credentialHeaders(r)
	texts := slices.Concat(keys, authorization)
	if g.has(Basic) {
		for _, value := range authorization {
			texts = append(texts, passwordIn(value))
		}
	}
	return slices.ContainsFunc(texts, g.marker.MatchString)
}

// passwordIn is whatever follows the first colon (RFC 7617), if this is the canonical base64 (RFC 4648, section 4).
func passwordIn(header string) string {
	if !basicScheme.MatchString(header) || len(header) < len("basic ") {
		return ""
	}
	encoded := header[len("basic "):]
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || base64.StdEncoding.EncodeToString(decoded) != encoded {
		return ""
	}
	_, password, _ := strings.Cut(latin1(string(decoded)), ":")
	return password
}

// isFromOtherSite: browsers add a remembered password to requests that pages of other sites make.
func isFromOtherSite(r *http.Request) bool {
	isForeign := func(site string) bool { return site != "none" && site != "same-origin" }
	isElsewhere := func(origin string) bool {
		own, err := url.Parse(origin)
		return err != nil || (own.Scheme != "http" && own.Scheme != "https") || own.Host == "" || own.User != nil ||
			hostPort(own.Scheme, own.Host) != hostPort(own.Scheme, r.Host)
	}
	return slices.ContainsFunc(r.Header["Sec-Fetch-Site"], isForeign) || slices.ContainsFunc(r.Header["Origin"], isElsewhere)
}

func hostPort(scheme, host string) string {
	port := map[string]string{"http": ":80", "https": ":443"}[scheme]
	return strings.ToLower(strings.TrimSuffix(host, port))
}

// latin1 reads each byte as one character.
func latin1(value string) string {
	if strings.IndexFunc(value, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return value
	}
	runes := make([]rune, len(value))
	for index := range len(value) {
		runes[index] = rune(value[index])
	}
	return string(runes)
}

const (
	lowerCase  = "abcdefghijklmnopqrstuvwxyz"
	characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + lowerCase + "0123456789._-"
)

// isName: it has a character, and none but those that a permission may have.
func isName(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune(characters, r) })
}

func isPermission(text string) bool {
	resource, action, _ := strings.Cut(text, ":")
	for part := range strings.SplitSeq(resource, "/") {
		if !isName(part) || strings.Trim(part, ".") == "" {
			return false
		}
	}
	return len(resource) <= 100 && !strings.Contains("._-", resource[:1]) && isName(action) && len(action) <= 28 &&
		strings.Contains(lowerCase, action[:1]) && action == strings.ToLower(action)
}

// checkTemplate: every parameter is a whole part of the resource.
func checkTemplate(template string) error {
	if isPermission(replaceParameters(template, func(string) string { return "x" })) {
		return nil
	}
	return fmt.Errorf("permission: %q is not of the form resource:action or resource/{id}:action", template)
}

// fillIn puts the values of the route into a template. It fails if a value is missing or can't be exactly one part of a
// permission, so that no key may do this.
func fillIn(template string, value func(name string) string) (string, bool) {
	if !strings.Contains(template, "{") {
		return template, true
	}
	filled := replaceParameters(template, value)
	return filled, strings.Count(filled, "/") == strings.Count(template, "/") && isPermission(filled)
}

func replaceParameters(template string, value func(name string) string) string {
	resource, action, _ := strings.Cut(template, ":")
	parts := strings.Split(resource, "/")
	for at, part := range parts {
		name, isOpened := strings.CutPrefix(part, "{")
		if name, isClosed := strings.CutSuffix(name, "}"); isOpened && isClosed && isName(name) {
			parts[at] = value(name)
		}
	}
	return strings.Join(parts, "/") + ":" + action
}

// pathValue is what the handler gets from r.PathValue, if the path has the same text as a segment before decoding.
func pathValue(r *http.Request, name string) string {
	value := r.PathValue(name)
	if slices.Contains(strings.Split(r.URL.EscapedPath(), "/"), value) {
		return value
	}
	return ""
}

// covering is the longest of these permissions that covers this one: systems:read covers systems/42:read.
func covering(permission string, among []string) string {
	if slices.Contains(among, permission) {
		return permission
	}
	resource, action, _ := strings.Cut(permission, ":")
	slash := strings.LastIndex(resource, "/")
	if slash < 0 || !isPermission(permission) {
		return ""
	}
	for ; slash >= 0; slash = strings.LastIndex(resource, "/") {
		resource = resource[:slash]
		if each := resource + ":" + action; slices.Contains(among, each) {
			return each
		}
	}
	return ""
}

func (g *Guard) questionOf(r *http.Request, route *route) Question {
	does := cmp.Or(route.operation, g.operations[r.Method], Destroy)
	template := route.permission
	if route.writes != "" && does != Read {
		template = route.writes
	}
	filled, isWhole := fillIn(template, func(name string) string { return g.pathValue(r, name) })
	if !isWhole {
		// Like an unknown method: a client without a good key still gets 401.
		does, filled = Destroy, ""
	}
	credential, challenge := g.credentialOf(r)
	return Question{
		Credential: credential, Operation: does, Permission: filled, Template: template, ClientIP: g.addressOf(r),
		UserAgent: tidy(r.Header.Get("User-Agent"), 256), RequestID: requestID(r.Header.Get("X-Request-Id")),
		challenge: challenge,
	}
}

// requestID ends in what no client can know.
func requestID(given string) string {
	var random [8]byte
	_, _ = rand.Read(random[:]) // Never fails, by its documentation.
	return strings.TrimLeft(tidy(given, 100)+"-"+hex.EncodeToString(random[:]), "-")
}

func tidy(text string, longest int) string {
	printable := func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}
	return cut(strings.Map(printable, latin1(text)), longest)
}

// cut keeps so many characters.
func cut(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	runes := []rune(text)
	return string(runes[:min(longest, len(runes))])
}

// addressOf is the client's address, if it is certain. With a forwarding header the peer is a proxy, or the client lies.
func (g *Guard) addressOf(r *http.Request) string {
	if g.clientAddress != nil {
		return plainAddress(g.clientAddress(r))
	}
	if slices.ContainsFunc(forwarding, func(name string) bool { return len(r.Header[name]) > 0 }) {
		return ""
	}
	return plainAddress(r.RemoteAddr)
}

// plainAddress is without port, brackets and zone; empty for anything but one address.
func plainAddress(text string) string {
	address := parseAddress(text)
	if !address.IsValid() {
		return ""
	}
	return address.String()
}

func parseAddress(text string) netip.Addr {
	if withPort, err := netip.ParseAddrPort(text); err == nil {
		return withPort.Addr().Unmap().WithZone("")
	}
	if bare, isBracketed := strings.CutPrefix(text, "["); isBracketed && strings.HasSuffix(bare, "]") {
		text = strings.TrimSuffix(bare, "]")
	}
	address, _ := netip.ParseAddr(text) // What is no address is not valid.
	return address.Unmap().WithZone("")
}
