"""What examples/python-api answers, without a guard."""

from fastapi import FastAPI

app = FastAPI()


@app.get("/systems")
async def all_systems() -> dict[str, object]:
    return {"owner": "owner-0", "systems": {"sys-1": "Billing", "sys-2": "Search"}}
