package latchkey

import (
	"crypto/sha256"
	"maps"
	"sync"
	"time"
)

// docs/leases.md of Latchkey says why no lease grants against a change that was answered.
const (
	longestLeaseMs = 2000
	quiet          = time.Second // so long nobody waits for a call, after one that brought no lease
	mostKeys       = 100_000
	mostCounts     = 1000 // addresses are counted one by one up to here
)

// A moment is a time by two clocks. On Linux the monotonic one stands still while a machine sleeps.
type moment struct{ wall, monotonic time.Duration }

var started = time.Now()

func now() moment {
	now := time.Now()
	return moment{time.Duration(now.UnixNano()), now.Sub(started)}
}

// until is the time that is left by the clock that shows less.
func (m moment) until(end moment) time.Duration {
	return min(end.wall-m.wall, end.monotonic-m.monotonic)
}

// A lease is what Latchkey gave, and how far it is used. The zero value grants nothing.
type lease struct {
	LengthMs          uint32
	Uses              int
	HasOwnPermissions bool
	AllowedNetworks   []string

	grant Decision
	used  int
	end   moment // after 90 % of its length since before its call, because clocks differ; the last use ends it, too
}

func (l *lease) length() time.Duration { return time.Duration(l.LengthMs) * time.Millisecond }

// isRecent: it is usable, or ended less than its own length ago.
func (l *lease) isRecent(now moment) bool { return now.monotonic < l.end.monotonic+l.length() }

// A leasedKey is the last lease of a credential, and the call under way that may bring the next one.
type leasedKey struct {
	lease
	call       chan struct{} // is closed at its end
	quietUntil time.Duration // by the monotonic clock, after a call that brought none
}

type count struct {
	times int
	last  time.Duration
}

type leases struct {
	lock   sync.Mutex
	spent  int
	keys   map[[sha256.Size]byte]*leasedKey
	counts map[Question]count // without the members that no report has
}

// digestOf is of the credential's form and exact text, by which Latchkey reads it.
func digestOf(c Credential) [sha256.Size]byte {
	text := make([]byte, 0, 256) // On the stack, unless the credential is longer.
	return sha256.Sum256(append(append(append(text, c.APIKey...), 0), c.Authorization...))
}

// fromLease grants from a lease. A request that it does not grant, and that mayWait, may get a call of its own, whose
// decision comes on a channel, or the end of another request's call, after which it tries once more.
func (g *Guard) fromLease(question *Question, mayWait bool) (d Decision, own <-chan Decision, other <-chan struct{}) {
	if !g.hasLeases || question.Credential == (Credential{}) || g.closing.Err() != nil {
		return d, nil, nil
	}
	digest := digestOf(question.Credential)
	l := &g.leases
	l.lock.Lock()
	defer l.lock.Unlock()
	key, now := l.keys[digest], g.now()
	if key == nil && len(l.keys) < mostKeys {
		key = &leasedKey{}
		l.keys[digest] = key
	}
	switch {
	case key == nil:
	case now.until(key.end) > 0:
		if permission, isAllowed := key.allows(question); isAllowed {
			return g.spend(key, question, permission, now), nil, nil
		}
	case !mayWait, question.Operation != Read && question.Operation != Write:
	case key.call != nil:
		return d, nil, key.call
	case now.monotonic >= key.quietUntil:
		return d, g.callForLease(key, question, Question{}, now), nil
	}
	return d, nil, nil
}

// spend takes a use of a lease, and renews the lease if that is due.
func (g *Guard) spend(key *leasedKey, question *Question, permission string, now moment) Decision {
	g.leases.spent++
	key.used++
	// At 80 % of the uses, or of the usable time.
	isDue := key.used*10 >= key.Uses*8 || now.until(key.end) <= key.length()*18/100
	if key.used >= key.Uses {
		key.end = now
	}
	used := Question{
		Credential: question.Credential, Operation: question.Operation, Permission: permission, ClientIP: question.ClientIP,
	}
	if isDue && key.call == nil && now.monotonic >= key.quietUntil {
		g.callForLease(key, question, used, now)
	} else {
		g.leases.count(used, now.monotonic)
	}
	decision := key.grant
	if decision.RateLimit != nil {
		rate := *decision.RateLimit
		rate.Remaining = max(0, rate.Remaining-key.used)
		decision.RateLimit = &rate
	}
	return decision
}

// ended takes what a call brought, and lets those go on that wait for it. The use of a lease that it was renewing for is its
// own if it grants, and is counted otherwise.
func (l *leases) ended(key *leasedKey, renewing Question, begun, now moment, decision Decision, given *lease) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if decision.Status == 200 && given != nil && given.Uses > 0 && given.LengthMs <= longestLeaseMs {
		usable := given.length() * 9 / 10
		given.grant, given.end = decision.clone(), moment{begun.wall + usable, begun.monotonic + usable}
		key.lease = *given
	} else {
		key.quietUntil = now.monotonic + quiet
	}
	if renewing != (Question{}) && decision.Status != 200 {
		l.count(renewing, begun.monotonic)
	}
	close(key.call)
	key.call = nil
}

// drop: Latchkey denied the credential itself.
func (l *leases) drop(credential Credential) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if key := l.keys[digestOf(credential)]; key != nil {
		key.lease = lease{}
	}
}

func (l *leases) count(used Question, at time.Duration) {
	known, isKnown := l.counts[used]
	if !isKnown && len(l.counts) >= mostCounts {
		used.ClientIP = ""
		known = l.counts[used]
	}
	l.counts[used] = count{known.times + 1, at}
}

// takeUses takes out what leases were used for, as KeyUses in JSON, and frees memory.
func (l *leases) takeUses(now moment) []any {
	l.lock.Lock()
	defer l.lock.Unlock()
	maps.DeleteFunc(l.keys, func(_ [sha256.Size]byte, key *leasedKey) bool {
		return !key.isRecent(now) && key.call == nil && now.monotonic >= key.quietUntil
	})
	uses := []any{}
	for used, count := range l.counts {
		entry := used.message()
		entry["count"], entry["lastMsAgo"] = count.times, max(0, (now.monotonic-count.last).Milliseconds())
		uses = append(uses, entry)
	}
	clear(l.counts)
	return uses
}
