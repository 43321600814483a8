"""The scripted Latchkey of clients/conformance."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CONFORMANCE = Path(__file__).parents[2] / "conformance"


class Latchkey:
    def __init__(self, ports: dict[str, int]) -> None:
        self.url = f"http://127.0.0.1:{ports['http']}"
        self._control = f"http://127.0.0.1:{ports['control']}"

    def script(self, *answers: dict[str, Any]) -> None:
        self._call("PUT", json.dumps(answers).encode())

    def seen(self) -> dict[str, Any]:
        return self._call("GET", None)

    def asked(self) -> list[dict[str, Any]]:
        asked: list[dict[str, Any]] = self.seen()["asked"]
        return asked

    def _call(self, method: str, body: bytes | None) -> dict[str, Any]:
        request = urllib.request.Request(self._control, body, method=method)
        with urllib.request.urlopen(request) as response:
            read: dict[str, Any] = json.load(response)
        return read


@pytest.fixture(scope="session")
def latchkey() -> Iterator[Latchkey]:
    program = ["node", str(CONFORMANCE / "latchkey.mjs")]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        yield Latchkey(json.loads(process.stdout.readline()))
        process.communicate()
