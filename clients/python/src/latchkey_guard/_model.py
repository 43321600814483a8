"""What a guard decides, and what a service answers with."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeVar

Operation = Literal["READ", "WRITE", "DESTROY", "MANAGE_API_KEYS", "MANAGE_ACCOUNT", "IMPERSONATE"]
Access = Literal["read-only", "read-and-write"]
#: Every value of a header, by its name in lower case.
Values = Callable[[str], list[str]]
_Object = Mapping[str, object]
_Kind = TypeVar("_Kind", str, int, bool, list[object], dict[str, object])
_ACCESS: Mapping[str, Access] = {"ACCESS_LEVEL_READ_ONLY": "read-only", "ACCESS_LEVEL_READ_AND_WRITE": "read-and-write"}


_SEGMENT = r"(?!\.+[/:])[A-Za-z0-9._-]+"
_NEW_PERMISSION = re.compile(rf"(?=[A-Za-z0-9][^:]{{0,99}}:){_SEGMENT}(?:/{_SEGMENT})*:[a-z][a-z0-9._-]{{0,27}}")


def is_permission(text: str) -> bool:
    return _NEW_PERMISSION.fullmatch(text) is not None


@dataclass(frozen=True)
class Principal:
    """The account and the key that a request acts with."""

    key_id: str
    owner_id: str
    access: Access
    #: The permissions of the owner that the key may use, read for this request.
    permissions: tuple[str, ...]
    #: What the platform says of the account, such as its tenant.
    attributes: Mapping[str, str]
    expires_at: datetime

    def covering(self, permission: str) -> str:
        """The longest of its permissions that covers this one; empty: none. `systems:read` covers `systems/42:read`."""
        if permission in self.permissions:
            return permission
        resource, _, action = permission.partition(":")
        parts = resource.split("/") if is_permission(permission) else []
        wider = (f"{'/'.join(parts[:end])}:{action}" for end in range(len(parts) - 1, 0, -1))
        return next((each for each in wider if each in self.permissions), "")


def principal_in(place: object) -> Principal:
    """What a guard left for a handler. :raises RuntimeError: this request did not pass a guard"""
    if not isinstance(place, Principal):
        raise RuntimeError("no guard protects this route")
    return place


@dataclass(slots=True)
class RateLimit:
    limit: int
    remaining: int
    #: Whole seconds, rounded up, until the full burst is available again.
    reset_seconds: int
    window_seconds: int | None


@dataclass(slots=True)
class Granted:
    principal: Principal
    rate_limit: RateLimit | None = None
    status: Literal[200] = 200
    #: Whether shared caches must be kept from the answer: they know no key in X-API-Key.
    is_private: bool = False


@dataclass(frozen=True)
class Refused:
    status: Literal[401, 403, 429, 503]
    #: For logs, never for the client. UNKNOWN for a reason of a newer service.
    reason: str
    rate_limit: RateLimit | None = None
    #: With 429: whole seconds, at least 1.
    retry_after: int | None = None
    missing_permission: str | None = None
    #: Known once the secret of the key is proven.
    key_id: str | None = None
    owner_id: str | None = None
    #: With 401: the value of WWW-Authenticate.
    challenge: str = "Bearer"
    is_private: bool = False


Decision = Granted | Refused
UNAVAILABLE = Refused(503, "SERVICE_UNAVAILABLE")


class Credential(NamedTuple):
    """A key by itself, or one Authorization header as it came. Without both it is an invalid key."""

    api_key: str = ""
    authorization: str = ""

    def __repr__(self) -> str:
        return "Credential()"

    @property
    def fields(self) -> dict[str, str]:
        """As Latchkey takes it."""
        return {"apiKey": self.api_key} if self.api_key else {"authorization": self.authorization}


@dataclass(slots=True)
class Question:
    """One request of a client."""

    credential: Credential
    operation: Operation
    #: The permission that it needs; empty: any good key is enough.
    permission: str = ""
    #: The permission as the route names it, such as ``systems/{id}:read``.
    template: str = ""
    #: Empty if it is not certain.
    client_ip: str = ""
    #: Every value of a header, by its name in lower case.
    values: Values = field(default=lambda _name: [], repr=False, compare=False)
    _request_id: str = field(default="", init=False, repr=False, compare=False)

    @property
    def user_agent(self) -> str:
        return _tidy(self.values("user-agent"), 256)

    @property
    def request_id(self) -> str:
        """Of the call to Latchkey: the client's own, and an end that no client can know."""
        # No cached_property: up to Python 3.11 it has a lock, which a fork may copy while a thread holds it.
        if not self._request_id:
            self._request_id = f"{_tidy(self.values('x-request-id'), 100)}-{secrets.token_hex(8)}".lstrip("-")
        return self._request_id


