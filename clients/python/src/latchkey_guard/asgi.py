"""ASGI: ``app = Protected(app, guard, ("systems:read", "systems:write"))``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from functools import lru_cache
from typing import Any

from . import Granted, Request, decision_headers, refusal_body
from ._model import Decision
from ._request import Protection
from .aio import AsyncGuard

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def request_of(scope: Scope) -> Request:
    headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
    client = scope.get("client")
    raw_path = scope.get("raw_path")
    return Request(
        scope.get("method", ""),
        headers,
        scope.get("path_params", {}),
        client[0] if client else "",
        raw_path.decode("latin-1") if raw_path is not None else None,
    )


def headers_of(decision: Decision, present: Iterable[tuple[bytes, bytes]] = ()) -> list[tuple[bytes, bytes]]:
    names = [name.decode("latin-1") for name, _ in present] if decision.is_private else ()
    return [(_lower(name), value.encode("latin-1")) for name, value in decision_headers(decision, names).items()]


@lru_cache
def _lower(name: str) -> bytes:
    return name.lower().encode()


def add_headers(message: Message, decision: Decision) -> None:
    if message["type"] in ("http.response.start", "websocket.accept"):
        present = list(message.get("headers", ()))
        message["headers"] = present + headers_of(decision, present)


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
        headers = [*headers_of(decision), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": decision.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
