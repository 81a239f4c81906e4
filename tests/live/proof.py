"""What anyone can verify of a finished game: its stored log against what was told, the chain, the deal.

Written from server/protocol.md ("What is stored") and server/rules.md (the deal) alone.
"""

from hashlib import sha256
from itertools import count
from typing import Any, Final

import msgpack
from tests.rules.oracle import OracleGame

Message = dict[str, Any]

FIELDS: Final = {
    "created": "mode options private code host commit join_by",
    "seated": "seat player ready skill",
    "unseated": "seat reason host",
    "readied": "seat ready",
    "starting": "starts_at",
    "started": "board adds_left ends_at turn clocks",
    "matched": "seat n a b rows points score left open turn clocks ends_at",
    "mistaken": "seat n code a b blockers points score locked_until clocks",
    "called": "seat n points score",
    "added": "digits first adds_left left open seat n turn clocks",
    "passed": "seat n turn clocks",
    "flagged": "seat turn clocks",
    "resigned": "seat n turn clocks",
    "shifted": "by_ms",
    "ended": "reason ranking",
    "rematch": "seat want room",
}
LAST: Final = "seen seed salt rules hash"
OPTIONS: Final = (
    "size deal adds seconds base_s increment_s max_players countdown_ms penalty row_again spectators "
    "spectator_delay_ms rated"
)
PLAYER: Final = "id name bot rating"
SKILL: Final = "mu sigma"
RANK: Final = "seat place score mistakes"
HIDDEN: Final = {"created": "seed salt rules", "mistaken": "seen", "called": "seen"}
"""What is stored and not told before the end."""

PAIRS: Final = {27: range(12, 21), 35: range(18, 28), 36: range(19, 29)}
CLASSIC: Final = "123456789/111213141/516171819"


def verify(told: list[Message], entries: list[bytes]) -> None:
    """Fail unless a finished game's log is what was told, and as it must be in itself."""
    stored = [read(entry) for entry in entries]
    assert len(stored) == len(told)
    salt = bytes.fromhex(stored[0][2]["salt"])
    previous = 0
    for event, (chain, body, kept) in zip(told, stored, strict=True):
        assert body == write(event, kept), f"told {event}, stored {kept}"
        assert chain == chain_after(salt, previous, body) == event["chain"], event
        previous = chain
    created, ended = stored[0][2], next(event for event in told if event["kind"] == "ended")
    assert (ended["salt"], ended["seed"]) == (created["salt"], created.get("seed"))
    assert len(salt) == 16
    assert created["rules"] == 1
    boards = [event["board"] for event in told if event["kind"] == "started"]
    verify_deal(told[0], ended["seed"], boards[0] if boards else None)


def read(entry: bytes) -> tuple[int, bytes, Message]:
    """Take an entry apart: its chain, the bytes of its map, and the map."""
    assert entry[0] == 1, "version 1"
    return int.from_bytes(entry[1:5]), entry[5:], msgpack.unpackb(entry[5:])


def write(event: Message, kept: Message) -> bytes:
    """Write the map of an event that was told as it must be stored, with what is hidden as it was *kept*."""
    kind = event["kind"]
    full = event | {name: kept.get(name) for name in HIDDEN.get(kind, "").split()}
    if kind == "created":
        full["options"] = _ordered(full["options"], OPTIONS)
    if kind == "seated":
        full["player"] = _ordered(full["player"], PLAYER)
        full["skill"] = event.get("skill") and _ordered(event["skill"], SKILL)
    if kind == "rematch":
        full["room"] = event["room"] if "from" in event else None  # else it is the room it happened in
    if kind == "ended":
        full["ranking"] = [_ordered(rank, RANK) for rank in full["ranking"]]
    names = f"kind at {FIELDS[kind]} {LAST}".split()
    return bytes(msgpack.packb({name: full[name] for name in names if full.get(name) is not None}))


def _ordered(inner: Message, names: str) -> Message:
    """Give an inner map all its keys, in their order."""
    assert inner.keys() <= set(names.split()), inner
    return {name: inner.get(name) for name in names.split()}


def chain_after(salt: bytes, previous: int, body: bytes) -> int:
    """Compute the chain of an entry."""
    return int.from_bytes(sha256(salt + previous.to_bytes(4) + body).digest()[:4])


def verify_deal(created: Message, seed: str | None, board: str | None) -> None:
    """Fail unless the seed is the one committed to, and the board is dealt from it (null: no game began)."""
    options = created["options"]
    if options["deal"] == "classic":
        assert (seed, created["commit"]) == (None, None)
        assert board in (None, CLASSIC)
        return
    assert seed is not None
    assert created["commit"] == sha256(bytes.fromhex(seed)).hexdigest()
    if board is not None:
        assert board == deal(bytes.fromhex(seed), options["size"], even=options["deal"] == "even")


def deal(seed: bytes, size: int, *, even: bool = False) -> str:
    """Deal the board of a seed (rule 12)."""
    for attempt in count():
        digits = _digits(seed, attempt, size)
        rows = "/".join(digits[row : row + 9] for row in range(0, size, 9))
        classes = [sum(digits.count(str(digit)) for digit in {n, 10 - n}) for n in range(1, 6)]
        if len(OracleGame(rows).pairs()) not in PAIRS.get(size, range(1, 10**6)):
            continue
        if even and any(number % 2 for number in classes):
            continue
        return rows
    raise AssertionError("unreachable: attempts have no end")


def _digits(seed: bytes, attempt: int, size: int) -> str:
    digits = ""
    for block in count():
        for byte in sha256(seed + attempt.to_bytes(4) + block.to_bytes(4)).digest():
            if byte < 252:
                digits += str(1 + byte % 9)
        if len(digits) >= size:
            return digits[:size]
    raise AssertionError("unreachable: blocks have no end")
