package latchkey

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

// docs/leases.md of Latchkey says why no lease grants against a change that was answered.
const (
	longestLease = 2 * time.Second
	quiet        = time.Second // so long nobody waits for a call, after one that brought no lease
	mostKeys     = 100_000
	mostCounts   = 1000 // addresses are counted one by one up to here
)

// clocks count from any moment. On Linux the monotonic one stands still while a machine sleeps.
type clocks struct{ wall, monotonic func() time.Duration }

var began = time.Now()

var ownClocks = clocks{
	wall:      func() time.Duration { return time.Duration(time.Now().UnixNano()) },
	monotonic: func() time.Duration { return time.Since(began) },
}

// A call has a wish for a lease. Its clocks were read before it was sent, the wall clock first.
type call struct {
	digest          digest
	wall, monotonic time.Duration
	uses            int
	renewing        *use          // counts as the call's own, if this is granted
	ended           chan struct{} // is closed at the end, after the outcome was set
	outcome         outcome
}

type heldLease struct {
	*lease
	wall, monotonic time.Duration // when its call began
	decision        Decision
	used            int
	spentAt         time.Duration
}

type leasedKey struct {
	held       *heldLease
	call       *call // under way
	quietUntil time.Duration
}

// A use is what a report counts.
type use struct {
	credential           Credential
	operation            Operation
	permission, clientIP string
}

type count struct {
	times int
	last  time.Duration
}

// Nothing of leases waits or calls; time passes only by the clocks.
type leases struct {
	clocks clocks
	lock   sync.Mutex
	spent  int
	keys   map[digest]*leasedKey
	counts map[use]count
}

// digestOf is of the credential's form and exact text, by which Latchkey reads it.
type digest = [sha256.Size]byte

func digestOf(c Credential) digest {
	if c.APIKey != "" {
		return sha256.Sum256([]byte("api_key " + c.APIKey))
	}
	return sha256.Sum256([]byte("authorization " + c.Authorization))
}

// grant grants from a lease, if it can, and returns the call that should renew the lease. The lease keeps the principal.
func (l *leases) grant(digest digest, question Question) (granted *Decision, renewal *call) {
	l.lock.Lock()
	defer l.lock.Unlock()
	key := l.keys[digest]
	if key == nil || !l.isUsable(key.held) {
		return nil, nil
	}
	held := key.held
	permission, isAllowed := held.allows(question)
	if !isAllowed {
		return nil, nil
	}
	held.used++
	l.spent++
	monotonic := l.clocks.monotonic()
	if held.used == held.uses {
		held.spentAt = monotonic
	}
	used := use{question.Credential, question.Operation, permission, question.ClientIP}
	// 80 % of the uses, or of the usable time.
	isDue := held.used*10 >= held.uses*8 || l.passed(held)*100 >= held.length*72
	if isDue && key.call == nil && monotonic >= key.quietUntil {
		renewal = l.begin(digest, key, &used)
	} else {
		l.count(used, monotonic)
	}
	decision := held.decision
	if decision.RateLimit != nil {
		rate := *decision.RateLimit
		rate.Remaining = max(0, rate.Remaining-held.used)
		decision.RateLimit = &rate
	}
	return &decision, renewal
}

// next is what a request does that no lease grants: it makes a call with a wish, waits for another's, or neither.
func (l *leases) next(digest digest, question Question) (asked *call, isOwn bool) {
	l.lock.Lock()
	defer l.lock.Unlock()
	key := l.keys[digest]
	if question.Operation != Read && question.Operation != Write || key == nil && len(l.keys) >= mostKeys {
		return nil, false
	}
	if key == nil {
		key = &leasedKey{}
		l.keys[digest] = key
	}
	switch {
	case l.isUsable(key.held): // It does not allow this request.
		return nil, false
	case key.call != nil:
		return key.call, false
	case l.clocks.monotonic() < key.quietUntil:
		return nil, false
	}
	return l.begin(digest, key, nil), true
}

func (l *leases) begin(digest digest, key *leasedKey, renewing *use) *call {
	wall, monotonic := l.clocks.wall(), l.clocks.monotonic()
	uses := 1
	if key.held != nil && key.held.isRecent(monotonic) {
		uses = 2*key.held.used + 1
	}
	key.call = &call{digest: digest, wall: wall, monotonic: monotonic, uses: uses, renewing: renewing, ended: make(chan struct{})}
	return key.call
}

