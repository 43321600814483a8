"""ASGI: ``app = Protected(app, guard, ("systems:read", "systems:write"))``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from dataclasses import dataclass
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


@dataclass(slots=True)
class _Received(Request):
    """Of its headers only few are read, so the others stay bytes. ASGI has their names in lower case."""

    bare: Sequence[tuple[bytes, bytes]] = ()

    def values(self, name: str) -> list[str]:
        wanted, found = name.encode(), []
        for each, value in self.bare:
            if each == wanted:
                found.append(value.decode("latin-1"))
        return found

    def is_forwarded(self) -> bool:
        return not _FORWARDING.isdisjoint(dict(self.bare))


def request_of(scope: Scope) -> Request:
    client, raw_path = scope.get("client"), scope.get("raw_path")
    return _Received(
        scope.get("method", ""),
        (),
        scope.get("path_params", {}),
        client[0] if client else "",
        raw_path.decode("latin-1") if raw_path is not None else None,
        scope["headers"],
    )


def add_headers(message: Message, decision: Decision) -> None:
    if message["type"] in ("http.response.start", "websocket.accept"):
        headers = list(message.get("headers", ()))
        names = [name.decode("latin-1") for name, _ in headers] if decision.is_private else ()
        for name, value in decision_headers(decision, names).items():
            headers.append((_lower(name), value.encode("latin-1")))
        message["headers"] = headers


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
        request = request_of(scope)
        if self.otherwise and not self.guard.is_api_key(request):
            return await self.otherwise(scope, receive, send)
        question = self.guard.question(request, self.permission, operation)
        decision = await self.guard.check(question)

        async def with_headers(message: Message) -> None:
            add_headers(message, decision)
            await send(message)

        if isinstance(decision, Granted):
            scope.setdefault("state", {})["latchkey_principal"] = decision.principal
            return await self.app(scope, receive, with_headers)
        if not is_http:
            return await send({"type": "websocket.close", "code": 1008})
        body = refusal_body(decision)
        headers = [(b"content-length", str(len(body)).encode())]
        await with_headers({"type": "http.response.start", "status": decision.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
