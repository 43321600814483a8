"""Leases: grants without a call. docs/leases.md of Latchkey says why none is given against an answered change."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from hashlib import sha256
from ipaddress import ip_address, ip_network

from ._model import Credential, Decision, Granted, Lease, Operation, Question, RateLimit
from ._request import plain_address

_USABLE, _RENEWED, _LONGEST_MS, _QUIET_MS, _MOST_KEYS, _MOST_COUNTS = 0.9, 0.8, 2000, 1000, 100_000, 1000
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


@dataclass
class _Held:
    wish: Wish
    lease: Lease
    granted: Granted
    used: int = 0


@dataclass
class _Key:
    held: _Held | None = None
    #: Of the call with a wish that is under way.
    call: Future[None] | None = None
    quiet_until: float = 0.0


@dataclass
class Leases:
    """Nothing here waits or calls; time passes only by the clocks."""

    clocks: Clocks = field(default_factory=Clocks)
    spent: int = 0
    _keys: dict[bytes, _Key] = field(default_factory=dict)
    _counts: dict[tuple[Credential, str, str, Operation], list[float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def held(self) -> int:
        return sum(key.held is not None for key in list(self._keys.values()))

    def grant(self, digest: bytes, question: Question) -> tuple[Granted, Wish | None] | None:
        """A grant from a lease, and the wish of a call that should renew it in the background."""
        with self._lock:
            key = self._keys.get(digest)
            held = key.held if key else None
            permission = covered_by(held, question) if held and self._is_usable(held) else None
            if not key or not held or permission is None:
                return None
            held.used += 1
            self.spent += 1
            self._count(question, permission)
            passed = self._passed(held.wish)
            is_due = passed >= _RENEWED * _USABLE * held.lease.length_ms or held.used >= _RENEWED * held.lease.uses
            wish = self._wish(digest, key, renews=True) if is_due and not key.call else None
            rate = held.granted.rate_limit
            if rate:
                left = max(0, rate.remaining - held.used)
                rate = RateLimit(rate.limit, left, rate.reset_seconds, rate.window_seconds)
            return Granted(held.granted.principal, rate), wish

    def next(self, digest: bytes, question: Question) -> Wish | Future[None] | None:
        """What to do with a request that no lease grants: call with a wish, wait, or call without one."""
        with self._lock:
            is_full = len(self._keys) >= _MOST_KEYS and digest not in self._keys
            if is_full or question.operation not in ("READ", "WRITE"):
                return None
            key = self._keys.setdefault(digest, _Key())
            if key.held and self._is_usable(key.held):
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
                key.held = _Held(wish, lease, decision)
            else:
                key.quiet_until = self.clocks.monotonic() + _QUIET_MS
            call, key.call = key.call, None
        if call:
            call.set_result(None)

    def drop(self, digest: bytes) -> None:
        """Latchkey denied the credential itself."""
        with self._lock:
            if key := self._keys.get(digest):
                key.held = None

    def tidy(self) -> list[dict[str, object]]:
        """Frees memory, and takes out what leases were used for since the last time, as KeyUses in JSON."""
        with self._lock:
            now = self.clocks.monotonic()
            for digest, key in list(self._keys.items()):
                if key.held and not self._is_recent(key.held, now):
                    key.held = None
                if not key.held and not key.call and key.quiet_until <= now:
                    del self._keys[digest]
            counts, self._counts = self._counts, {}
        uses: list[dict[str, object]] = []
        for (credential, client_ip, permission, operation), (count, last) in counts.items():
            entry = {**credential.fields, "clientIp": client_ip, "permission": permission}
            entry["operation"] = f"OPERATION_{operation}"
            uses.append({**entry, "count": int(count), "lastMsAgo": max(0, int(now - last))})
        return uses

    def _count(self, question: Question, permission: str) -> None:
        client_ip = question.client_ip if len(self._counts) < _MOST_COUNTS else ""
        entry = self._counts.setdefault((question.credential, client_ip, permission, question.operation), [0, 0.0])
        entry[0], entry[1] = entry[0] + 1, self.clocks.monotonic()

    def _wish(self, digest: bytes, key: _Key, renews: bool) -> Wish:
        key.call = Future()
        wall, monotonic = self.clocks.wall(), self.clocks.monotonic()
        uses = 2 * key.held.used + 1 if key.held and self._is_recent(key.held, monotonic) else 1
        return Wish(digest, wall, monotonic, uses, renews)

    def _passed(self, since: Wish) -> float:
        """By the clock that shows more. The wall clock is read last, so that it counts a sleep between the two."""
        monotonic = self.clocks.monotonic() - since.monotonic
        return max(monotonic, self.clocks.wall() - since.wall)

    def _is_usable(self, held: _Held) -> bool:
        return held.used < held.lease.uses and self._passed(held.wish) < _USABLE * held.lease.length_ms

    def _is_recent(self, held: _Held, now: float) -> bool:
        return now < held.wish.monotonic + (_USABLE + 1) * held.lease.length_ms


def digest_of(credential: Credential) -> bytes:
    """Of the credential's form and exact text, by which Latchkey reads it."""
    return sha256(f"{credential.api_key}\n{credential.authorization}".encode()).digest()


def covered_by(held: _Held, question: Question) -> str | None:
    """The key's permission that covers the question's, by Latchkey's own rule. None: the lease does not grant it."""
    principal, operation = held.granted.principal, question.operation
    if operation not in ("READ", "WRITE") or (operation == "WRITE" and principal.access == "read-only"):
        return None
    if held.lease.allowed_networks and not _is_within(question.client_ip, held.lease.allowed_networks):
        return None
    if question.permission:
        return principal.covering(question.permission) or None
    has_action = any(each.endswith(f":{operation.lower()}") for each in principal.permissions)
    return "" if has_action or not held.lease.has_own_permissions else None


def _is_within(address: str, networks: tuple[str, ...]) -> bool:
    try:
        client = ip_address(plain_address(address))
        return any(client in ip_network(each, strict=False) for each in networks)
    except ValueError:
        return False
