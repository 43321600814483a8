"""WSGI: ``app = Protected(app, guard, ("systems:read", "systems:write"))``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from . import Granted, Guard, Permission, Principal, Request, decision_headers, refusal_body
from ._model import Operation
from ._request import check_permission

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_PRINCIPAL = "latchkey.principal"


def request_of(environ: Mapping[str, Any], params: Mapping[str, object] | None = None) -> Request:
    """Servers join the values of a repeated header by a comma. Some have the path as it came: gunicorn and Werkzeug in
    RAW_URI, uWSGI and mod_wsgi in REQUEST_URI."""
    raw_path = environ.get("RAW_URI", environ.get("REQUEST_URI"))
    named = ((name[5:].replace("_", "-").lower(), str(value)) for name, value in environ.items() if name[:5] == "HTTP_")
    return Request(environ["REQUEST_METHOD"], list(named), params or {}, environ.get("REMOTE_ADDR", ""), raw_path)


def principal_of(environ: Mapping[str, Any]) -> Principal:
    """:raises RuntimeError: this request did not pass a guard"""
    principal = environ.get(_PRINCIPAL)
    if not isinstance(principal, Principal):
        raise RuntimeError("no guard protects this route")
    return principal


class Protected:
    """An application that only granted requests reach.

    :param otherwise: handles each request without an API key in place of the guard: the platform's own check
    """

    def __init__(
        self,
        app: WSGIApplication,
        guard: Guard,
        permission: Permission,
        operation: Operation | None = None,
        otherwise: WSGIApplication | None = None,
    ) -> None:
        check_permission(permission)
        self._app, self._guard, self._permission = app, guard, permission
        self._operation: Operation | None = operation
        self._otherwise = otherwise

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        # A router before this middleware may put its parameters there (PEP 3333 names none; Werkzeug and bobo do so).
        _, params = environ.get("wsgiorg.routing_args", ((), {}))
        request = request_of(environ, params)
        if self._otherwise and not self._guard.is_api_key(request):
            return self._otherwise(environ, start_response)
        decision = self._guard.check(self._guard.question(request, self._permission, self._operation))
        if isinstance(decision, Granted):
            environ[_PRINCIPAL] = decision.principal

            def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
                added = decision_headers(decision, (name for name, _ in headers))
                return start_response(status, [*headers, *added.items()], *more)

            return self._app(environ, start)
        body = refusal_body(decision)
        status = HTTPStatus(decision.status)
        start_response(
            f"{status.value} {status.phrase}", [*decision_headers(decision).items(), ("Content-Length", str(len(body)))]
        )
        return [body]
