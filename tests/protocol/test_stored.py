"""Stored entries: the bytes that server/protocol.md promises, the chain, and what happens to broken ones."""

from hashlib import sha256
from typing import Any, Final

import msgpack
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.protocol.logs import EVENTS, KINDS, LOGS, Log, patient

from tenmatch.game.events import AnyEvent, Created, Ended, EndReason, Passed, Player, Rank, Resigned, Seated
from tenmatch.game.ids import Millis, MoveNumber, PlayerId, SeatNumber
from tenmatch.protocol.stored import (
    StoredError,
    chain_after,
    continues,
    open_all,
    salt_of,
    seal,
    seal_all,
    unseal,
)

SALT = bytes(range(16))
CHAINS = st.integers(0, 2**32 - 1)
SEATED = Seated(
    at=Millis(1_798_761_600_000),
    seat=SeatNumber(1),
    player=Player(id=PlayerId("b8rj3vnd5ycs"), name="Lynx 27"),
)
LOG_NAMES = sorted(LOGS)

# The table of events in server/protocol.md, then what is stored beyond it.
ORDER = {
    "created": "mode options private code host commit join_by daily seed salt rules",
    "seated": "seat player ready",
    "unseated": "seat reason host",
    "readied": "seat ready",
    "starting": "starts_at",
    "started": "board adds_left ends_at turn clocks teams hash",
    "matched": "seat n a b rows points score left open turn clocks ends_at hash",
    "mistaken": "seat n code a b blockers points score locked_until clocks seen hash",
    "called": "seat n points score seen hash",
    "added": "digits first adds_left left open seat n turn clocks hash",
    "passed": "seat n turn clocks hash",
    "flagged": "seat turn clocks hash",
    "resigned": "seat n kicked turn clocks hash",
    "shifted": "by_ms hash",
    "ended": "reason ranking closed seed salt hash",
    "rematch": "seat want room",
}
INNER = {
    "options": "size deal adds seconds base_s increment_s max_players countdown_ms penalty row_again "
    "spectators spectator_delay_ms rated chat teams",
    "player": "id name bot rating",
    "ranking": "seat place score mistakes",
}


def test_an_entry_is_version_chain_and_map() -> None:
    raw = seal(SEATED, 1, 0xA1B2C3D4, SALT).raw
    body = bytes.fromhex(
        "84a46b696e64a6736561746564a26174cf000001a2ce8bd400a47365617401"
        "a6706c6179657284a26964ac6238726a33766e6435796373a46e616d65a74c796e78203237a3626f74c0a6726174696e67c0"
    )
    chain = sha256(SALT + bytes.fromhex("a1b2c3d4") + body).digest()[:4]
    assert raw == b"\x01" + chain + body
    assert unseal(raw) == (int.from_bytes(chain, "big"), SEATED)


OPERATORS: Final = {
    "88a46b696e64a872657369676e6564a26174cf000001a2ce8bd400a47365617401a16e05a66b69636b6564c3a47475726e00"
    "a6636c6f636b7392cd2710c0a46861736807": Resigned(
        at=SEATED.at,
        seat=SeatNumber(1),
        n=MoveNumber(5),
        kicked=True,
        turn=SeatNumber(0),
        clocks=(10_000, None),
        hash=7,
    ),
    "87a46b696e64a5656e646564a26174cf000001a2ce8bd400a6726561736f6ea96162616e646f6e6564a772616e6b696e6791"
    "84a47365617400a5706c61636501a573636f726503a86d697374616b657300a6636c6f736564c3a473616c74d92030303030"
    "30303030303030303030303030303030303030303030303030303030a46861736807": Ended(
        at=SEATED.at,
        reason=EndReason.ABANDONED,
        ranking=(Rank(SeatNumber(0), 1, 3, 0),),
        closed=True,
        salt="00" * 16,
        hash=7,
    ),
}
"""What operators do, as it was stored first; versions before pass over `kicked` and `closed`."""


