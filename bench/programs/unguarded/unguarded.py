"""What examples/python-api answers, by the same routes without a guard. Each has a dependency, as the guarded ones do."""

from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException

SYSTEMS = {"sys-1": "Billing", "sys-2": "Search"}

app = FastAPI()


async def owner() -> str:
    return "owner-0"


@app.get("/systems")
async def all_systems(owner: Annotated[str, Depends(owner)]) -> dict[str, object]:
    return {"owner": owner, "systems": SYSTEMS}


@app.get("/systems/{id}", dependencies=[Depends(owner)])
async def one_system(id: str) -> dict[str, str]:
    if id not in SYSTEMS:
        raise HTTPException(404, "no such system")
    return {"id": id, "name": SYSTEMS[id]}
