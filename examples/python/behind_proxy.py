"""A service behind a proxy with a recipe of deploy/forward-auth. It knows nothing of keys, and only the proxy may reach it."""

import json
import os
from wsgiref.simple_server import make_server


def app(environ, start_response):
    owner = environ.get("HTTP_X_LATCHKEY_OWNER")
    status = "200 OK" if owner else "401 Unauthorized"
    start_response(status, [("Content-Type", "application/json")])
    return [json.dumps({"owner": owner} if owner else {"message": "come through the proxy"}).encode()]


if __name__ == "__main__":
    make_server("127.0.0.1", int(os.environ.get("PORT", "8000")), app).serve_forever()
