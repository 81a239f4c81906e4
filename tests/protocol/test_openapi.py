"""The OpenAPI document: current, valid, and of the same types as the wire."""

import json
import re
from typing import Any, Final

import jsonschema_rs
from openapi_spec_validator import OpenAPIV31SpecValidator
from tests.protocol.logs import LOGS
from tests.protocol.openapi import PLACE, made
from tests.protocol.valid import misfit

from tenmatch.protocol.openapi import PAGES
from tenmatch.protocol.record import encode, record_of
from tenmatch.protocol.schema import schemas

DOCUMENT: Final[dict[str, Any]] = json.loads(PLACE.read_text())


def test_it_is_what_the_code_makes() -> None:
    assert PLACE.read_text() == made(), "the pages are not what they were: make openapi"


def test_it_is_an_openapi_document() -> None:
    assert [str(error) for error in OpenAPIV31SpecValidator(DOCUMENT).iter_errors()] == []
    for schema in DOCUMENT["components"]["schemas"].values():
        jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})


def test_what_is_also_said_on_a_connection_is_described_alike() -> None:
    wire = schemas()
    both = wire.keys() & DOCUMENT["components"]["schemas"].keys()
    assert {"RoomLine", "Person", "Standing", "Options"} <= both
    for name in both:
        assert DOCUMENT["components"]["schemas"][name] == wire[name]


def test_each_page_has_a_name_of_its_own_and_says_what_it_is_asked_with() -> None:
    assert len({page.name for page in PAGES}) == len(PAGES) == len({page.path for page in PAGES})
    for page in PAGES:
        in_path = {parameter.name for parameter in page.parameters if parameter.place == "path"}
        assert in_path == {*re.findall(r"{(\w+)}", page.path)}
        assert page.answers[0].status == 200


def test_records_of_all_kinds_of_events_fit() -> None:
    seen = set()
    for log in LOGS.values():
        record = record_of(log.entries)
        if record is None:  # its game did not end
            continue
        told = json.loads(encode(record))
        assert misfit("Record", told) is None
        assert misfit("Record", {**told, "more": 1}) is not None
        seen |= {event["kind"] for event in told["events"]}
    kinds = {name.removeprefix("Recorded").lower() for name in DOCUMENT["components"]["schemas"]}
    assert seen <= kinds
    assert len(seen) > 10
