package latchkey

import (
	"context"
	"crypto/sha256"
	"maps"
	"slices"
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

// since is the time that passed by the clock that shows more.
func (m moment) since(earlier moment) time.Duration {
	return max(m.wall-earlier.wall, m.monotonic-earlier.monotonic)
}

// A lease is what Latchkey gave, and how far it is used. The zero value grants nothing.
type lease struct {
	LengthMs          uint32
	Uses              int
	HasOwnPermissions bool
	AllowedNetworks   []string

	grant         Decision
	used          int
	begun, usedAt moment // begun: before its call was sent
}

// percent of the length.
func (l *lease) percent(n time.Duration) time.Duration {
	return time.Duration(l.LengthMs) * time.Millisecond * n / 100
}

// isUsable for 90 % of the length, because clocks differ.
func (l *lease) isUsable(now moment) bool {
	return l.used < l.Uses && now.since(l.begun) < l.percent(90)
}

// isDue for renewal at 80 % of the uses, or of the usable time.
func (l *lease) isDue(now moment) bool {
	return l.used*10 >= l.Uses*8 || now.since(l.begun) >= l.percent(72)
}

// isRecent: it is usable, or ended less than its own length ago.
func (l *lease) isRecent(now moment) bool {
	return now.since(l.begun) < l.percent(190) && (l.used < l.Uses || now.since(l.usedAt) < l.percent(100))
}

// A leasedKey is the last lease of a credential, and the call under way that may bring the next one.
type leasedKey struct {
	lease
	call    chan struct{} // is closed at its end
	emptyAt moment        // when a call brought none
}

type count struct {
	times int
	last  moment
}

type leases struct {
	lock   sync.Mutex
	spent  int
	keys   map[[sha256.Size]byte]*leasedKey
	counts map[Question]*count // without the members that no report has
}

// digestOf is of the credential's form and exact text, by which Latchkey reads it.
func digestOf(c Credential) [sha256.Size]byte {
	text := make([]byte, 0, 256) // On the stack, unless the credential is longer.
	return sha256.Sum256(append(append(append(text, c.APIKey...), 0), c.Authorization...))
}

// Leases returns how many leases are held, and how many requests were granted from leases, for metrics.
func (g *Guard) Leases() (held, spent int) {
	g.leases.lock.Lock()
	defer g.leases.lock.Unlock()
	for _, key := range g.leases.keys {
		if key.isUsable(g.now()) {
			held++
		}
	}
	return held, g.leases.spent
}

// fromLease grants from a lease. A request that it does not grant, and that mayWait, may get a call of its own, whose
// decision comes on a channel, or the end of another request's call, after which it tries once more.
func (g *Guard) fromLease(question Question, mayWait bool) (
	granted Decision, own <-chan Decision, other <-chan struct{},
) {
	if !g.hasLeases || question.Credential == (Credential{}) || g.closing.Err() != nil {
		return granted, nil, nil
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
	case key.isUsable(now):
		if permission, isAllowed := key.allows(question); isAllowed {
			return g.spend(key, question, permission, now), nil, nil
		}
	case !mayWait, question.Operation != Read && question.Operation != Write:
	case key.call != nil:
		return granted, nil, key.call
	case now.since(key.emptyAt) >= quiet:
		return granted, g.callForLease(key, question, Question{}, now), nil
	}
	return granted, nil, nil
}

// spend takes a use of a lease, and renews the lease if that is due.
func (g *Guard) spend(key *leasedKey, question Question, permission string, now moment) Decision {
	g.leases.spent++
	key.used, key.usedAt = key.used+1, now
	used := Question{
		Credential: question.Credential, Operation: question.Operation, Permission: permission, ClientIP: question.ClientIP,
	}
	if key.isDue(now) && key.call == nil && now.since(key.emptyAt) >= quiet {
		g.callForLease(key, question, used, now)
	} else {
		g.leases.count(used, now)
	}
	decision := key.grant.clone()
	if rate := decision.RateLimit; rate != nil {
		rate.Remaining = max(0, rate.Remaining-key.used)
	}
	return decision
}

// callForLease ends by its deadline, even if this client goes: others may wait for it. If it grants, the use of a lease
// that it is renewing for is its own, and is not counted.
func (g *Guard) callForLease(key *leasedKey, question, renewing Question, begun moment) <-chan Decision {
	uses := 1
	if key.isRecent(begun) {
		uses = 2*key.used + 1
	}
	key.call = make(chan struct{})
	decided := make(chan Decision, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), g.deadline)
		defer cancel()
		decision, given := g.ask(ctx, question, uses)
		g.leases.lock.Lock()
		defer g.leases.lock.Unlock()
		if decision.Status == 200 && given != nil && given.LengthMs <= longestLeaseMs {
			given.grant, given.begun = decision.clone(), begun
			key.lease = *given
		} else {
			key.emptyAt = g.now()
		}
		if renewing != (Question{}) && decision.Status != 200 {
			g.leases.count(renewing, begun)
		}
		decided <- decision
		close(key.call)
		key.call = nil
	}()
	return decided
}

// drop: Latchkey denied the credential itself.
func (l *leases) drop(credential Credential) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if key := l.keys[digestOf(credential)]; key != nil {
		key.lease = lease{}
	}
}

func (l *leases) count(used Question, at moment) {
	known := l.counts[used]
	if known == nil && len(l.counts) >= mostCounts {
		used.ClientIP = ""
		known = l.counts[used]
	}
	if known == nil {
		known = &count{}
		l.counts[used] = known
	}
	known.times, known.last = known.times+1, at
}

// takeUses takes out what leases were used for, as KeyUses in JSON, and frees memory.
func (l *leases) takeUses(now moment) []any {
	l.lock.Lock()
	defer l.lock.Unlock()
	maps.DeleteFunc(l.keys, func(_ [sha256.Size]byte, key *leasedKey) bool {
		return !key.isRecent(now) && key.call == nil && now.since(key.emptyAt) >= quiet
	})
	uses := []any{}
	for used, count := range l.counts {
		entry := used.message()
		entry["count"], entry["lastMsAgo"] = count.times, max(0, now.since(count.last).Milliseconds())
		uses = append(uses, entry)
	}
	clear(l.counts)
	return uses
}

// reportUses reports each second, and at the end.
func (g *Guard) reportUses() {
	for isLast := false; !isLast; {
		select {
		case <-time.After(time.Second):
		case <-g.closing.Done():
			isLast = true
		}
		// 50 keys of the longest form stay below the 48 KiB of a report. It is sent once.
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		for portion := range slices.Chunk(g.leases.takeUses(g.now()), 50) {
			_, _, _ = g.post(ctx, "ReportUses", map[string]any{"uses": portion})
		}
		cancel()
	}
}
