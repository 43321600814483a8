"""ASGI: ``app = Protected(app, guard, ("systems:read", "systems:write"))``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from functools import lru_cache
from typing import Any

from . import Granted, Request, decision_headers, refusal_body
from ._model import Decision
from ._request import FORWARDING, Protection
from .aio import AsyncGuard

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


_FORWARDING = frozenset(map(str.encode, FORWARDING))


class ScopeRequest(Request):
    """Of its headers only few are read, so the others stay bytes."""

    __slots__ = ("_bare",)

    def __init__(self, scope: Scope) -> None:
        client, raw_path = scope.get("client"), scope.get("raw_path")
        self._headers, self.method, self.params = (), scope.get("method", ""), scope.get("path_params", {})
        self.peer = client[0] if client else ""
        self.raw_path = None if raw_path is None else raw_path.decode("latin-1")
        self._bare: Sequence[tuple[bytes, bytes]] = scope["headers"]

    def values(self, name: str) -> list[str]:
        wanted, found = name.encode(), []
        for each, value in self._bare:
            if each.lower() == wanted:
                found.append(value.decode("latin-1"))
        return found

    def is_forwarded(self) -> bool:
        return not _FORWARDING.isdisjoint(map(bytes.lower, dict(self._bare)))


def with_headers(send: Send, decisions: Sequence[Decision]) -> Send:
    """Adds those of the decision that is there once the answer begins."""

    async def sending(message: Message) -> None:
        if decisions and message["type"] in ("http.response.start", "websocket.accept"):
            headers = list(message.get("headers", ()))
            names = [name.decode("latin-1") for name, _ in headers] if decisions[0].is_private else ()
            for name, value in decision_headers(decisions[0], names).items():
                headers.append((_lower(name), value.encode("latin-1")))
            message["headers"] = headers
        await send(message)

    return sending


@lru_cache
def _lower(name: str) -> bytes:
    return name.lower().encode()


class Protected(Protection[App, AsyncGuard]):
    """Granted requests have ``scope["state"]["latchkey_principal"]``. A websocket is refused before it is accepted; it
    counts as WRITE unless ``operation`` says something else."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        is_http = scope["type"] == "http"
        operation = self.operation or (None if is_http else "WRITE")
        request = ScopeRequest(scope)
        if self.otherwise and not self.guard.is_api_key(request):
            return await self.otherwise(scope, receive, send)
        decision = await self.guard.check(self.guard.question(request, self.permission, operation))
        sending = with_headers(send, [decision])
        if isinstance(decision, Granted):
            scope.setdefault("state", {})["latchkey_principal"] = decision.principal
            return await self.app(scope, receive, sending)
        if not is_http:
            return await send({"type": "websocket.close", "code": 1008})
        body = refusal_body(decision)
        headers = [(b"content-length", str(len(body)).encode())]
        await sending({"type": "http.response.start", "status": decision.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
