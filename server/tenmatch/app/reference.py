"""What the server tells client authors: the AsyncAPI and OpenAPI documents, and a page made from both.

The page is whole as it comes, without a script: it can be searched, linked into, printed, read in a terminal.
"""

import json
import re
from collections.abc import Iterator, Mapping
from html import escape
from importlib.resources import files
from typing import Any, Final

from tenmatch.app.website import File, ready

Json = Mapping[str, Any]
COMMON: Final = ("kind", "seq", "chain", "at", "hash")
"""Fields that every event has; they are explained once."""
EVENTS: Final = {"Event": "ServerEvent", "TournamentEvent": "ServerTournamentEvent"}
"""The message that tells an event, by how the names of its kinds begin."""
GROUPS: Final = (
    ("Client", "What a client says"),
    ("Server", "What the server says"),
    ("Event", "What happens in a room"),
    ("TournamentEvent", "What happens in a tournament"),
    ("Recorded", "What is in a record"),
    ("", "What is inside"),
)
"""Schemas by how their names begin, with the title of each group."""
HTTP: Final = "What is had over HTTP"
"""The title of what the OpenAPI document has beside schemas."""


def pages() -> dict[str, File]:
    """Return the answers by path."""
    wire = files("tenmatch.protocol").joinpath("asyncapi.json").read_bytes()
    http = files("tenmatch.protocol").joinpath("openapi.json").read_bytes()
    style = files("tenmatch.app").joinpath("reference.css").read_bytes()
    page = Page(json.loads(wire), json.loads(http)).html().encode()
    return {
        "/v1/asyncapi.json": ready("application/json", wire, for_anyone=True),
        "/v1/openapi.json": ready("application/json", http, for_anyone=True),
        "/v1/docs": ready("text/html; charset=utf-8", page, for_anyone=True),
        "/v1/docs.css": ready("text/css; charset=utf-8", style),
    }