_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def _tidy(values: Sequence[str], longest: int) -> str:
    return _CONTROLS.sub("", values[0])[:longest] if values else ""


@dataclass(frozen=True)
class Decided:
    """For metrics. Never has the key."""

    status: int
    operation: Operation
    permission: str
    latency_ms: float
    request_id: str
    source: Literal["service", "lease"]


@dataclass(frozen=True)
class Denied:
    """For logs: why a request was refused. Never has the key."""

    refusal: Refused
    question: Question = field(repr=False)


@dataclass(frozen=True)
class Failed:
    """For logs: why there was no usable answer. Never has the key."""

    code: str
    message: str
    request_id: str


_MESSAGES = {
    401: "invalid api key",
    403: "operation not allowed",
    429: "too many requests",
    503: "service unavailable",
}
#: RFC 6749, section 3.3.
_SCOPE = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")


def refusal_body(refusal: Refused) -> bytes:
    """The same for every reason of a status, so that a client does not learn why its key was refused."""
    return json.dumps({"message": _MESSAGES[refusal.status]}, separators=(",", ":")).encode()


def decision_headers(decision: Decision, present: Iterable[str] = ()) -> dict[str, str]:
    """Every header that a decision adds to an answer.

    :param present: the names of the headers that the answer of the service has
    """
    headers: dict[str, str] = {}
    if decision.is_private and "cache-control" not in map(str.lower, present):
        headers["Cache-Control"] = "private"
    if rate := decision.rate_limit:
        window = "" if rate.window_seconds is None else f";w={rate.window_seconds}"
        headers["RateLimit-Policy"] = f'"key";q={rate.limit}{window}'
        headers["RateLimit"] = f'"key";r={rate.remaining};t={rate.reset_seconds}'
    if isinstance(decision, Granted):
        headers["Latchkey-Key-Expires"] = _shown(decision.principal.expires_at)
        headers["Access-Control-Expose-Headers"] = "Latchkey-Key-Expires"
        return headers
    headers["Content-Type"] = "application/json"
    if decision.status == 401:
        headers["WWW-Authenticate"] = decision.challenge
    # RFC 6750 has no error for the wrong address: more scope would not help.
    if decision.status == 403 and decision.reason != "ADDRESS_NOT_ALLOWED":
        missing = decision.missing_permission or ""
        scope = f', scope="{missing}"' if _SCOPE.fullmatch(missing) else ""
        headers["WWW-Authenticate"] = f'Bearer error="insufficient_scope"{scope}'
    if decision.status == 429:
        headers["Retry-After"] = str(decision.retry_after or 1)
    return headers


@lru_cache(maxsize=1024)
def _shown(time: datetime) -> str:
    return time.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class UnreadableAnswer(Exception):
    """An answer that this guard can't read. The request is refused with 503."""


@dataclass(frozen=True)
class Lease:
    length_ms: int
    uses: int
    has_own_permissions: bool
    allowed_networks: tuple[str, ...]