func (l *leases) end(c *call, asked outcome) {
	l.lock.Lock()
	defer l.lock.Unlock()
	key := l.keys[c.digest]
	decision, given := asked.decision, asked.lease
	if c.renewing != nil && decision.Status != 200 {
		l.count(*c.renewing, c.monotonic)
	}
	if decision.Status == 200 && given != nil && given.length <= longestLease {
		// The handler has the other one, and may change it.
		decision.Principal = decision.Principal.clone()
		key.held = &heldLease{lease: given, wall: c.wall, monotonic: c.monotonic, decision: decision}
	} else {
		key.quietUntil = l.clocks.monotonic() + quiet
	}
	key.call, c.outcome = nil, asked
	close(c.ended)
}

// drop: Latchkey denied the credential itself.
func (l *leases) drop(digest digest) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if key := l.keys[digest]; key != nil {
		key.held = nil
	}
}

func (l *leases) count(used use, monotonic time.Duration) {
	counted, isKnown := l.counts[used]
	if !isKnown && len(l.counts) >= mostCounts {
		used.clientIP = ""
		counted = l.counts[used]
	}
	l.counts[used] = count{counted.times + 1, monotonic}
}

// passed is by the clock that shows more. The wall clock is read last, so that it counts a sleep between the two.
func (l *leases) passed(held *heldLease) time.Duration {
	monotonic := l.clocks.monotonic() - held.monotonic
	return max(monotonic, l.clocks.wall()-held.wall)
}

func (l *leases) isUsable(held *heldLease) bool {
	return held != nil && held.used < held.uses && l.passed(held)*10 < held.length*9
}

// isRecent: the lease ended less than its own length ago.
func (h *heldLease) isRecent(now time.Duration) bool {
	endedAt := h.monotonic + h.length*9/10
	if h.used >= h.uses {
		endedAt = min(endedAt, h.spentAt)
	}
	return now < endedAt+h.length
}

// allows is Latchkey's own rule. It returns the permission of the key that covers the question's.
func (h *heldLease) allows(question Question) (permission string, isAllowed bool) {
	principal, operation := h.decision.Principal, question.Operation
	if operation != Read && (operation != Write || principal.Access == "read-only") {
		return "", false
	}
	if len(h.allowedNetworks) > 0 && !isWithin(question.ClientIP, h.allowedNetworks) {
		return "", false
	}
	if question.Permission != "" {
		permission = covering(question.Permission, principal.Permissions)
		return permission, permission != ""
	}
	hasAction := func(each string) bool {
		_, action, _ := strings.Cut(each, ":")
		return action == strings.ToLower(string(operation))
	}
	return "", !h.hasOwnPermissions || slices.ContainsFunc(principal.Permissions, hasAction)
}

func isWithin(text string, networks []string) bool {
	address := addressIn(text)
	return slices.ContainsFunc(networks, func(network string) bool {
		prefix, err := netip.ParsePrefix(network)
		return err == nil && prefix.Contains(address)
	})
}

// tidy frees memory, and takes out what leases were used for, as reports of KeyUses in JSON.
func (l *leases) tidy() []any {
	l.lock.Lock()
	defer l.lock.Unlock()
	now := l.clocks.monotonic()
	for digest, key := range l.keys {
		if key.held != nil && !key.held.isRecent(now) {
			key.held = nil
		}
		if key.held == nil && key.call == nil && key.quietUntil <= now {
			delete(l.keys, digest)
		}
	}
	uses := []any{}
	for used, count := range l.counts {
		entry := used.credential.fields()
		entry["clientIp"], entry["operation"], entry["count"] = used.clientIP, "OPERATION_"+used.operation, count.times
		entry["lastMsAgo"] = max(0, (now - count.last).Milliseconds())
		if used.permission != "" {
			entry["permission"] = used.permission
		}
		uses = append(uses, entry)
	}
	l.counts = map[use]count{}
	return uses
}

// reportUses reports each second, and at the end.
func (g *Guard) reportUses() {
	every := time.Tick(time.Second)
	for isLast := false; !isLast; {
		select {
		case <-every:
		case <-g.closing.Done():
			isLast = true
		}
		// 50 keys of the longest form stay below the 48 KiB of a report. It is sent once.
		for portion := range slices.Chunk(g.leases.tidy(), 50) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			_, _, _ = g.post(ctx, "ReportUses", map[string]any{"uses": portion})
			cancel()
		}
	}
}