@pytest.mark.parametrize("body", OPERATORS)
def test_what_operators_did_is_read_as_it_was_stored(body: str) -> None:
    event = OPERATORS[body]
    assert seal(event, 1, 0, SALT).raw[5:] == bytes.fromhex(body)
    assert unseal(b"\x01\0\0\0\0" + bytes.fromhex(body)) == (0, event)


@given(EVENTS, CHAINS)
@patient
def test_what_is_sealed_is_read_again(event: AnyEvent, previous: int) -> None:
    raw = seal(event, 1, previous, SALT).raw
    assert unseal(raw) == (chain_after(SALT, previous, raw[5:]), event)
    assert continues(previous, SALT, raw)


@given(EVENTS)
@patient
def test_the_map_is_what_another_encoder_makes_of_the_event(event: AnyEvent) -> None:
    assert seal(event, 1, 0, SALT).raw[5:] == msgspec.msgpack.encode(event)


@given(EVENTS)
@patient
def test_fields_stand_in_order_and_absent_ones_are_left_out(event: AnyEvent) -> None:
    stored: dict[str, Any] = msgpack.unpackb(seal(event, 1, 0, SALT).raw[5:])
    order = ["kind", "at", *ORDER[stored["kind"]].split()]
    assert list(stored) == [name for name in order if name in stored]
    assert set(stored) == {name for name in order[1:] if getattr(event, name) is not None} | {"kind"}
    for name, keys in INNER.items():
        inner = stored.get(name, [])
        for one in inner if isinstance(inner, list) else [inner]:
            assert list(one) == [key for key in keys.split() if key in one or key != "chat"]


def test_every_kind_has_its_order() -> None:
    assert list(ORDER) == [kind.__struct_config__.tag for kind in KINDS]


@given(EVENTS, CHAINS, st.data())
@patient
def test_any_changed_byte_breaks_the_chain(event: AnyEvent, previous: int, data: st.DataObject) -> None:
    raw = bytearray(seal(event, 1, previous, SALT).raw)
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    assert not continues(previous, SALT, bytes(raw))


@given(EVENTS, CHAINS, CHAINS)
@patient
def test_an_entry_continues_one_log_only(event: AnyEvent, previous: int, other: int) -> None:
    raw = seal(event, 1, previous, SALT).raw
    assert continues(other, SALT, raw) == (other == previous)
    assert not continues(previous, bytes(16), raw)


@pytest.mark.parametrize("raw", [b"", b"\x01", b"\x01abcd", b"\x01abc"])
def test_too_short_an_entry_continues_nothing(raw: bytes) -> None:
    assert not continues(0, SALT, raw)
    with pytest.raises(StoredError):
        unseal(raw)


@given(st.binary(max_size=200))
@patient
def test_garbage_is_no_entry(garbage: bytes) -> None:
    for raw in (garbage, b"\x01\0\0\0\0" + garbage):
        with pytest.raises(StoredError):
            unseal(raw)


def packed(**fields: object) -> bytes:
    return b"\x01\0\0\0\0" + msgspec.msgpack.encode(fields)


@pytest.mark.parametrize(
    "raw",
    [
        packed(kind="vanished", at=1),
        packed(at=1),
        packed(kind="readied", at=1, seat=0),
        packed(kind="readied", at=1.0, seat=0, ready=True),
        packed(kind="readied", at=1, seat=True, ready=True),
        packed(kind="seated", at=1, seat=0, player={"id": b"x", "name": "x"}),
        packed(kind="readied", at=1, seat=0, ready=True) + b"\xc0",
        packed(kind="readied", at=1, seat=0, ready=True)[:-1],
        b"\x01\0\0\0\0\x82\xa4kind\xa7shifted\xa1x" + b"\x91" * 5000 + b"\xc0",
        b"\x01\0\0\0\0\x82\xa4kind\xa7started\xa5board\xa2\xff\xff",
        b"\x02" + seal(SEATED, 1, 0, SALT).raw[1:],
        b"\x00" + seal(SEATED, 1, 0, SALT).raw[1:],
    ],
)
def test_what_no_version_wrote_is_no_entry(raw: bytes) -> None:
    with pytest.raises(StoredError):
        unseal(raw)