def read_answer(answer: _Object, permission: str, window: str | None) -> tuple[Decision, Lease | None]:
    """Reads a ValidateKeyResponse as JSON. A complete grant is accepted as it is.

    :param permission: the one that the question had, or empty
    :param window: of the header, for an answer without a window of its own
    :raises UnreadableAnswer: the outcome is missing, incomplete or unknown to this guard
    """
    present = {name for name, value in answer.items() if value is not None}
    rate_limit = _rate_limit(_member(answer, "rateLimit", dict), window) if "rateLimit" in present else None
    if ("grant" in present) == ("denial" in present):
        raise UnreadableAnswer("not one outcome")
    if "grant" in present:
        lease = _lease(_member(answer, "lease", dict)) if "lease" in present else None
        return Granted(_principal(_member(answer, "grant", dict)), rate_limit), lease
    denial = _member(answer, "denial", dict)
    status, reason = _member(denial, "httpStatus", int), denial.get("reason")
    # A reason of a later release may come as its number.
    name = "UNKNOWN" if type(reason) is int and reason else _member(denial, "reason", str).removeprefix("REASON_")
    if status not in (401, 403, 429) or name in ("", "UNSPECIFIED"):
        raise UnreadableAnswer("a denial without reason or status")
    retry_after = max(1, _seconds(denial.get("retryAfter"))) if status == 429 else None
    is_missing = name == "MISSING_PERMISSION" or (name == "READ_ONLY_KEY" and not permission.endswith(":read"))
    missing = permission if permission and is_missing else None
    key_id, owner_id = _member(denial, "keyId", str) or None, _member(denial, "ownerId", str) or None
    return Refused(status, name, rate_limit, retry_after, missing, key_id, owner_id), None  # type: ignore[arg-type]


def _principal(grant: _Object) -> Principal:
    key_id, owner_id, level = (_member(grant, name, str) for name in ("keyId", "ownerId", "access"))
    access = _ACCESS.get(level)
    if not (key_id and owner_id and access):
        raise UnreadableAnswer("an incomplete grant")
    attributes: dict[str, str] = {}
    for each in _member(grant, "attributes", list):
        match each:
            case {"name": str(name), "value": str(value)}:
                attributes[name] = value
            case _:
                raise UnreadableAnswer("an attribute without name or value")
    try:
        # Python 3.10 reads three or six digits, and no Z.
        text = re.sub(r"(\.\d{1,6})\d*", lambda digits: digits[1].ljust(7, "0"), _member(grant, "expiresAt", str))
        expires_at = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        raise UnreadableAnswer("an expiry that is no time") from None
    if expires_at.tzinfo is None:
        raise UnreadableAnswer("an expiry without a zone")
    return Principal(key_id, owner_id, access, _texts(grant, "permissions"), MappingProxyType(attributes), expires_at)


def _lease(lease: _Object) -> Lease:
    return Lease(
        _member(lease, "lengthMs", int),
        _member(lease, "uses", int),
        _member(lease, "hasOwnPermissions", bool),
        _texts(lease, "allowedNetworks"),
    )


def _rate_limit(rate: _Object, window: str | None) -> RateLimit:
    own = rate.get("window")
    of_service = int(window) if window and re.fullmatch("[1-9][0-9]{0,8}", window) else None
    return RateLimit(
        _member(rate, "limit", int),
        _member(rate, "remaining", int),
        _seconds(rate.get("resetAfter")),
        of_service if own is None else _seconds(own),
    )


def _member(parent: _Object, name: str, kind: type[_Kind]) -> _Kind:
    """A member that is absent or null has its default value, as in proto3. Every number is a uint32."""
    value = parent.get(name)
    if value is None:
        return kind()
    if type(value) is not kind or (isinstance(value, int) and not 0 <= value < 2**32):
        raise UnreadableAnswer(f"{name} is no {kind.__name__}")
    return value


def _texts(parent: _Object, name: str) -> tuple[str, ...]:
    values = _member(parent, name, list)
    texts = tuple(each for each in values if isinstance(each, str))
    if len(texts) < len(values):
        raise UnreadableAnswer(f"{name} has something else than text")
    return texts


def _seconds(duration: object) -> int:
    """Whole seconds, rounded up; 0 for none."""
    if duration is None:
        return 0
    match = re.fullmatch(r"(-?)(\d{1,12})(?:\.(\d{1,9}))?s", duration) if isinstance(duration, str) else None
    if not match:
        raise UnreadableAnswer("a duration that is none")
    return 0 if match[1] else int(match[2]) + (1 if (match[3] or "").strip("0") else 0)
