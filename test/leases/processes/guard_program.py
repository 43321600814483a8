"""The same as guard-program.mjs, with the Python guard."""

import itertools
import json
import sys
import threading
import time

from latchkey_guard import Credential, Granted, Guard, Hooks, Question

options = json.loads(sys.argv[1])
sources: dict[str, str] = {}
guard = Guard(
    options["target"],
    "dev-validator-token",
    leases=options["leases"],
    hooks=Hooks(on_decision=lambda decided: sources.update({decided.request_id: decided.source})),
)
keys: set[str] = set()
decisions: list[dict[str, object]] = []
numbers = itertools.count(1)
# As `time.sleep`, which fails under faketime (EINVAL).
pause = threading.Event().wait


def now() -> float:
    """One clock for all processes of the machine."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) / 1e6


def watch(key: str) -> None:
    while key in keys:
        number = next(numbers)
        permission = options["permissions"][number % len(options["permissions"])]
        question = Question(Credential(authorization=f"Bearer {key}"), "READ", permission)
        started = now()
        decision = guard.check(question)
        one: dict[str, object] = {
            "startedAt": started,
            "endedAt": now(),
            "isFromLease": sources.pop(question.request_id) == "lease",
            "status": decision.status,
            "permission": permission,
        }
        if isinstance(decision, Granted):
            principal = decision.principal
            version = principal.attributes.get("version")
            one |= {"keyId": principal.key_id, "granted": principal.permissions, "version": version}
        decisions.append(one)
        pause(options["paceMs"] / 1000)


def report() -> None:
    while True:
        pause(0.05)
        made = decisions[:]
        del decisions[: len(made)]
        if made:
            print(json.dumps({"decisions": made}), flush=True)


threading.Thread(target=report, daemon=True).start()
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    wanted = set(json.loads(line)["keys"])
    added = wanted - keys
    keys = wanted
    for each in added:
        threading.Thread(target=watch, args=(each,), daemon=True).start()