def test_a_field_of_a_later_version_is_ignored() -> None:
    raw = packed(kind="readied", at=1, mood="grim", seat=0, ready=True)
    assert unseal(raw)[1].at == 1


@pytest.mark.parametrize("name", LOG_NAMES)
def test_a_frozen_log_is_read_to_its_events(name: str) -> None:
    log = LOGS[name]
    assert [entry.event for entry in log.entries] == log.events
    assert [entry.raw for entry in log.entries] == log.raws
    assert [entry.seq for entry in log.entries] == list(range(1, len(log.raws) + 1))
    assert open_all(log.raws, 0, 0, log.salt) == log.entries


@pytest.mark.parametrize("name", LOG_NAMES)
def test_the_events_of_a_frozen_log_are_written_to_the_same_bytes(name: str) -> None:
    log = LOGS[name]
    assert seal_all(log.events, 0, 0, log.salt) == log.entries


def test_the_frozen_logs_have_every_kind() -> None:
    assert {type(event) for log in LOGS.values() for event in log.events} == set(KINDS)


def test_a_log_is_read_and_written_on_from_anywhere() -> None:
    log = LOGS["race"]
    for seq in range(1, len(log.raws)):
        head = log.entries[seq - 1]
        assert open_all(log.raws[seq:], seq, head.chain, log.salt) == log.entries[seq:]
        assert seal_all(log.events[seq:], seq, head.chain, log.salt) == log.entries[seq:]


def broken(log: Log) -> dict[str, list[bytes]]:
    raws = log.raws
    return {
        "one missing": raws[:4] + raws[5:],
        "two swapped": [*raws[:4], raws[5], raws[4], *raws[6:]],
        "one twice": [*raws[:5], raws[4], *raws[5:]],
        "the beginning missing": raws[1:],
        "one from another log": [*raws[:5], LOGS["turns"].raws[5], *raws[6:]],
        "another beginning": [LOGS["turns"].raws[0], *raws[1:]],
    }


@pytest.mark.parametrize("raws", broken(LOGS["race"]).values(), ids=broken(LOGS["race"]))
def test_a_log_that_does_not_hang_together_is_not_read(raws: list[bytes]) -> None:
    with pytest.raises(StoredError):
        open_all(raws, 0, 0)
    with pytest.raises(StoredError):
        open_all(raws, 0, 0, LOGS["race"].salt)


def test_a_log_without_a_salt_begins_with_created() -> None:
    [first, *_] = seal_all([SEATED], 0, 0, SALT)
    with pytest.raises(StoredError, match="begins with created, not seated"):
        open_all([first.raw], 0, 0)


@pytest.mark.parametrize("salt", ["", "00" * 15, "00" * 17, "zz" * 16])
def test_a_salt_has_sixteen_bytes_in_hex(salt: str) -> None:
    created = LOGS["race"].events[0]
    assert isinstance(created, Created)
    assert salt_of(created) == LOGS["race"].salt
    with pytest.raises(StoredError, match="salt"):
        salt_of(msgspec.structs.replace(created, salt=salt))


def test_nothing_of_nothing() -> None:
    assert open_all([], 0, 0) == seal_all([], 0, 0, SALT) == []


def test_a_number_has_its_shortest_form() -> None:
    event = Passed(
        at=Millis(2**32), seat=SeatNumber(127), n=MoveNumber(128), clocks=(255, 256, 65535, 65536, None)
    )
    body = seal(event, 1, 0, SALT).raw[5:]
    assert bytes.fromhex("cf0000000100000000") in body
    assert bytes.fromhex("a4736561747f") in body
    assert bytes.fromhex("a16ecc80") in body
    assert bytes.fromhex("95ccffcd0100cdffffce00010000c0") in body
