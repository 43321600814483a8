package latchkey

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"net/http"
	"sync"
	"time"
)

const (
	longestLeaseMs = 2000
	mostKeys       = 100_000
	mostCounts     = 1000 // from here on, uses are counted without their addresses
)

// A moment is a time by two clocks. On Linux the monotonic one stands still while a machine sleeps.
type moment struct{ wall, monotonic time.Duration }

var started = time.Now()

func readClocks() moment {
	now := time.Now()
	return moment{wall: time.Duration(now.UnixNano()), monotonic: now.Sub(started)}
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

// isRecent reports whether the lease is usable, or ended less than its own length ago.
func (l *lease) isRecent(now moment) bool { return now.monotonic < l.end.monotonic+l.length() }

// A leasedKey is the last lease of a credential, and the call under way that may bring the next one.
type leasedKey struct {
	lease
	call       chan struct{} // is closed at its end
	quietUntil time.Duration // by the monotonic clock, after a call that brought none
	lastCount  *count        // the next use is probably like the last one
}

// A count is how often and when leases were used in one way, to be reported.
type count struct {
	used  Question // without the members that no report has
	times int
	last  time.Duration
}

// leases are the leases of a guard. docs/leases.md of Latchkey says why none grants against a change that was answered.
// Texts of credentials are kept only while they have counts.
type leases struct {
	lock   sync.Mutex
	spent  int
	keys   map[[sha256.Size]byte]*leasedKey
	hot    map[Credential]*leasedKey // those that have counts: found without the digest, which takes longer
	counts map[Question]*count
}

// fromLease grants from a lease. A request that it does not grant, and that mayWait, may get a call of its own, whose
// decision comes on a channel, or the end of another request's call, after which it tries once more.
func (g *Guard) fromLease(question *Question, mayWait bool) (d Decision, own <-chan Decision, other <-chan struct{}) {
	if !g.hasLeases || question.Credential == (Credential{}) {
		return d, nil, nil
	}
	l := &g.leases
	l.lock.Lock()
	defer l.lock.Unlock()
	if g.isClosed.Load() {
		return d, nil, nil
	}
	key, now := l.keyOf(question.Credential, true), g.now()
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

// keyOf finds a key by a digest of the credential's form and exact text, by which Latchkey reads it. A hot key is found
// without one, because that takes longer than the rest of a grant.
func (l *leases) keyOf(credential Credential, mayAdd bool) *leasedKey {
	key := l.hot[credential]
	if key == nil {
		digest := sha256.Sum256([]byte(credential.APIKey + "\x00" + credential.Authorization))
		if key = l.keys[digest]; key == nil && mayAdd && len(l.keys) < mostKeys {
			key = &leasedKey{}
			l.keys[digest] = key
		}
	}
	return key
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
	used := Question{Credential: question.Credential, Operation: question.Operation, ClientIP: question.ClientIP}
	used.Permission = permission
	if isDue && key.call == nil && now.monotonic >= key.quietUntil {
		g.callForLease(key, question, used, now)
	} else {
		g.leases.count(key, used, now.monotonic)
	}
	decision := key.grant
	if rate := decision.RateLimit; rate != nil {
		left := *rate
		left.Remaining = max(0, rate.Remaining-key.used)
		decision.RateLimit = &left
	}
	return decision
}

// ended takes what a call brought, and lets those go on that wait for it. The use of a lease that it was renewing for is its
// own if it grants, and is counted otherwise.
func (l *leases) ended(key *leasedKey, renewing Question, begun, now moment, decision Decision, given *lease) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if decision.Status == http.StatusOK && given != nil && given.Uses > 0 && given.LengthMs <= longestLeaseMs {
		usable := given.length() * 9 / 10
		given.grant = decision.clone()
		given.end = moment{wall: begun.wall + usable, monotonic: begun.monotonic + usable}
		key.lease = *given
	} else {
		key.quietUntil = now.monotonic + time.Second // so long nobody waits for a call
	}
	if renewing != (Question{}) && decision.Status != http.StatusOK {
		l.count(key, renewing, begun.monotonic)
	}
	close(key.call)
	key.call = nil
}

// drop ends the lease of a credential that Latchkey denied.
func (l *leases) drop(credential Credential) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if key := l.keyOf(credential, false); key != nil {
		key.lease = lease{}
	}
}

// count counts one use. A further address is left out once there are too many.
func (l *leases) count(key *leasedKey, used Question, at time.Duration) {
	if key.lastCount == nil || key.lastCount.used != used {
		if len(l.counts) >= mostCounts && l.counts[used] == nil {
			used.ClientIP = ""
		}
		key.lastCount = cmp.Or(l.counts[used], &count{used: used})
		l.counts[used], l.hot[used.Credential] = key.lastCount, key
	}
	key.lastCount.times++
	key.lastCount.last = at
}

// takeUses takes out what leases were used for, as KeyUses in JSON, and frees memory.
func (l *leases) takeUses(now moment) (uses []any) {
	l.lock.Lock()
	defer l.lock.Unlock()
	maps.DeleteFunc(l.keys, func(_ [sha256.Size]byte, key *leasedKey) bool {
		key.lastCount = nil
		return !key.isRecent(now) && key.call == nil && now.monotonic >= key.quietUntil
	})
	for used, counted := range l.counts {
		entry := used.message()
		entry["count"] = counted.times
		entry["lastMsAgo"] = max(0, (now.monotonic - counted.last).Milliseconds())
		uses = append(uses, entry)
	}
	clear(l.counts)
	clear(l.hot)
	return uses
}
