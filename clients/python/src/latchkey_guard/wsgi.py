"""WSGI: ``app = Protected(app, guard, ("systems:read", "systems:write"))``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeAlias

from . import Granted, Guard, Principal, Request, decision_headers, refusal_body
from ._model import principal_in
from ._request import Protection

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

Application: TypeAlias = "WSGIApplication"
_PRINCIPAL = "latchkey.principal"


def request_of(environ: Mapping[str, Any], params: Mapping[str, object] | None = None) -> Request:
    """Servers join the values of a repeated header by a comma. Some have the path as it came: gunicorn and Werkzeug in
    RAW_URI, uWSGI and mod_wsgi in REQUEST_URI."""
    raw_path = environ.get("RAW_URI", environ.get("REQUEST_URI"))
    named = ((name[5:].replace("_", "-").lower(), str(value)) for name, value in environ.items() if name[:5] == "HTTP_")
    return Request(environ["REQUEST_METHOD"], list(named), params or {}, environ.get("REMOTE_ADDR", ""), raw_path)


def principal_of(environ: Mapping[str, Any]) -> Principal:
    """:raises RuntimeError: this request did not pass a guard"""
    return principal_in(environ.get(_PRINCIPAL))


class Protected(Protection[Application, Guard]):
    """A granted request has a :func:`principal_of`."""

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        # A router before this middleware may put its parameters there (PEP 3333 names none; Werkzeug and bobo do so).
        _, params = environ.get("wsgiorg.routing_args", ((), {}))
        request = request_of(environ, params)
        if self.otherwise and not self.guard.is_api_key(request):
            return self.otherwise(environ, start_response)
        decision = self.guard.check(self.guard.question(request, self.permission, self.operation))
        if isinstance(decision, Granted):
            environ[_PRINCIPAL] = decision.principal

            def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
                added = decision_headers(decision, (name for name, _ in headers))
                return start_response(status, [*headers, *added.items()], *more)

            return self.app(environ, start)
        body = refusal_body(decision)
        status = HTTPStatus(decision.status)
        start_response(
            f"{status.value} {status.phrase}", [*decision_headers(decision).items(), ("Content-Length", str(len(body)))]
        )
        return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
