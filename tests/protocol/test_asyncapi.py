"""The AsyncAPI document: current, valid, complete; and what is said is what it says."""

import json
from typing import Any, Final, get_args

import jsonschema_rs
import pytest
from tests.npm import modules
from tests.protocol.asyncapi import PLACE, made
from tests.protocol.frames import EVENTS, FROM_CLIENT, TO_CLIENT, TOURNAMENT_EVENTS, Frame
from tests.protocol.test_from_client import ALL, CASES, RANGES, decode
from tests.protocol.valid import OPEN, complaint, fits, validator

from tenmatch.protocol import from_client
from tenmatch.protocol.asyncapi import ANSWERS, UNASKED, VERSION, answers
from tenmatch.protocol.glossary import MEANINGS
from tenmatch.protocol.limits import BadMessage
from tenmatch.protocol.schema import HAPPENINGS, TOLD
from tenmatch.protocol.to_client import AnyToClient

DOCUMENT: Final[dict[str, Any]] = json.loads(PLACE.read_text())

UNKNOWN: Final = (
    "chess",
    "swiss",
)  # they can be read; only then it is asked which modes and formats there are


def test_it_is_what_the_code_makes() -> None:
    assert PLACE.read_text() == made(), "the messages are not what they were: make asyncapi"


def test_it_is_an_asyncapi_document() -> None:
    place = modules() / "@asyncapi" / "specs" / "schemas" / f"{VERSION}-without-$id.json"
    standard = jsonschema_rs.validator_for(json.loads(place.read_text()))
    assert [error.message for error in standard.iter_errors(DOCUMENT)] == []


def test_what_it_points_to_is_there() -> None:
    def pointers(part: object) -> list[str]:
        if isinstance(part, dict):
            own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
            return own + [one for value in part.values() for one in pointers(value)]
        return [one for item in part for one in pointers(item)] if isinstance(part, list) else []

    for pointer in pointers(DOCUMENT):
        found = DOCUMENT
        for part in pointer.removeprefix("#/").split("/"):
            found = found[part]


def test_each_message_has_an_example_that_fits_it() -> None:
    for name, message in DOCUMENT["components"]["messages"].items():
        assert message["examples"], name
        for example in message["examples"]:
            assert example["payload"]["t"] == message["name"]
            validator(name).validate(example["payload"])


def test_it_says_what_may_come_back_to_each_message_and_what_comes_unasked() -> None:
    told = {*TOLD, *HAPPENINGS}
    assert ANSWERS.keys() <= from_client.TYPES.keys()
    assert set(UNASKED) <= told
    assert {t for said in from_client.TYPES for t in answers(said)} | {*UNASKED} == told
    assert len(TOLD) == len(get_args(AnyToClient))


def test_every_field_has_a_line_and_every_line_a_field() -> None:
    fields = {
        (name, field)
        for name, schema in OPEN.items()
        for part in (schema, *schema.get("allOf", ()))
        for field in (part.get("properties", {}) if "then" not in part else ())
    }
    unused = set(MEANINGS)
    for name, field in sorted(fields):
        keys = {f"{name}.{field}", field}
        assert keys & MEANINGS.keys(), f"{name}.{field} says nothing of itself"
        unused -= {f"{name}.{field}"} & unused or {field}
    assert not unused


@pytest.mark.parametrize("frame", FROM_CLIENT, ids=lambda frame: frame.title)
def test_a_recorded_frame_of_a_client_fits(frame: Frame) -> None:
    assert fits(json.loads(frame.json))


@pytest.mark.parametrize("frame", [*TO_CLIENT, *EVENTS, *TOURNAMENT_EVENTS], ids=lambda frame: frame.title)
def test_a_recorded_frame_of_the_server_fits_and_one_with_more_or_less_does_not(frame: Frame) -> None:
    told = json.loads(frame.json)
    assert complaint(told) is None
    assert complaint({**told, "more": 1}) is not None
    del told["t" if len(told) == 1 else [*told][1]]
    optional = frame.types[0] in ("rooms", "pong", "error")  # whose second field is `re`
    assert (complaint(told) is None) == optional


@pytest.mark.parametrize(("name", "field"), [case for case in CASES if case[1] != "options"])
def test_a_field_fits_with_the_values_that_the_server_reads(name: str, field: str) -> None:
    good, bad = RANGES[field]
    for value in good:
        assert fits({"t": name, **ALL[name], field: value}) or value in UNKNOWN, value
    for value in bad:  # to schemas 1.0 is an integer; to the server it is not
        assert not fits({"t": name, **ALL[name], field: value}) or value == 1.0, value


@pytest.mark.parametrize(("name", "field"), CASES)
def test_a_message_fits_without_a_field_where_the_server_reads_it_so(name: str, field: str) -> None:
    without = {key: value for key, value in ALL[name].items() if key != field}
    for message in (without, {**without, field: None}):
        try:
            decode(name, message)
        except BadMessage:
            assert not fits({"t": name, **message})
        else:
            assert fits({"t": name, **message})


def test_options_fit_as_a_room_is_made_with_them() -> None:
    for good in ({}, {"size": 9}, {"deal": "even", "seed": None}, {"seed": "Ab" * 32}, {"max_players": 10}):
        assert fits({"t": "create", "mode": "race", "options": good}), good
    for bad in ({"x": 1}, {"size": 8}, {"size": "9"}, {"deal": "odd"}, {"seed": "ab"}, {"chat": 1}):
        assert not fits({"t": "create", "mode": "race", "options": bad}), bad
