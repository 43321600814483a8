"""An inventory of systems behind Latchkey API keys. It does not check keys itself; the guard does."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException

from latchkey_guard import Principal
from latchkey_guard.fastapi import FastAPIGuard

SYSTEMS = {"sys-1": "Billing", "sys-2": "Search"}

target = os.environ.get("LATCHKEY_TARGET", "http://127.0.0.1:3080")
guard = FastAPIGuard(target, os.environ.get("LATCHKEY_SERVICE_TOKEN"), leases=True)


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
    yield
    await guard.aclose()


app = FastAPI(lifespan=lifespan)
guard.install(app)


@app.get("/systems")
async def all_systems(principal: Annotated[Principal, Depends(guard.protect("systems:read"))]) -> dict[str, object]:
    return {"owner": principal.owner_id, "systems": SYSTEMS}


@app.get("/systems/{id}", dependencies=[Depends(guard.protect("systems/{id}:read"))])
async def one_system(id: str) -> dict[str, str]:
    if id not in SYSTEMS:
        raise HTTPException(404, "no such system")
    return {"id": id, "name": SYSTEMS[id]}
