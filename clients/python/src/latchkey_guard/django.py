"""Django: the middleware ``latchkey_guard.django.LatchkeyMiddleware`` and ``@requires("systems:read")`` on views.

The setting ``LATCHKEY`` has the options of the guard, such as ``{"target": …, "service_token": …}``. It may name a
``"permission"`` for views without ``requires``; without one, only views with ``requires`` are protected.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.decorators import method_decorator

from . import Granted, Guard, Permission, Principal, decision_headers, refusal_body
from ._model import Decision, Operation, principal_in
from ._request import check_route
from .wsgi import request_of

View = TypeVar("View", bound=Callable[..., Any])


def requires(permission: Permission, *, operation: Operation | None = None) -> Callable[[View], View]:
    """Of a function, or of a class-based view. Without the middleware such a view raises an error."""
    check_route(permission, operation)

    def decorate(view: View) -> View:
        if issubclass(type(view), type):
            view.dispatch = method_decorator(decorate)(view.dispatch)  # type: ignore[attr-defined]
            return view

        @wraps(view)
        def guarded(request: HttpRequest, *args: object, **params: object) -> Any:
            principal_of(request)
            return view(request, *args, **params)

        guarded.latchkey = (permission, operation)  # type: ignore[attr-defined]
        return markcoroutinefunction(guarded) if iscoroutinefunction(view) else guarded  # type: ignore[return-value]

    return decorate


class LatchkeyMiddleware:
    """Put it before middleware that reads the body. A granted request has ``request.latchkey_principal``."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        options = dict(settings.LATCHKEY)
        self._default = (options.pop("permission"), None) if "permission" in options else None
        if self._default:
            check_route(*self._default)
        self._guard = options.pop("guard", None) or Guard(**options)
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        decision: Decision | None = getattr(request, "_latchkey_decision", None)
        for name, value in decision_headers(decision, response.headers).items() if decision else ():
            before = response.headers.get(name) if name == "Access-Control-Expose-Headers" else None
            response.headers[name] = f"{before}, {value}" if before else value
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], _args: object, params: dict[str, object]
    ) -> HttpResponse | None:
        needed = getattr(view, "latchkey", None) or self._default
        if needed is None:
            return None
        question = self._guard.question(request_of(request.META, params), *needed)
        decision = self._guard.check(question)
        request._latchkey_decision = decision  # type: ignore[attr-defined]
        if isinstance(decision, Granted):
            request.latchkey_principal = decision.principal  # type: ignore[attr-defined]
            return None
        return HttpResponse(refusal_body(decision), status=decision.status)


def principal_of(request: HttpRequest) -> Principal:
    """:raises RuntimeError: this request did not pass a guard"""
    return principal_in(getattr(request, "latchkey_principal", None))
