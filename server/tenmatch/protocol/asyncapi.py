"""The wire as an AsyncAPI 3 document: what is said on `/v1`, by whom, and what is answered.

Written from the server's side, as AsyncAPI has it: it *receives* what clients say, and *sends*. The document
that is shipped and served is `asyncapi.json` beside this file; a test sees to it that it is current.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from tenmatch.protocol import limits
from tenmatch.protocol.from_client import TYPES, AnyMove
from tenmatch.protocol.schema import HAPPENINGS, TOLD, client, schemas, server

VERSION: Final = "3.0.0"  # of AsyncAPI

ANSWERS: Final[Mapping[str, tuple[str, ...]]] = {
    "hello": ("welcome",),
    "create": ("snapshot",),
    "join": ("snapshot", "resumed"),
    "daily": ("snapshot",),
    "tournament_create": ("tournament",),
    "tournament_watch": ("tournament", "tournament_resumed", "ok"),  # on, off
    "lobby": ("rooms", "ok"),  # on, off
    "ping": ("pong",),
    **dict.fromkeys(("match", "call", "add", "pass", "resign"), ("event", "refused")),
}
"""What comes back to a message where all is well, by its `t`; to all others it is `ok`."""

UNASKED: Final = (
    "event", "snapshot", "presence", "chat", "rooms", "paired", "queued", "tournament", "tournament_event",
    "announcement", "detached", "closing",
)  # fmt: skip
"""What the server says by itself."""

_DESCRIPTION: Final = f"""\
Number Match against each other, in real time. Connect a WebSocket to `/v1`, say `hello`, then `create` or \
`join` a room.

- Subprotocols: `{limits.JSON}` (text frames, one JSON object each; so it is where none is named) and \
`{limits.MSGPACK}` (binary frames, one MessagePack map each). They say the same things.
- Every message has a `t`, its type. Ignore fields and types that you do not know: there may be more of them \
within version 1.
- Numbers are integers, and written so: `1.0` is none.
- A request may carry an `id`; exactly one message comes back with it as `re`. Moves (`match` `call` `add` \
`pass` `resign`) are answered by `room` and `n` instead; the same `n` is the same move, however often said.
- Every event of a room has the next `seq`. If one is missing, `join` with `after` and `chain`.
- The server cuts at 30 s of silence: say `ping` when nothing was heard for 5 s, and connect anew at 10 s.
"""


_HAPPENED: Final = "Something happened: `kind` says what."


class Example(NamedTuple):
    """A message as it was said."""

    title: str
    payload: Mapping[str, Any]


def document(examples: Iterable[Example]) -> dict[str, Any]:
    """Make the document.

    Args:
        examples: Messages of both sides; each stands with the messages of its type.
    """
    said: dict[str, list[Example]] = {}
    told: dict[str, list[Example]] = {}
    for example in examples:
        by_client = example.payload["t"] in TYPES and _is_clients(example)
        (said if by_client else told).setdefault(example.payload["t"], []).append(example)
    messages = {
        **{client(t): _message(t, client(t), kind.__doc__, said.get(t, ())) for t, kind in TYPES.items()},
        **{server(t): _message(t, server(t), kind.__doc__, told.get(t, ())) for t, kind in TOLD.items()},
        **{server(t): _message(t, server(t), _HAPPENED, told.get(t, ())) for t in HAPPENINGS},
    }
    for t, kind in TYPES.items():
        if "id" in kind.__struct_fields__:
            messages[client(t)]["correlationId"] = _correlation("id")
    for t, kind in TOLD.items():
        if "re" in kind.__struct_fields__:
            messages[server(t)]["correlationId"] = _correlation("re")
    return {
        "asyncapi": VERSION,
        "info": {
            "title": "tenmatch",
            "version": "1",
            "description": _DESCRIPTION,
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {
            "local": {
                "host": "127.0.0.1:8765",
                "protocol": "ws",
                "description": "As `tenmatch serve` starts it. Behind TLS the protocol is `wss`.",
            }
        },
        "channels": {
            "v1": {
                "address": "/v1",
                "title": "The connection",
                "description": "One for all rooms that a client is in.",
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in messages},
                "bindings": {"ws": {"method": "GET"}},
            }
        },
        "operations": {
            **{f"say_{t}": _said(t, kind.__doc__) for t, kind in TYPES.items()},
            **{f"hear_{t}": _told(t) for t in UNASKED},
        },
        "components": {"messages": messages, "schemas": schemas()},
    }


def answers(t: str) -> tuple[str, ...]:
    """Return what may come back to a client's message: what is due, and what is said where it cannot be."""
    return (*ANSWERS.get(t, ("ok",)), "error")


def _is_clients(example: Example) -> bool:
    """Tell whose an example is where both sides have messages of that type."""
    return example.payload["t"] not in TOLD or "id" in example.payload


def _message(t: str, name: str, about: str | None, examples: Iterable[Example]) -> dict[str, Any]:
    made: dict[str, Any] = {
        "name": t,
        "title": t,
        "summary": about,
        "payload": {"$ref": f"#/components/schemas/{name}"},
    }
    if shown := [{"name": example.title, "payload": example.payload} for example in examples]:
        made["examples"] = shown
    return made


def _correlation(field: str) -> dict[str, str]:
    return {
        "description": "The `id` of a request comes back as `re`.",
        "location": f"$message.payload#/{field}",
    }


def _messages(names: Iterable[str]) -> list[dict[str, str]]:
    return [{"$ref": f"#/channels/v1/messages/{name}"} for name in names]


def _said(t: str, about: str | None) -> dict[str, Any]:
    channel = {"$ref": "#/channels/v1"}
    return {
        "action": "receive",
        "channel": channel,
        "title": t,
        "summary": about,
        "tags": [{"name": "move" if issubclass(TYPES[t], AnyMove) else "request"}],
        "messages": _messages([client(t)]),
        "reply": {"channel": channel, "messages": _messages(map(server, answers(t)))},
    }


def _told(t: str) -> dict[str, Any]:
    return {
        "action": "send",
        "channel": {"$ref": "#/channels/v1"},
        "title": t,
        "summary": TOLD[t].__doc__ if t in TOLD else _HAPPENED,
        "tags": [{"name": "unasked"}],
        "messages": _messages([server(t)]),
    }
