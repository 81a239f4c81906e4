"""The wire's reference as it is served: the document, and the page made from it."""

import json
import re
from http import HTTPStatus
from typing import Final

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from tenmatch.app.reference import EVENTS, pages
from tenmatch.gateway.http import route

SITE: Final = pages()
DOCUMENT: Final = json.loads(SITE["/v1/asyncapi.json"].plain)
PAGE: Final = SITE["/v1/docs"].plain.decode()


def section(name: str) -> str:
    found = re.search(rf'<section id="{name}">.*?</section>', PAGE, re.DOTALL)
    assert found, name
    return found[0]


@pytest.mark.parametrize(("standard", "version"), [("asyncapi", "3.0.0"), ("openapi", "3.1.0")])
def test_pages_of_any_origin_may_read_the_documents(standard: str, version: str) -> None:
    answer = route(SITE, Request(f"/v1/{standard}.json", Headers()))
    assert isinstance(answer, Response)
    assert (answer.status_code, answer.headers["Content-Type"]) == (HTTPStatus.OK, "application/json")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert json.loads(answer.body)[standard] == version


def test_the_page_needs_nothing_but_its_style() -> None:
    assert set(re.findall(r'(?:src|href)="(/[^"]*)"', PAGE)) == {
        "/v1/asyncapi.json",
        "/v1/openapi.json",
        "/v1/docs.css",
        "/favicon.svg",
    }
    assert "<script" not in PAGE
    assert " style=" not in PAGE


def test_each_link_leads_to_a_place_of_its_own() -> None:
    places = re.findall(r' id="(\w+)"', PAGE)
    assert len(places) == len({*places})
    assert {*re.findall(r'href="#(\w+)"', PAGE)} == {*places}


@pytest.mark.parametrize("name", [*DOCUMENT["components"]["messages"]])
def test_each_message_has_its_fields_and_an_example(name: str) -> None:
    schema, shown = DOCUMENT["components"]["schemas"][name], section(name)
    for field in schema.get("properties", {}):
        assert field == "t" or f'<th scope="row"><code>{field}</code>' in shown
    assert name in EVENTS.values() or "<pre" in shown


def test_each_kind_of_event_has_an_example_of_its_own() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    for family, happening in (("Event", "Happening"), ("TournamentEvent", "TournamentHappening")):
        for pointer in schemas[happening]["oneOf"]:
            name = pointer["$ref"].rpartition("/")[2]
            assert f'"kind": "{name.removeprefix(family).lower()}"' in section(name)


def test_each_thing_that_is_had_over_http_says_with_what_it_is_asked_and_what_it_answers() -> None:
    for path, said in json.loads(SITE["/v1/openapi.json"].plain)["paths"].items():
        shown = section(f"had_{said['get']['operationId']}")
        assert f"GET {path}<" in shown
        for name in (*(one["name"] for one in said["get"].get("parameters", ())), *said["get"]["responses"]):
            assert f'<th scope="row"><code>{name}</code>' in shown


def test_what_may_come_back_stands_with_each_message_of_a_client() -> None:
    assert 'Answer: <a href="#ServerSnapshot">snapshot</a> <a href="#ServerResumed">' in section("ClientJoin")
