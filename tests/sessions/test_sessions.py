"""The recorded sessions: they fit the schemas, and a real server still answers them in the same way."""

import json
from typing import Any

import pytest
from tests.gateway.nodes import running
from tests.protocol.valid import complaint, fits
from tests.sessions.alike import differing
from tests.sessions.record import PLACE, record
from tests.sessions.scripts import SCRIPTS

from tenmatch.app.mock.session import Kind, read


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (PLACE / f"{name}.jsonl").read_text().splitlines()]


def test_each_script_has_its_session_and_no_other_is_there() -> None:
    assert {place.stem for place in PLACE.glob("*.jsonl")} == {*SCRIPTS}
    told = (PLACE / "README.md").read_text()
    for name, script in SCRIPTS.items():
        assert f"| `{name}.jsonl` | {script.about} |" in told


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_is_said_in_it_fits_the_schemas(name: str) -> None:
    session = read(PLACE / f"{name}.jsonl")
    for step in session.steps:
        if step.kind is Kind.OUT:
            assert complaint(step.value) is None
        elif step.kind is Kind.IN:
            assert session.raw or fits(step.value), step


@pytest.mark.parametrize("name", SCRIPTS)
async def test_a_server_answers_it_as_it_was_recorded(url: str, name: str) -> None:
    async with running(url) as node:
        heard = await record(node, name)
    for number, (recorded, came) in enumerate(zip(lines(name), heard, strict=False), 1):
        assert differing({"line": recorded}, {"line": came}) is None, f"line {number}: make sessions?"
    assert differing(lines(name), heard) is None


def test_what_is_another_each_time_is_alike_and_nothing_else() -> None:
    one = {"out": {"room": "k7mp2xw9qd", "at": 1, "code": "stale", "seats": [{"id": "a1"}, {"id": "b2"}]}}
    again = {"out": {"room": "h4tr9zw9qd", "at": 2, "code": "stale", "seats": [{"id": "c1"}, {"id": "d2"}]}}
    assert differing(one, again) is None
    for wrong in (
        {**again["out"], "code": "locked"},
        {**again["out"], "at": None},
        {**again["out"], "more": 1},
        {**again["out"], "seats": [{"id": "c1"}]},
    ):
        assert differing(one, {"out": wrong}) is not None
    assert differing([one, one], [again, {"out": {**again["out"], "room": "k7mp2xw9qe"}}]) is not None
