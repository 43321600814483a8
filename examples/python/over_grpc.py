"""A service that accepts Latchkey API keys. It validates each request with Latchkey, with grpcio."""

import json
import os
from wsgiref.simple_server import make_server

import grpc
from latchkey.v1 import api_key_service_pb2 as latchkey

METHODS = {"GET": "READ", "HEAD": "READ", "OPTIONS": "READ", "POST": "WRITE", "PUT": "WRITE", "PATCH": "WRITE"}
FORWARDING = {"HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED", "HTTP_X_REAL_IP"}
MESSAGES = {401: "invalid api key", 403: "operation not allowed", 429: "too many requests", 503: "service unavailable"}

channel = grpc.insecure_channel(os.environ.get("LATCHKEY_GRPC_TARGET", "127.0.0.1:50051"))
validate_key = channel.unary_unary(
    "/latchkey.v1.ApiKeyService/ValidateKey",
    request_serializer=latchkey.ValidateKeyRequest.SerializeToString,
    response_deserializer=latchkey.ValidateKeyResponse.FromString,
)
identity = [("authorization", f"Bearer {os.environ['LATCHKEY_SERVICE_TOKEN']}")]
deadline_seconds = int(os.environ.get("LATCHKEY_DEADLINE_MS", "200")) / 1000


def validate(environ, resource):
    operation = METHODS.get(environ["REQUEST_METHOD"], "DESTROY")
    question = latchkey.ValidateKeyRequest(
        authorization=environ.get("HTTP_AUTHORIZATION", ""),
        operation=f"OPERATION_{operation}",
        permission=f"{resource}:{'read' if operation == 'READ' else 'write'}",
        # Behind a proxy, take the address that the proxy names, and only from the proxy. Without one it is unknown.
        client_ip="" if FORWARDING & environ.keys() else environ["REMOTE_ADDR"],
        user_agent=environ.get("HTTP_USER_AGENT", "")[:256],
    )
    return question, validate_key(question, metadata=identity, timeout=deadline_seconds)


def app(environ, start_response):
    try:
        question, answer = validate(environ, "systems")
    except grpc.RpcError:
        return refuse(start_response, 503)
    if answer.HasField("grant"):
        start_response("200 OK", [("Content-Type", "application/json")])
        return [json.dumps({"owner": answer.grant.owner_id}).encode()]
    denial = answer.denial
    if denial.http_status == 401:
        return refuse(start_response, 401, ("WWW-Authenticate", "Bearer"))
    if denial.reason == latchkey.REASON_ADDRESS_NOT_ALLOWED:
        return refuse(start_response, 403)
    if denial.http_status == 403:
        lacks = denial.reason == latchkey.REASON_MISSING_PERMISSION or (
            denial.reason == latchkey.REASON_READ_ONLY_KEY and not question.permission.endswith(":read")
        )
        scope = f', scope="{question.permission}"' if lacks else ""
        return refuse(start_response, 403, ("WWW-Authenticate", f'Bearer error="insufficient_scope"{scope}'))
    wait = denial.retry_after.seconds + (denial.retry_after.nanos > 0)
    return refuse(start_response, 429, ("Retry-After", str(max(1, wait))))


def refuse(start_response, status, *headers):
    start_response(f"{status} Refused", [("Content-Type", "application/json"), *headers])
    return [json.dumps({"message": MESSAGES[status]}).encode()]


if __name__ == "__main__":
    make_server("127.0.0.1", int(os.environ.get("PORT", "8000")), app).serve_forever()
