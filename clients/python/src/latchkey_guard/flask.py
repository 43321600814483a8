"""Flask: ``@protect(guard, "systems:read")`` below ``@app.get(…)``."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from flask import Response, after_this_request, current_app, g, make_response, request

from . import Granted, Guard, Permission, Principal, decision_headers, refusal_body
from ._model import Operation, principal_in
from ._request import check_route
from .wsgi import request_of

View = TypeVar("View", bound=Callable[..., object])


def protect(
    guard: Guard,
    permission: Permission,
    *,
    operation: Operation | None = None,
    otherwise: Callable[[View], View] | None = None,
) -> Callable[[View], View]:
    """Lets only granted requests reach a view, which reads ``principal()``.

    :param otherwise: the platform's own decorator, for each request without an API key
    """
    check_route(permission, operation)

    def decorate(view: View) -> View:
        other = otherwise(view) if otherwise else None

        @wraps(view)
        def guarded(*args: object, **params: object) -> Response:
            asked = request_of(request.environ, request.view_args or {})
            if other and not guard.is_api_key(asked):
                return make_response(current_app.ensure_sync(other)(*args, **params))
            decision = guard.check(guard.question(asked, permission, operation))

            @after_this_request  # To answers of error handlers, too.
            def with_headers(response: Response) -> Response:
                for name, value in decision_headers(decision, response.headers.keys()).items():
                    if name == "Access-Control-Expose-Headers":
                        response.headers.add(name, value)
                    else:
                        response.headers[name] = value
                return response

            if not isinstance(decision, Granted):
                return Response(refusal_body(decision), decision.status)
            g.latchkey_principal = decision.principal
            return make_response(current_app.ensure_sync(view)(*args, **params))

        return guarded  # type: ignore[return-value]

    return decorate


def principal() -> Principal:
    """:raises RuntimeError: this request did not pass a guard"""
    return principal_in(g.get("latchkey_principal"))
