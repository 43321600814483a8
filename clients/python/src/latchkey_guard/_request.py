"""From a request of a web framework to a question."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import Generic, TypeVar, get_args

from ._model import Operation, is_permission

#: One permission; one for reads and one for everything else; or None: any good key is enough.
Permission = str | tuple[str, str] | None

#: Every other method counts as DESTROY.
OPERATIONS: Mapping[str, Operation] = {
    **dict.fromkeys(("GET", "HEAD", "OPTIONS"), "READ"),
    **dict.fromkeys(("POST", "PUT", "PATCH"), "WRITE"),
}
FORWARDING = frozenset({"x-forwarded-for", "forwarded", "x-real-ip"})
_App = TypeVar("_App")
_Guard = TypeVar("_Guard")
_PLACEHOLDER = re.compile(r"\{([A-Za-z0-9_-]+)\}")


@dataclass(slots=True)
class Request:
    """What a guard reads of a request. Names of headers are in lower case, values Latin-1, each value by itself."""

    method: str
    _headers: Sequence[tuple[str, str]]
    #: The parameters of the route, as the framework gives them to the handler.
    params: Mapping[str, object] = field(default_factory=dict)
    #: The address of the peer.
    peer: str = ""
    #: The path before decoding; None where the server hides it.
    raw_path: str | None = None

    def values(self, name: str) -> list[str]:
        return [value for each, value in self._headers if each == name]

    def is_forwarded(self) -> bool:
        """By a proxy, or a client that lies: the peer is not known to be the client."""
        return not FORWARDING.isdisjoint(dict(self._headers))


#: Finds the client's address where there is a proxy in front. Anything but one address counts as unknown.
ClientAddress = Callable[[Request], "str | None"]


def check_route(permission: Permission, operation: Operation | None) -> None:
    """:raises ValueError: an unset variable must not mean "any good key" """
    if operation not in (None, *get_args(Operation)):
        raise ValueError(f"operation must be one of: {', '.join(get_args(Operation))}")
    if permission is None:
        return
    for each in (permission,) if isinstance(permission, str) else permission:
        if not isinstance(each, str) or not is_permission(_PLACEHOLDER.sub("x", each)):
            raise ValueError(f"permission: {each!r} is not of the form resource:action or resource/{{id}}:action")
        if any("{" in part and not _PLACEHOLDER.fullmatch(part) for part in each.partition(":")[0].split("/")):
            raise ValueError(f"permission: in {each!r} a parameter is not a whole part of the resource")


@dataclass(eq=False)
class Protection(Generic[_App, _Guard]):
    """An application that only granted requests reach.

    :param otherwise: handles each request without an API key in place of the guard: the platform's own check
    """

    app: _App
    guard: _Guard
    permission: Permission
    operation: Operation | None = None
    otherwise: _App | None = None

    def __post_init__(self) -> None:
        check_route(self.permission, self.operation)


def fill_in(template: str, request: Request) -> str | None:
    """None if a value is missing or can't be exactly one part of a permission, so that no key may do this.
    Where the path is known as it came, a value must be a segment of it before decoding."""
    segments = None if request.raw_path is None else request.raw_path.partition("?")[0].split("/")

    def one(name: re.Match[str]) -> str:
        value = _one(request.params.get(name[1]))
        return value if segments is None or value in segments else ""

    filled = _PLACEHOLDER.sub(one, template)
    return filled if filled.count("/") == template.count("/") and is_permission(filled) else None


def _one(value: object) -> str:
    return str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""


@lru_cache(maxsize=1024)
def plain_address(text: str) -> str:
    """Without port, brackets and zone; empty for anything but one address."""
    match = re.fullmatch(r"\[([^\]]*)\](?::\d+)?|([\d.]+):\d+", text)
    bare = ((match[1] or match[2] or "") if match else text).split("%")[0]
    try:
        address = ip_address(bare)
    except ValueError:
        return ""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)
