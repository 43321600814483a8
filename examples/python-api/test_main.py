import importlib
import sys

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from latchkey_guard.testing import Latchkey, LatchkeyFake


def service(monkeypatch: pytest.MonkeyPatch, target: str, token: str) -> FastAPI:
    monkeypatch.setenv("LATCHKEY_TARGET", target)
    monkeypatch.setenv("LATCHKEY_SERVICE_TOKEN", token)
    monkeypatch.delitem(sys.modules, "main", raising=False)
    app: FastAPI = importlib.import_module("main").app
    return app


def test_a_key_for_one_system_reads_that_system_alone(
    monkeypatch: pytest.MonkeyPatch, latchkey_fake: LatchkeyFake
) -> None:
    latchkey_fake.grants("good", permissions=("systems/sys-1:read",))
    with TestClient(service(monkeypatch, "http://127.0.0.1:3080", "token")) as client:
        answers = {
            path: client.get(path, headers={"Authorization": "Bearer good"})
            for path in ("/systems/sys-1", "/systems/sys-2", "/systems")
        }
    assert [answer.status_code for answer in answers.values()] == [200, 403, 403]
    assert answers["/systems/sys-1"].json() == {"id": "sys-1", "name": "Billing"}


def test_a_revoked_key_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with Latchkey("../..", LEASE_MS="2000") as latchkey:
        key, key_id = latchkey.new_key("read-only")
        with TestClient(service(monkeypatch, latchkey.target, latchkey.service_token)) as client:

            def status() -> int:
                # On a busy machine Latchkey may need longer than the deadline.
                while True:
                    answer = client.get("/systems", headers={"Authorization": f"Bearer {key}"})
                    if answer.status_code != 503:
                        return answer.status_code

            assert [status() for _ in range(5)] == [200] * 5
            latchkey.revoke(key_id)
            assert status() == 401
