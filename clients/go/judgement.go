package latchkey

import (
	"net/netip"
	"path"
	"regexp"
	"slices"
	"strings"
)

// The grammar of a permission: no part of its resource is only dots, and a parameter of a template is a whole part.
const (
	firstPart = `[A-Za-z0-9][\w.-]*`
	nextPart  = `\.*[\w-][\w.-]*`
	parameter = `\{[\w.-]+\}`
	action    = `:[a-z][a-z0-9._-]{0,27}$`
)

var (
	permissionForm = regexp.MustCompile(`^` + firstPart + `(/` + nextPart + `)*` + action)
	templateForm   = regexp.MustCompile(`^(` + firstPart + `|` + parameter + `)(/(` + nextPart + `|` + parameter + `))*` + action)
	parameterForm  = regexp.MustCompile(parameter)
)

func isPermission(text string) bool {
	return permissionForm.MatchString(text) && strings.Index(text, ":") <= 100
}

// covering is the longest of these permissions that covers this one: systems:read covers systems/42:read.
func covering(permission string, among []string) string {
	if slices.Contains(among, permission) {
		return permission // Even outside of the grammar.
	}
	resource, action, _ := strings.Cut(permission, ":")
	for wider := path.Dir(resource); wider != "." && isPermission(permission); wider = path.Dir(wider) {
		if each := wider + ":" + action; slices.Contains(among, each) {
			return each
		}
	}
	return ""
}

// allows is Latchkey's own rule. It returns the permission of the key that covers the question's.
func (l *lease) allows(question *Question) (permission string, isAllowed bool) {
	principal, operation := l.grant.Principal, question.Operation
	hasAddress := func(text string) bool {
		network, err := netip.ParsePrefix(text)
		return err == nil && network.Contains(addressIn(question.ClientIP))
	}
	hasAction := func(each string) bool { return strings.HasSuffix(each, ":"+strings.ToLower(string(operation))) }
	switch {
	case operation != Read && (operation != Write || principal.Access != "read-and-write"):
		return "", false
	case len(l.AllowedNetworks) > 0 && !slices.ContainsFunc(l.AllowedNetworks, hasAddress):
		return "", false
	case question.Permission != "":
		permission = covering(question.Permission, principal.Permissions)
		return permission, permission != ""
	}
	return "", !l.HasOwnPermissions || slices.ContainsFunc(principal.Permissions, hasAction)
}
