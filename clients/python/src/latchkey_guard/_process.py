"""A real Latchkey for tests."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
import time
import urllib.request
from contextlib import ExitStack
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

_PASSWORD = "correct horse battery staple"


class Latchkey:
    """`npm start` of a checkout on free ports, with its own PostgreSQL and demo values, until the ``with`` ends.

    It needs Node.js. Further variables are keywords: ``Latchkey("../latchkey", LEASE_MS="500")``."""

    service_token = "dev-validator-token"

    def __init__(self, checkout: str | os.PathLike[str], **env: str) -> None:
        self._checkout, self._env = Path(checkout).resolve(), env
        direct = urllib.request.ProxyHandler({})
        self._opener = urllib.request.build_opener(direct, urllib.request.HTTPCookieProcessor(CookieJar()))

    def __enter__(self) -> Latchkey:
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="latchkey-"))
            # As root, PostgreSQL runs as another user, who must be able to enter the folder.
            os.chmod(folder, 0o755)
            http, grpc, services, example = _free_ports(4)
            ports = {"HTTP_PORT": http, "GRPC_PORT": grpc, "SERVICES_PORT": services, "SYSTEMS_API_PORT": example}
            self.url, self.target = f"http://127.0.0.1:{http}", f"http://127.0.0.1:{services}"
            env = {**os.environ, **{name: str(port) for name, port in ports.items()}}
            env |= {"DATA_DIR": f"{folder}/data", **self._env}
            output = stack.enter_context(tempfile.TemporaryFile())
            program = ["node", "scripts/start.mjs"]
            process = subprocess.Popen(program, cwd=self._checkout, env=env, stdout=output, stderr=output)
            stack.callback(process.wait)
            stack.callback(process.terminate)
            while not self._is_ready():
                if process.poll() is not None:
                    output.seek(0)
                    raise RuntimeError(f"Latchkey of {self._checkout} ended: {output.read().decode(errors='replace')}")
                time.sleep(0.1)
            self._call("/v1/session", {"email": "demo@latchkey.dev", "password": _PASSWORD})
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def new_key(self, access: str = "read-and-write", *permissions: str) -> tuple[str, str]:
        """A key of the demo owner, who has systems:read and systems:write, and its id."""
        order: dict[str, object] = {"name": "test", "access": access, "expiresInDays": 1, "password": _PASSWORD}
        made = self._call("/v1/api-keys", order | ({"permissions": permissions} if permissions else {}))
        return made["fullKey"], made["apiKey"]["id"]

    def revoke(self, key_id: str) -> None:
        """Returns once no guard grants the key any more."""
        self._call(f"/v1/api-keys/{key_id}/revoke", {})

    def _is_ready(self) -> bool:
        try:
            self._opener.open(f"{self.url}/readyz").close()
        except OSError:
            return False
        return True

    def _call(self, path: str, body: dict[str, object]) -> Any:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}{path}", json.dumps(body).encode(), headers)
        with self._opener.open(request) as answer:
            return json.loads(answer.read() or b"null")


def _free_ports(count: int) -> list[int]:
    """All of them are open at once, so that no port comes twice."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in sockets]
