"""FastAPI: ``Annotated[Principal, Depends(guard.protect("systems/{id}:read"))]``."""

from __future__ import annotations

from fastapi import FastAPI, Request, Response
from fastapi.openapi.models import HTTPBearer
from fastapi.security.base import SecurityBase

from . import Granted, Permission, Principal, Refused, decision_headers, refusal_body
from ._model import Operation
from ._request import check_route
from .aio import AsyncGuard
from .asgi import App, Receive, Scope, ScopeRequest, Send, with_headers

_GRANTED = "latchkey_guard.granted"


class KeyRefused(Exception):
    def __init__(self, refusal: Refused) -> None:
        super().__init__(refusal.status)
        self.refusal = refusal


class FastAPIGuard(AsyncGuard):
    """An :class:`AsyncGuard` whose decisions an application answers."""

    def install(self, app: FastAPI) -> None:
        """Answers what this guard refuses, and adds the headers of a grant to each answer of its routes. A route that
        is protected without it is answered 500."""
        app.add_exception_handler(KeyRefused, _answer)
        app.add_middleware(_GrantHeaders)

    def protect(  # type: ignore[override]
        self, permission: Permission, *, operation: Operation | None = None
    ) -> Protect:
        """A dependency that is the principal of a granted request."""
        return Protect(self, permission, operation)


class Protect(SecurityBase):
    """Shown in OpenAPI as a bearer token."""

    def __init__(self, guard: FastAPIGuard, permission: Permission, operation: Operation | None) -> None:
        check_route(permission, operation)
        self.model = HTTPBearer(description="An API key")
        self.scheme_name = "API key"
        self._guard, self._permission = guard, permission
        self._operation: Operation | None = operation

    async def __call__(self, request: Request) -> Principal:
        granted: list[Granted] | None = request.scope.get(_GRANTED)
        if granted is None:
            raise RuntimeError("guard.install(app) was not called")
        question = self._guard.question(ScopeRequest(request.scope), self._permission, self._operation)
        decision = await self._guard.check(question)
        if not isinstance(decision, Granted):
            granted.clear()
            raise KeyRefused(decision)
        granted[:] = [decision]
        return decision.principal


async def _answer(_request: Request, error: Exception) -> Response:
    assert isinstance(error, KeyRefused)
    return Response(refusal_body(error.refusal), error.refusal.status, decision_headers(error.refusal))


class _GrantHeaders:
    """Adds them to answers that a route makes itself, too: to these FastAPI adds none of a dependency's headers."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        granted: list[Granted] = []
        scope[_GRANTED] = granted
        await self._app(scope, receive, with_headers(send, granted))