class Page:
    """The page of an AsyncAPI and an OpenAPI document of ours."""

    def __init__(self, document: Json, http: Json) -> None:
        """Take the documents apart; schemas that both have are the same."""
        self._info = document["info"]
        self._schemas: Mapping[str, Json] = {
            **document["components"]["schemas"],
            **http["components"]["schemas"],
        }
        self._had = {said["get"]["operationId"]: (path, said["get"]) for path, said in http["paths"].items()}
        self._messages: Mapping[str, Json] = document["components"]["messages"]
        self._answers = {
            _named(said["messages"][0]): [_named(answer) for answer in said["reply"]["messages"]]
            for said in document["operations"].values()
            if "reply" in said
        }
        self._events = {
            f"{family}{example['payload']['kind'].capitalize()}": example["payload"]
            for family, message in EVENTS.items()
            for example in reversed(self._messages[message]["examples"])
        }

    def html(self) -> str:
        """Return the whole page."""
        groups = self._groups()
        links = "".join(
            f'<p class="group">{title}</p><ul>'
            + "".join(f'<li><a href="#{name}">{escape(self._title(name))}</a></li>' for name in names)
            + "</ul>"
            for title, names in groups.items()
        )
        sections = "".join(
            f"<h2>{title}</h2>{_ABOUT.get(title, '')}{''.join(map(self._section, names))}"
            for title, names in groups.items()
        )
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width,initial-scale=1">'
            f"<title>tenmatch: the wire, version {escape(self._info['version'])}</title>"
            '<link rel="icon" href="/favicon.svg" type="image/svg+xml">'
            '<link rel="stylesheet" href="/v1/docs.css"></head><body>'
            f'<nav aria-label="Contents"><details open><summary>Contents</summary>{links}</details></nav>'
            f"<main><h1>The wire, version {escape(self._info['version'])}</h1>"
            f"{_prose(self._info['description'])}"
            '<p>For machines: <a href="/v1/asyncapi.json">asyncapi.json</a> '
            "(AsyncAPI 3, with JSON Schemas of all messages) and, for what is had over HTTP, "
            '<a href="/v1/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>'
            f"{sections}</main></body></html>\n"
        )

    def _groups(self) -> dict[str, list[str]]:
        """Return the names of schemas by the title of their group, messages in the order of the document."""
        events = map(_named, self._schemas["Happening"]["oneOf"])
        order = dict.fromkeys((*self._messages, *events, *self._schemas))
        groups: dict[str, list[str]] = {title: [] for _, title in GROUPS[:-2]}
        groups |= {HTTP: [*map(_place, self._had)], **{title: [] for _, title in GROUPS[-2:]}}
        for name in order:
            if name not in ("FromClient", "ToClient"):  # all of the page
                groups[next(title for start, title in GROUPS if name.startswith(start))].append(name)
        return groups

    def _title(self, name: str) -> str:
        if name.startswith(_HAD):
            return str(self._had[name.removeprefix(_HAD)][0])
        schema = self._schemas[name]
        if name in self._messages:
            return str(self._messages[name]["name"])
        return str(schema["properties"]["kind"]["const"]) if name in self._events else name

    def _section(self, name: str) -> str:
        if name.startswith(_HAD):
            return self._page(name, *self._had[name.removeprefix(_HAD)])
        schema = self._schemas[name]
        about = schema.get("description", "")
        return (
            f'<section id="{name}"><h3><a href="#{name}">{escape(self._title(name))}</a></h3>'
            f"<p>{_inline(about)}</p>{self._answered(name)}{self._values(schema)}{self._fields(name, schema)}"
            f"{''.join(map(_example, self._examples(name)))}</section>"
        )

    def _page(self, place: str, path: str, said: Json) -> str:
        """Show what can be asked for, with what, and what is answered."""
        asked = "".join(
            self._row(one["name"], {**one["schema"], "description": one["description"]}, one["required"])
            for one in said.get("parameters", ())
        )
        answers = "".join(
            f'<tr><th scope="row"><code>{status}</code></th><td class="type">{self._content(answer)}</td>'
            f"<td>{_inline(answer['description'])}</td></tr>"
            for status, answer in said["responses"].items()
        )
        return (
            f'<section id="{place}"><h3><a href="#{place}">GET {escape(path)}</a></h3>'
            f"<p>{_inline(said['summary'])}</p>"
            f"{f'<table><tbody>{asked}</tbody></table>' if asked else ''}"
            f'<p class="answers">Answers:</p><table><tbody>{answers}</tbody></table></section>'
        )

    def _content(self, answer: Json) -> str:
        """Say briefly what an answer is made of."""
        [(media, content)] = answer.get("content", {"": {}}).items()
        if "$ref" in content.get("schema", {}):
            return self._link(_named(content["schema"]))
        return escape(media.partition(";")[0])

    def _answered(self, name: str) -> str:
        if name not in self._answers:
            return ""
        links = " ".join(self._link(answer) for answer in self._answers[name])
        return f'<p class="answers">Answer: {links}</p>'

    def _values(self, schema: Json) -> str:
        values = [f"<code>{escape(str(value))}</code>" for value in schema.get("enum", ())]
        kinds = [self._link(_named(one)) for one in schema.get("oneOf", ()) if "$ref" in one]
        return f"<p>{' '.join(values or kinds)}</p>" if values or kinds else ""

    def _examples(self, name: str) -> Iterator[object]:
        if name in self._events:
            yield self._events[name]
        elif name in self._messages and name not in EVENTS.values():
            for example in self._messages[name]["examples"]:
                yield example["payload"]

    def _fields(self, name: str, schema: Json) -> str:
        hidden = ("t", *COMMON) if name in self._events else ("t",)
        parts = schema["allOf"] if name in EVENTS.values() else [schema]
        rows = "".join(
            self._row(field, said, field in part.get("required", ()))
            for part in parts
            for field, said in part.get("properties", {}).items()
            if field not in hidden
        )
        if name in EVENTS.values():  # any kind will do
            common = self._schemas["EventReadied" if name == "ServerEvent" else "TournamentEventBegun"]
            fields = {field: common["properties"][field] for field in COMMON if field in common["properties"]}
            fields["kind"] = {"type": "string", "description": fields["kind"]["description"]}
            rows += "".join(self._row(field, said, True) for field, said in fields.items())
        return f"<table><tbody>{rows}</tbody></table>" if rows else ""

    def _row(self, field: str, said: Json, required: bool) -> str:
        mark = "" if required else ' <span class="optional">optional</span>'
        return (
            f'<tr><th scope="row"><code>{escape(field)}</code>{mark}</th>'
            f'<td class="type">{self._type(said)}</td><td>{_inline(said.get("description", ""))}</td></tr>'
        )

    def _type(self, said: Json) -> str:
        """Say briefly what a value can be."""
        match said:
            case {"$ref": _}:
                return self._link(_named(said))
            case {"allOf": [one]}:
                return self._type(one)
            case {"anyOf": several}:
                return " or ".join(map(self._type, several))
            case {"enum": values}:
                return " ".join(f"<code>{escape(str(value))}</code>" for value in values)
            case {"type": "array", "items": items}:
                return f"list, each {self._type(items)}"
            case {"const": str(value)}:
                return f"<code>{escape(value)}</code>"
        return _KINDS.get(said.get("type", ""), "text") + _range(said)

    def _link(self, name: str) -> str:
        return f'<a href="#{name}">{escape(self._title(name))}</a>'


