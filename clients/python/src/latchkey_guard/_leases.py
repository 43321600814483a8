"""Leases: grants without a call. docs/leases.md of Latchkey says why none is given against an answered change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import NamedTuple

from ._judgement import covered_by
from ._model import Credential, Decision, Granted, Lease, Operation, Question, RateLimit

_MS = 1_000_000
_LONGEST_MS, _QUIET, _MOST_KEYS, _MOST_COUNTS = 2000, 1000 * _MS, 100_000, 1000
_NO_LEASE = Lease(0, 0, False, ())
#: Counts the time that a machine slept.
_BOOTTIME = getattr(time, "CLOCK_BOOTTIME", None)


class Clocks(NamedTuple):
    """In nanoseconds."""

    wall: Callable[[], int] = time.time_ns
    monotonic: Callable[[], int] = partial(time.clock_gettime_ns, _BOOTTIME) if _BOOTTIME else time.monotonic_ns


#: The client's address and the permission of the key that covers the request's stand in the middle.
_Use = tuple[Credential, str, str, Operation]


@dataclass(eq=False, slots=True)
class Wish:
    """A call that wishes for a lease. The clocks were read before it, the wall clock first."""

    key: _Key
    wall: int
    monotonic: int
    uses: int
    #: What a renewal is for, which is the call's own once it is granted, and a use of the last lease otherwise.
    renewing: _Use | None
    ended: Future[None] = field(default_factory=Future)


@dataclass(eq=False, slots=True)
class _Key:
    """What is known of one credential."""

    #: What the lease came with; None: there is no lease.
    granted: Granted | None = None
    lease: Lease = _NO_LEASE
    used: int = 0
    #: By either clock. The last use ends it.
    wall_end: int = 0
    end: int = 0
    call: Wish | None = None
    quiet_until: int = 0

    def is_recent(self, now: int) -> bool:
        """It ended less than its own length ago, or did not end."""
        return self.granted is not None and now < self.end + self.lease.length_ms * _MS


#: A grant; the request's own call, next to a grant the renewal of its lease; the end of another's call to wait for.
#: Without any of them the request is sent without a wish.
Step = tuple[Granted | None, Wish | None, Future[None] | None]
ALONE: Step = (None, None, None)


@dataclass
class Leases:
    """Nothing here waits or calls; time passes only by the clocks."""

    clocks: Clocks = field(default_factory=Clocks)
    spent: int = 0
    _keys: dict[bytes, _Key] = field(default_factory=dict)
    #: To be reported: how often, and when the last time was. Only for those a credential's text is kept.
    _counts: dict[_Use, list[int]] = field(default_factory=dict)
    #: The keys that have counts, found without their digests, which take longer than the rest of a grant.
    _used: dict[Credential, _Key] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def held(self) -> int:
        now = self.clocks.monotonic()
        return sum(key.is_recent(now) for key in list(self._keys.values()))

    def step(self, question: Question, has_waited: bool = False) -> Step:
        """:param has_waited: for another's call, which a request does once"""
        credential = question.credential
        with self._lock:
            key = self._used.get(credential) or self._key_of(credential)
            if key is None:
                return ALONE
            now = self.clocks.monotonic()
            # By the clock that shows less. The wall clock is read last, so that it counts a sleep between the two.
            left = min(key.end - now, key.wall_end - self.clocks.wall())
            if not key.granted or left <= 0:
                if has_waited or question.operation not in ("READ", "WRITE"):
                    return ALONE
                if key.call:
                    return None, None, key.call.ended
                return ALONE if now < key.quiet_until else (None, self._wish(key, None), None)
            lease, principal, rate = key.lease, key.granted.principal, key.granted.rate_limit
            permission = covered_by(lease, principal, question)
            if permission is None:
                return ALONE
            key.used += 1
            self.spent += 1
            if key.used >= lease.uses:
                key.end = now
            use = (credential, question.client_ip, permission, question.operation)
            # At 80 % of the usable time, which is 90 %, or of the uses.
            is_due = left * 100 <= lease.length_ms * _MS * 18 or key.used * 10 >= lease.uses * 8
            wish = self._wish(key, use) if is_due and not key.call and now >= key.quiet_until else None
            if not wish:
                self._count(use, now)
                self._used[credential] = key
            if rate:
                remaining = max(0, rate.remaining - key.used)
                rate = RateLimit(rate.limit, remaining, rate.reset_seconds, rate.window_seconds)
            return Granted(principal, rate), wish, None

    def _key_of(self, credential: Credential) -> _Key | None:
        """None: the request has no credential, or there are too many keys."""
        if not any(credential):
            return None
        digest = digest_of(credential)
        return self._keys.setdefault(digest, _Key()) if len(self._keys) < _MOST_KEYS else self._keys.get(digest)

    def _wish(self, key: _Key, renewing: _Use | None) -> Wish:
        wall, monotonic = self.clocks.wall(), self.clocks.monotonic()
        key.call = Wish(key, wall, monotonic, 2 * key.used + 1 if key.is_recent(monotonic) else 1, renewing)
        return key.call

    def ended(self, wish: Wish, decision: Decision, lease: Lease | None) -> None:
        key = wish.key
        with self._lock:
            if wish.renewing and decision.status != 200:
                self._count(wish.renewing, wish.monotonic)
            if isinstance(decision, Granted) and lease and lease.uses and lease.length_ms <= _LONGEST_MS:
                usable = lease.length_ms * _MS * 9 // 10
                key.granted, key.lease, key.used = decision, lease, 0
                key.wall_end, key.end = wish.wall + usable, wish.monotonic + usable
            else:
                key.quiet_until = self.clocks.monotonic() + _QUIET
            key.call = None
        wish.ended.set_result(None)

    def drop(self, credential: Credential) -> None:
        """Latchkey denied the credential itself."""
        with self._lock:
            if key := self._keys.get(digest_of(credential)):
                key.granted = None

    def _count(self, use: _Use, now: int) -> None:
        # So many addresses are counted one by one.
        if len(self._counts) >= _MOST_COUNTS and use not in self._counts:
            use = (use[0], "", *use[2:])
        count = self._counts.setdefault(use, [0, now])
        count[0] += 1
        count[1] = now

    def tidy(self) -> list[dict[str, object]]:
        """Frees memory, and takes out what leases were used for since the last time, as KeyUses in JSON."""
        with self._lock:
            now = self.clocks.monotonic()
            for digest, key in list(self._keys.items()):
                if not (key.call or key.is_recent(now) or now < key.quiet_until):
                    del self._keys[digest]
            counts, self._counts, self._used = self._counts, {}, {}
        return [
            {
                **credential.fields,
                "clientIp": client_ip,
                "permission": permission,
                "operation": f"OPERATION_{operation}",
                "count": count,
                "lastMsAgo": max(0, (now - last) // _MS),
            }
            for (credential, client_ip, permission, operation), (count, last) in counts.items()
        ]


def digest_of(credential: Credential) -> bytes:
    """Of the credential's form and exact text, by which Latchkey reads it."""
    return sha256(f"{credential.api_key}\n{credential.authorization}".encode()).digest()
