"""The README's code, as it stands there."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import Latchkey

from latchkey_guard import Guard
from latchkey_guard.testing import LatchkeyFake

README = (Path(__file__).parents[1] / "README.md").read_text()
GRANT = {
    "keyId": "k",
    "ownerId": "acme",
    "access": "ACCESS_LEVEL_READ_ONLY",
    "permissions": ["systems:read"],
    "expiresAt": "2030-03-17T17:46:40Z",
}
REFUSED = {"denial": {"reason": "REASON_MISSING_PERMISSION", "httpStatus": 403, "message": "operation not allowed"}}
KEY = {"Authorization": "Bearer lk_key"}


def code_under(heading: str) -> str:
    found = re.search(rf"^#+ {re.escape(heading)}\n.*?^```python\n(.*?)^```", README, re.S | re.M)
    assert found
    return found[1]


@pytest.fixture
def run(latchkey: Latchkey, monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(heading: str) -> ModuleType:
        monkeypatch.setenv("LATCHKEY_SERVICE_TOKEN", "token")
        module = ModuleType("pasted")
        # FastAPI finds the types of a handler by its module.
        monkeypatch.setitem(sys.modules, "pasted", module)
        code = code_under(heading).replace("http://127.0.0.1:3080", latchkey.url)
        exec(code.replace('"])\napp', '"], deadline_ms=60_000)\napp'), module.__dict__)
        return module

    return run


def check(latchkey: Latchkey, get: Any, wrong: str) -> None:
    """:param get: answers a path with status, body and headers"""
    latchkey.script({"answer": {"grant": GRANT, "rateLimit": {"limit": 5, "remaining": 4, "resetAfter": "1s"}}})
    status, body, headers = get("/systems/42")
    assert (status, body) == (200, {"id": "42", "owner": "acme"})
    assert headers["Latchkey-Key-Expires"] == "2030-03-17T17:46:40.000Z"
    assert headers["RateLimit"] == '"key";r=4;t=1'
    asked = latchkey.asked()[-1]
    assert (asked["identity"], asked["question"]["permission"]) == ("Bearer token", "systems/42:read")
    latchkey.script({"answer": REFUSED})
    status, body, headers = get("/systems/42")
    assert (status, body) == (403, {"message": "operation not allowed"})
    assert headers["WWW-Authenticate"] == 'Bearer error="insufficient_scope", scope="systems/42:read"'
    get(wrong)
    assert latchkey.asked()[-1]["question"]["operation"] == "OPERATION_DESTROY"


def test_flask_adds_the_headers_of_a_grant_to_answers_of_error_handlers(latchkey_fake: LatchkeyFake) -> None:
    from flask import Flask, abort

    from latchkey_guard.flask import protect

    guard = Guard("http://127.0.0.1:1", "token")
    latchkey_fake.grants("lk_key")
    app = Flask("aborts")

    @app.get("/systems")
    @protect(guard, "systems:read")
    def systems() -> str:
        abort(404)

    response = app.test_client().get("/systems", headers=KEY)
    assert (response.status_code, "Latchkey-Key-Expires" in response.headers) == (404, True)


def test_wsgi_refuses_a_head_without_a_body(latchkey_fake: LatchkeyFake) -> None:
    from latchkey_guard.wsgi import Protected

    app = Protected(lambda _environ, _start: [b"never"], Guard("http://127.0.0.1:1", "token"), "systems:read")
    started: list[str] = []
    environ: Any = {"REQUEST_METHOD": "HEAD", "HTTP_AUTHORIZATION": "Bearer lk_bad"}
    assert list(app(environ, lambda status, _headers: started.append(status))) == []  # type: ignore[arg-type, return-value]
    assert started == ["401 Unauthorized"]


def test_flask(run: Any, latchkey: Latchkey) -> None:
    client = run("Flask").app.test_client()

    def get(path: str) -> Any:
        response = client.get(path, headers=KEY)
        return response.status_code, response.get_json(), response.headers

    check(latchkey, get, "/systems/a%20b")


def test_otherwise_gets_what_is_no_api_key_and_nothing_else(latchkey_fake: LatchkeyFake) -> None:
    from flask import Flask

    from latchkey_guard.flask import protect

    guard = Guard("http://127.0.0.1:1", "token")
    latchkey_fake.grants("lk_good")
    app = Flask("otherwise")

    def by_the_platform(_view: Any) -> Any:
        return lambda: ("by the platform", 401)

    @app.get("/systems")
    @protect(guard, "systems:read", otherwise=by_the_platform)
    def systems() -> str:
        return "granted"

    def get(*values: str) -> tuple[int, str]:
        response = app.test_client().get("/systems", headers=[("Authorization", value) for value in values])
        return response.status_code, response.text

    assert get("Bearer lk_good") == (200, "granted")
    for others in [(), ("Bearer eyJ.lk_.x",), ("Basic eA==",)]:
        assert get(*others) == (401, "by the platform")
    for ours in [("Bearer lk_bad",), ("bearer  lk_good",), ("Bearer eyJ.x.y", "Bearer lk_good")]:
        assert get(*ours) == (401, '{"message":"invalid api key"}')


def test_fastapi(run: Any, latchkey: Latchkey) -> None:
    from fastapi.testclient import TestClient

    app = run("FastAPI").app
    with TestClient(app) as client:

        def get(path: str) -> Any:
            response = client.get(path, headers=KEY)
            return response.status_code, response.json(), response.headers

        check(latchkey, get, "/systems/a%20b")
    openapi = app.openapi()
    assert openapi["paths"]["/systems/{id}"]["get"]["security"] == [{"API key": []}]
    assert openapi["components"]["securitySchemes"]["API key"]["scheme"] == "bearer"


def test_fastapi_adds_the_headers_of_a_grant_to_answers_that_a_route_makes_itself(latchkey_fake: LatchkeyFake) -> None:
    from fastapi import Depends, FastAPI, HTTPException, Response
    from fastapi.testclient import TestClient

    from latchkey_guard.fastapi import FastAPIGuard

    guard = FastAPIGuard("http://127.0.0.1:1", "token", credentials=["x-api-key"])
    latchkey_fake.grants("lk_good")
    app = FastAPI()
    guard.install(app)
    protected = [Depends(guard.protect("systems:read"))]

    @app.get("/made", dependencies=protected)
    async def made() -> Response:
        return Response("made")

    @app.get("/public", dependencies=protected)
    async def public() -> Response:
        return Response("public", headers={"Cache-Control": "public"})

    @app.get("/missing", dependencies=protected)
    async def missing() -> None:
        raise HTTPException(404)

    @app.get("/open")
    async def open_to_all() -> None:
        pass

    with TestClient(app) as client:

        def get(path: str, key: str = "lk_good") -> tuple[int, str | None, bool]:
            response = client.get(path, headers={"X-API-Key": key})
            headers = response.headers
            return response.status_code, headers.get("Cache-Control"), "Latchkey-Key-Expires" in headers

        assert get("/made") == (200, "private", True)
        assert get("/public") == (200, "public", True)
        assert get("/missing") == (404, "private", True)
        assert get("/made", "lk_bad") == (401, "private", False)
        assert get("/open") == (200, None, False)
    without = FastAPI()
    without.add_api_route("/made", made, dependencies=protected)
    with TestClient(without) as client, pytest.raises(RuntimeError, match="install"):
        client.get("/made", headers={"X-API-Key": "lk_good"})


def test_django(run: Any, latchkey: Latchkey) -> None:
    import django
    from django.conf import settings
    from django.test import Client, override_settings
    from django.urls import path

    guard = Guard(latchkey.url, "token", deadline_ms=60_000)
    settings.configure(
        ALLOWED_HOSTS=["*"],
        ROOT_URLCONF="urls_of_test",
        MIDDLEWARE=["latchkey_guard.django.LatchkeyMiddleware"],
        LATCHKEY={"guard": guard},
    )
    django.setup()
    from django.http import HttpRequest, JsonResponse
    from django.views import View

    from latchkey_guard.django import requires

    @requires("systems/{id}:read")
    class System(View):
        def get(self, request: HttpRequest, id: str) -> JsonResponse:
            return JsonResponse({"id": id, "owner": "acme"})

    @requires("systems/{id}:read")
    async def later(request: HttpRequest, id: str) -> JsonResponse:
        return JsonResponse({"id": id, "owner": "acme"})

    urls = ModuleType("urls_of_test")
    urls.urlpatterns = [  # type: ignore[attr-defined]
        path("systems/<id>", run("Django").system),
        path("classes/<id>", System.as_view()),
        path("async/<id>", later),
    ]
    sys.modules["urls_of_test"] = urls
    client = Client()

    def get(path: str) -> Any:
        response = client.get(path, headers=KEY)
        return response.status_code, response.json(), response.headers

    check(latchkey, get, "/systems/a%20b")
    latchkey.script({"answer": {"grant": GRANT}})
    for view in ("systems", "classes", "async"):
        assert get(f"/{view}/42")[:2] == (200, {"id": "42", "owner": "acme"})
        # Without the middleware nobody has asked Latchkey.
        with override_settings(MIDDLEWARE=[]), pytest.raises(RuntimeError, match="no guard protects this route"):
            Client().get(f"/{view}/42", headers=KEY)
    guard.close()


def test_the_fixture(run: Any, latchkey_fake: LatchkeyFake) -> None:
    names: dict[str, Any] = {}
    exec(code_under("Tests of your service"), names)
    names["test_it_shows_a_system"](run("Flask").app.test_client(), latchkey_fake)
    assert [question.permission for question in latchkey_fake.questions] == ["systems/42:read"] * 2


def test_the_lines_for_flask_pasted_into_an_empty_folder(latchkey: Latchkey, tmp_path: Path) -> None:
    """The package is installed as the README says, and imported from there."""
    package = str(Path(__file__).parents[1])
    installed = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(installed), package]
    subprocess.run(pip, check=True, cwd=tmp_path)
    folder = tmp_path / "service"
    folder.mkdir()
    code = code_under("Flask").replace("http://127.0.0.1:3080", latchkey.url)
    (folder / "app.py").write_text(code.replace('"])\napp', '"], deadline_ms=60_000)\napp'))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env = {**os.environ, "PYTHONPATH": str(installed), "LATCHKEY_SERVICE_TOKEN": "token"}
    with subprocess.Popen([sys.executable, "-m", "flask", "run", f"--port={port}"], cwd=folder, env=env) as service:
        try:

            def status(script: dict[str, Any]) -> int:
                latchkey.script(script)
                request = urllib.request.Request(f"http://127.0.0.1:{port}/systems/42", headers=KEY)
                while service.poll() is None:
                    try:
                        with urllib.request.urlopen(request) as answer:
                            assert json.load(answer) == {"id": "42", "owner": "acme"}
                            return int(answer.status)
                    except urllib.error.HTTPError as refused:
                        with refused:
                            return refused.code
                    except OSError:  # It does not listen yet.
                        time.sleep(0.05)
                raise AssertionError("the service has ended")

            def denied(reason: str, status: int) -> dict[str, Any]:
                return {"answer": {"denial": {"reason": reason, "httpStatus": status}}}

            assert status({"answer": {"grant": GRANT}}) == 200
            assert status(denied("REASON_INVALID_KEY", 401)) == 401
            assert status({"answer": REFUSED}) == 403
            assert status(denied("REASON_RATE_LIMITED", 429)) == 429
            assert status({"fault": "close"}) == 503
        finally:
            service.terminate()
