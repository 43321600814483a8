"""What examples/python-api answers, by the same routes without a guard."""

from fastapi import FastAPI, HTTPException

SYSTEMS = {"sys-1": "Billing", "sys-2": "Search"}

app = FastAPI()


@app.get("/systems")
async def all_systems() -> dict[str, object]:
    return {"owner": "owner-0", "systems": SYSTEMS}


@app.get("/systems/{id}")
async def one_system(id: str) -> dict[str, str]:
    if id not in SYSTEMS:
        raise HTTPException(404, "no such system")
    return {"id": id, "name": SYSTEMS[id]}
