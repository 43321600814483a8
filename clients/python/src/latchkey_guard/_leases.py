"""Leases: grants without a call. docs/leases.md of Latchkey says why none is given against an answered change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from hashlib import sha256
from ipaddress import ip_address, ip_network

from ._model import Credential, Decision, Granted, Lease, Operation, Principal, Question, RateLimit
from ._request import plain_address

_USABLE, _RENEWED, _LONGEST_MS, _QUIET_MS, _MOST_KEYS, _MOST_COUNTS = 0.9, 0.8, 2000, 1000, 100_000, 1000
_NO_LEASE = Lease(0, 0, False, ())
_BOOTTIME = getattr(time, "CLOCK_BOOTTIME", None)


def _monotonic() -> float:
    """Counts the time that a machine slept, where there is such a clock."""
    return (time.monotonic() if _BOOTTIME is None else time.clock_gettime(_BOOTTIME)) * 1000


@dataclass(frozen=True)
class Clocks:
    """In milliseconds."""

    wall: Callable[[], float] = lambda: time.time() * 1000
    monotonic: Callable[[], float] = _monotonic


@dataclass(frozen=True)
class Wish:
    """For a lease. The clocks were read before the call, the wall clock first."""

    digest: bytes
    wall: float
    monotonic: float
    uses: int
    renews: bool


@dataclass(slots=True)
class _Key:
    """What is known of one credential."""

    #: What the lease came with; None: there is no lease.
    granted: Granted | None = None
    lease: Lease = _NO_LEASE
    wall: float = 0.0
    monotonic: float = 0.0
    used: int = 0
    #: Of the call with a wish that is under way.
    call: Future[None] | None = None
    quiet_until: float = 0.0
    #: To be reported, by client address, permission and operation: how many, and when the last one was.
    uses: dict[tuple[str, str, Operation], tuple[int, float]] = field(default_factory=dict)

    def is_usable(self, passed: float) -> bool:
        return self.granted is not None and self.used < self.lease.uses and passed < _USABLE * self.lease.length_ms

    def passed(self, monotonic: float, wall: float) -> float:
        """By the clock that shows more. The wall clock must be read last, so that it counts a sleep between the two."""
        return max(monotonic - self.monotonic, wall - self.wall)

    def is_recent(self, now: float) -> bool:
        return self.granted is not None and now < self.monotonic + (_USABLE + 1) * self.lease.length_ms


@dataclass
class Leases:
    """Nothing here waits or calls; time passes only by the clocks."""

    clocks: Clocks = field(default_factory=Clocks)
    spent: int = 0
    _keys: dict[bytes, _Key] = field(default_factory=dict)
    #: The keys that have uses to report. Only for those a credential's text is kept.
    _used: dict[Credential, _Key] = field(default_factory=dict)
    _counts: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def held(self) -> int:
        return sum(key.granted is not None for key in list(self._keys.values()))

    def grant(self, question: Question) -> tuple[Granted, Wish | None] | None:
        """A grant from a lease, and the wish of a call that should renew it in the background."""
        credential = question.credential
        with self._lock:
            key = self._used.get(credential) or self._keys.get(digest_of(credential))
            if key is None or key.granted is None:
                return None
            now = self.clocks.monotonic()
            passed = key.passed(now, self.clocks.wall())
            if not key.is_usable(passed):
                return None
            principal, lease, rate = key.granted.principal, key.lease, key.granted.rate_limit
            permission = covered_by(lease, principal, question)
            if permission is None:
                return None
            key.used += 1
            self.spent += 1
            use = (question.client_ip if self._counts < _MOST_COUNTS else "", permission, question.operation)
            count, _ = key.uses.get(use, (0, now))
            if count == 0:
                self._used[credential] = key
                self._counts += 1
            key.uses[use] = (count + 1, now)
            is_due = passed >= _RENEWED * _USABLE * lease.length_ms or key.used >= _RENEWED * lease.uses
            wish = self._wish(digest_of(credential), key, renews=True) if is_due and not key.call else None
            if rate:
                left = max(0, rate.remaining - key.used)
                rate = RateLimit(rate.limit, left, rate.reset_seconds, rate.window_seconds)
            return Granted(principal, rate), wish

    def next(self, question: Question) -> Wish | Future[None] | None:
        """What to do with a request that no lease grants: call with a wish, wait, or call without one."""
        digest = digest_of(question.credential)
        with self._lock:
            is_full = len(self._keys) >= _MOST_KEYS and digest not in self._keys
            if is_full or question.credential.is_empty or question.operation not in ("READ", "WRITE"):
                return None
            key = self._keys.setdefault(digest, _Key())
            if key.is_usable(key.passed(self.clocks.monotonic(), self.clocks.wall())):
                return None
            if key.call:
                return key.call
            return None if self.clocks.monotonic() < key.quiet_until else self._wish(digest, key, renews=False)

    def ended(self, wish: Wish, decision: Decision, lease: Lease | None) -> None:
        with self._lock:
            key = self._keys.get(wish.digest)
            if key is None:  # After a fork.
                return
            if isinstance(decision, Granted) and lease and lease.length_ms <= _LONGEST_MS:
                key.granted, key.lease, key.used = decision, lease, 0
                key.wall, key.monotonic = wish.wall, wish.monotonic
            else:
                key.quiet_until = self.clocks.monotonic() + _QUIET_MS
            call, key.call = key.call, None
        if call:
            call.set_result(None)

    def drop(self, credential: Credential) -> None:
        """Latchkey denied the credential itself."""
        with self._lock:
            if key := self._keys.get(digest_of(credential)):
                key.granted = None

    def tidy(self) -> list[dict[str, object]]:
        """Frees memory, and takes out what leases were used for since the last time, as KeyUses in JSON."""
        with self._lock:
            now = self.clocks.monotonic()
            for digest, key in list(self._keys.items()):
                if not key.is_recent(now):
                    key.granted = None
                    if not key.call and key.quiet_until <= now:
                        del self._keys[digest]
            taken = [(credential, key.uses) for credential, key in self._used.items()]
            for key in self._used.values():
                key.uses = {}
            self._used, self._counts = {}, 0
        return [
            {
                **credential.fields,
                "clientIp": client_ip,
                "permission": permission,
                "operation": f"OPERATION_{operation}",
                "count": count,
                "lastMsAgo": max(0, int(now - last)),
            }
            for credential, uses in taken
            for (client_ip, permission, operation), (count, last) in uses.items()
        ]

    def _wish(self, digest: bytes, key: _Key, renews: bool) -> Wish:
        key.call = Future()
        wall, monotonic = self.clocks.wall(), self.clocks.monotonic()
        return Wish(digest, wall, monotonic, 2 * key.used + 1 if key.is_recent(monotonic) else 1, renews)


def digest_of(credential: Credential) -> bytes:
    """Of the credential's form and exact text, by which Latchkey reads it."""
    return sha256(f"{credential.api_key}\n{credential.authorization}".encode()).digest()


def covered_by(lease: Lease, principal: Principal, question: Question) -> str | None:
    """The key's permission that covers the question's, by Latchkey's own rule. None: the lease does not grant it."""
    operation = question.operation
    if operation not in ("READ", "WRITE") or (operation == "WRITE" and principal.access == "read-only"):
        return None
    if lease.allowed_networks and not _is_within(question.client_ip, lease.allowed_networks):
        return None
    if question.permission:
        return principal.covering(question.permission) or None
    has_action = any(each.endswith(f":{operation.lower()}") for each in principal.permissions)
    return "" if has_action or not lease.has_own_permissions else None


def _is_within(address: str, networks: tuple[str, ...]) -> bool:
    try:
        client = ip_address(plain_address(address))
        return any(client in ip_network(each, strict=False) for each in networks)
    except ValueError:
        return False
