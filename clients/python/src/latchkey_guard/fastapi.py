"""FastAPI: ``Annotated[Principal, Depends(guard.protect("systems/{id}:read"))]``."""

from __future__ import annotations

from fastapi import FastAPI, Request, Response
from fastapi.openapi.models import HTTPBearer
from fastapi.security.base import SecurityBase

from . import Granted, Permission, Principal, Refused, decision_headers, refusal_body
from ._model import Operation
from ._request import check_permission
from .aio import AsyncGuard
from .asgi import request_of


class KeyRefused(Exception):
    def __init__(self, refusal: Refused) -> None:
        super().__init__(refusal.status)
        self.refusal = refusal


class FastAPIGuard(AsyncGuard):
    """An :class:`AsyncGuard` whose refusals an application answers."""

    def install(self, app: FastAPI) -> None:
        """Answers what this guard refuses. Without it a refused request is answered 500."""
        app.add_exception_handler(KeyRefused, _answer)

    def protect(  # type: ignore[override]
        self, permission: Permission, *, operation: Operation | None = None
    ) -> Protect:
        """A dependency that is the principal of a granted request."""
        return Protect(self, permission, operation)


class Protect(SecurityBase):
    """Shown in OpenAPI as a bearer token."""

    def __init__(self, guard: FastAPIGuard, permission: Permission, operation: Operation | None) -> None:
        check_permission(permission)
        self.model = HTTPBearer(description="An API key")
        self.scheme_name = "API key"
        self._guard, self._permission = guard, permission
        self._operation: Operation | None = operation

    async def __call__(self, request: Request, response: Response) -> Principal:
        question = self._guard.question(request_of(request.scope), self._permission, self._operation)
        decision = await self._guard.check(question)
        if not isinstance(decision, Granted):
            raise KeyRefused(decision)
        response.headers.update(decision_headers(decision))
        return decision.principal


async def _answer(_request: Request, error: Exception) -> Response:
    assert isinstance(error, KeyRefused)
    return Response(refusal_body(error.refusal), error.refusal.status, decision_headers(error.refusal))