_ABOUT: Final = {
    title: f'<p>Each is a message <a href="#{EVENTS[start]}">{message}</a>; <code>kind</code> says which. '
    "Here is what each kind has besides the fields of that message.</p>"
    for start, title, message in (
        (*GROUPS[2], "event"),
        (*GROUPS[3], "tournament_event"),
    )
}
_KINDS: Final = {
    "integer": "integer",
    "number": "number",
    "string": "text",
    "boolean": "boolean",
    "null": "null",
    "object": "map",
}


_HAD: Final = "had_"


def _place(operation: str) -> str:
    """Return where on the page it stands what can be had."""
    return f"{_HAD}{operation}"


def _named(pointer: Json) -> str:
    return str(pointer["$ref"]).rpartition("/")[2]


def _range(said: Json) -> str:
    """Say the range of a number or the length of a text, where it has one."""
    least, most = (said.get(key, said.get(other)) for key, other in _BOUNDS)
    if most is None:
        return ""
    text = f"{most}" if least == most else f"{least or 0} to {_short(most)}"
    return f' <span class="range">{text}</span>'


_BOUNDS: Final = (("minimum", "minLength"), ("maximum", "maxLength"))


def _short(number: int) -> str:
    power = number.bit_length() - 1
    for exact, text in (
        (2**power, f"2<sup>{power}</sup>"),
        (2 ** (power + 1) - 1, f"2<sup>{power + 1}</sup> - 1"),
    ):
        if number == exact and power > 20:
            return text
    return str(number)


def _inline(text: str) -> str:
    """Write a line of Markdown as HTML: code and emphasis."""
    coded = re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", coded)


def _prose(text: str) -> str:
    """Write Markdown as HTML: paragraphs, and lists of lines."""
    blocks = [block.splitlines() for block in text.strip().split("\n\n")]
    return "".join(
        f"<ul>{''.join(f'<li>{_inline(line[2:])}</li>' for line in lines)}</ul>"
        if lines[0].startswith("- ")
        else f"<p>{_inline(' '.join(lines))}</p>"
        for lines in blocks
    )


def _example(payload: object) -> str:
    """Show an example: as it is sent where it is short, else a field a line."""
    text = json.dumps(payload, ensure_ascii=False)
    if len(text) > 90 and isinstance(payload, dict):
        fields = (
            f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in payload.items()
        )
        text = "{\n  " + ",\n  ".join(fields) + "\n}"
    return f'<pre tabindex="0"><code>{escape(text, quote=False)}</code></pre>'
