"""A service behind a proxy with a recipe of deploy/forward-auth. It checks no keys itself, and only the proxy may reach it."""

import json
import os
from wsgiref.simple_server import make_server


def app(environ, start_response):
    owner = environ.get("HTTP_X_LATCHKEY_OWNER")
    status = "200 OK" if owner else "401 Unauthorized"
    start_response(status, [("Content-Type", "application/json")])
    return [json.dumps({"owner": owner} if owner else {"message": "only the proxy may call this service"}).encode()]


if __name__ == "__main__":
    make_server("127.0.0.1", int(os.environ.get("PORT", "8000")), app).serve_forever()
