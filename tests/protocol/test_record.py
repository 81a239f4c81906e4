"""Records: what is in one, and what is none."""

import json
import re
from typing import Any

import msgspec
import pytest
from msgspec import UNSET
from tests.protocol.forgery import NAMES, chain_of, genuine, played
from tests.protocol.logs import LOGS

from tenmatch.game.events import Created, Ended, Rematch
from tenmatch.protocol.record import (
    FORMAT,
    RecordError,
    decode,
    difference,
    encode,
    public_at,
    record_of,
    shown,
)
from tenmatch.protocol.stored import Entry, seal_all

HEADING = ["format", "rules", "mode", "options", "commit", "seed", "salt", "players", "result", "events"]


@pytest.mark.parametrize("name", NAMES)
def test_a_record_is_read_as_it_was_written(name: str) -> None:
    record = genuine(name)
    text = json.dumps(record).encode()
    assert json.loads(encode(decode(text))) == record
    assert list(record) == HEADING
    assert record["format"] == FORMAT


def test_the_order_in_which_a_record_has_its_fields_means_nothing() -> None:
    text = json.dumps(genuine("turns"), sort_keys=True).encode()
    assert list(json.loads(encode(decode(text)))) == HEADING


@pytest.mark.parametrize("name", LOGS)
def test_a_record_has_the_fields_of_the_log_in_their_order(name: str) -> None:
    record, log = genuine(f"frozen {name}"), LOGS[name]
    chain = 0
    for event, entry in zip(record["events"], log.entries, strict=False):
        fields = list(msgspec.msgpack.decode(entry.raw[5:]))
        assert list(event) == ["seq", "chain", *fields]
        assert (event["seq"], event["chain"]) == (entry.seq, entry.chain)
        chain = chain_of(event, chain, log.salt)
        assert chain == entry.chain


def test_the_heading_says_what_the_game_was() -> None:
    record = genuine("frozen race")
    created, ended = record["events"][0], record["events"][-1]
    for name in ("rules", "mode", "options", "commit", "seed", "salt"):
        assert record[name] == created[name]
    assert record["result"] == {"reason": ended["reason"], "ranking": ended["ranking"]}
    names = [(sitter["seat"], sitter["player"]["name"]) for sitter in record["players"]]
    assert names == [(0, "Ada"), (1, "Lynx 27")]  # and not Bo, who left before the start


def test_a_record_ends_with_the_game() -> None:
    entries = played("race")
    assert isinstance(entries[-1].event, Rematch)
    ended = next(place for place, entry in enumerate(entries) if isinstance(entry.event, Ended))
    record = record_of(entries)
    assert record is not None
    assert len(record.events) == ended + 1
    assert record == record_of(entries[: ended + 1])


def test_there_is_no_record_before_the_end() -> None:
    entries = played("race")
    ended = next(place for place, entry in enumerate(entries) if isinstance(entry.event, Ended))
    assert all(record_of(entries[:length]) is None for length in range(1, ended + 1))


def changed(entries: list[Entry], kind: type, **fields: Any) -> list[Entry]:
    """Return a log in which every event of a kind has other fields."""
    events = [
        msgspec.structs.replace(entry.event, **fields) if isinstance(entry.event, kind) else entry.event
        for entry in entries
    ]
    created = events[0]
    assert isinstance(created, Created)
    return seal_all(events, 0, 0, bytes.fromhex(created.salt))


def test_there_is_no_record_of_a_room_in_which_nobody_played() -> None:
    entries = played("before the start")
    waiting = [entry.event for entry in entries[:2]]
    ended = next(entry.event for entry in entries if isinstance(entry.event, Ended))
    unplayed = seal_all([*waiting, ended], 0, 0, bytes.fromhex(ended.salt))
    assert record_of(unplayed) is None


def test_there_is_no_record_while_the_seed_is_not_to_be_known() -> None:
    entries = played("race")
    assert record_of(entries) is not None
    assert record_of(changed(entries, Ended, seed=None)) is None


@pytest.mark.parametrize("delay", [0, 5_000, 120_000])
def test_a_record_is_out_when_the_last_watcher_has_seen_the_end(delay: int) -> None:
    entries = played("race")
    created = entries[0].event
    assert isinstance(created, Created)
    options = msgspec.structs.replace(created.options, spectator_delay_ms=delay)
    record = record_of(changed(entries, Created, options=options))
    assert record is not None
    assert public_at(record) == record.events[-1].event.at + delay


WRONG: dict[str, tuple[Any, str]] = {
    "no JSON": (b"{", "not JSON"),
    "nothing": (b"", "not JSON"),
    "nested without end": (b"[" * 100_000, "not JSON"),
    "no text": (b'{"format":"\xff"}', "not JSON"),
    "a list": ([], "an object with the format"),
    "another format": ({"format": "tenmatch-record/2"}, "an object with the format 'tenmatch-record/1'"),
    "no heading": ({"format": FORMAT, "events": []}, "missing required field `rules`"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_record_is_said(name: str) -> None:
    value, why = WRONG[name]
    with pytest.raises(RecordError, match=why) as raised:
        decode(value if isinstance(value, bytes) else json.dumps(value).encode())
    assert raised.value.event is None


def test_a_record_has_events() -> None:
    record = genuine("frozen race")
    for none in ("null", "{}", "3"):
        with pytest.raises(RecordError, match="a list of events"):
            decode(json.dumps(record | {"events": json.loads(none)}).encode())


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("points", "4", "Expected `int`, got `str`"),
        ("points", 4.0, "Expected `int`, got `float`"),
        ("points", True, "Expected `int`, got `bool`"),
        ("points", 2**53 + 1, "not exact in every language"),
        ("mood", "grim", "mood is \"grim\", should be nothing"),
        ("open", None, "open is null, should be nothing"),
        ("kind", "vanished", "Invalid value 'vanished'"),
        ("seq", "1", "Expected `int`, got `str`"),
        ("chain", None, "Expected `int`, got `null`"),
    ],
)  # fmt: skip
def test_an_event_has_its_fields_and_no_others(field: str, value: object, why: str) -> None:
    record = genuine("frozen race")
    matched = next(event for event in record["events"] if event["kind"] == "matched")
    seq, matched[field] = matched["seq"], value
    with pytest.raises(RecordError, match=why) as raised:
        decode(json.dumps(record).encode())
    assert raised.value.event == (None if "exact" in why else seq)


def test_an_event_is_an_object() -> None:
    record = genuine("frozen race")
    record["events"][3] = []
    with pytest.raises(RecordError) as raised:
        decode(json.dumps(record).encode())
    assert raised.value.event == 4


def test_nothing_is_left_to_be_guessed() -> None:
    record = genuine("frozen race")
    del record["options"]["size"]
    with pytest.raises(RecordError, match=re.escape("options.size is nothing, should be 35")):
        decode(json.dumps(record).encode())


@pytest.mark.parametrize(
    ("said", "due", "path"),
    [
        ({"a": 1}, {"a": 1}, None),
        ([1, [2]], (1, (2,)), None),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, "a[1].b"),
        ({"a": 1}, {"a": 1, "b": 0}, "b"),
        ({"a": 1, "c": 0}, {"a": 1}, "c"),
        ([1, 2], [1], "[1]"),
        ([], [None], "[0]"),
        ({"a": None}, {}, "a"),
        ({"a": [1]}, {"a": {"0": 1}}, "a"),
        ({"b": 2, "a": 1}, {"a": 0, "b": 0}, "a"),
    ],
)
def test_the_first_place_where_two_differ(said: Any, due: Any, path: str | None) -> None:
    found = difference(said, due)
    assert (found and found.path) == path


def test_what_is_shown_is_short() -> None:
    assert (shown(UNSET), shown(None), shown([1, 2])) == ("nothing", "null", "[1,2]")
    assert shown("x" * 200) == '"' + "x" * 99 + "…"
