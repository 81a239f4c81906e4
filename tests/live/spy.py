"""A player of a mirror game who wants to know more of the others' boards than they are told.

Nothing a rival is sent names a move. Whoever writes down every move that could have been made, byte by byte,
finds none of them again in `chain` or `hash`; with the salt, which nobody has before the end, one would.
"""

from collections.abc import Iterator
from copy import deepcopy
from hashlib import sha256
from typing import Any, Final
from zlib import crc32

from tests.live.oracle_room import RoomJudge
from tests.live.proof import chain_after, write
from tests.live.standing import Sheet

Message = dict[str, Any]

ENVELOPE: Final = frozenset("t room seq chain at hash kind".split())
PROGRESS: Final = frozenset("seat left rows_closed score mistakes ends_at".split())
BEFORE_PLAY: Final = frozenset("created seated unseated readied starting started".split())


def only_progress(inbox: list[Message], seat: int) -> int:
    """Fail if anything a player was told before the end says more of rivals than it may; count what does."""
    count = 0
    for message in inbox:
        if message["t"] == "snapshot" and message["state"]["phase"] == "playing":
            _check_state(message["state"], seat)
        events = message.get("events", [message] if message["t"] == "event" else [])
        if any(event["kind"] == "ended" for event in events):
            return count
        for event in events:
            if event["kind"] in BEFORE_PLAY or event.get("seat") == seat:
                continue
            assert event["hash"] is None, event
            assert event["kind"] in ("progress", "resigned", "shifted"), event
            if event["kind"] == "progress":
                assert event.keys() <= ENVELOPE | PROGRESS, event
                count += 1
    return count


def _check_state(state: Message, seat: int) -> None:
    assert not {"board", "ids", "next_id", "adds_left", "left", "open"} & state.keys()
    assert [board is not None for board in state["boards"]] == [
        place == seat for place in range(len(state["boards"]))
    ]
    for place, rival in enumerate(state["seats"]):
        if rival is not None and place != seat:
            assert (rival["locked_until"], rival["last_n"]) == (None, 0), rival


def moves_named(told: list[Message], judge: RoomJudge, salts: list[bytes]) -> dict[int, list[Message]]:
    """Return, for each progress that was *told*, the moves that its chain or hash fits, by its seq.

    Whoever looks knows all of the game but the moves in question: the boards before them, and who moved when.

    Args:
        salts: What is tried as the salt.
    """
    found: dict[int, list[Message]] = {}
    for event in told:
        if event["kind"] == "progress":
            previous = judge.told[event["seq"] - 2]["chain"]
            moves = _possible(event, judge)
            found[event["seq"]] = [move for move in moves if _fits(event, move, previous, salts)]
    return found


def _fits(event: Message, move: Message, previous: int, salts: list[bytes]) -> bool:
    body = write(move, {})
    plain = previous.to_bytes(4) + body
    chains = [chain_after(salt, previous, body) for salt in salts]
    chains += [crc32(body), crc32(plain), *(int.from_bytes(sha256(of).digest()[:4]) for of in (body, plain))]
    return event["chain"] in chains or event["hash"] in (move["hash"], *chains)


def _possible(event: Message, judge: RoomJudge) -> Iterator[Message]:
    """Yield every legal match, either way round, and the Add, as the event that it would have been."""
    before, seat = judge.standings[event["seq"] - 1], event["seat"]
    chair, sheet = before.chair(seat), before.sheet(seat)
    n = judge.told[event["seq"] - 1]["n"]
    moved = {"at": event["at"], "seat": seat, "n": n}
    for a, b in sheet.game.pairs():
        for pair in ({"a": a, "b": b}, {"a": b, "b": a}):
            yield {**moved, **pair, **_matched(deepcopy(sheet), a, b, chair.score), **_end(event)}
    if sheet.can_add():
        yield {**moved, **_added(deepcopy(sheet))}


def _matched(sheet: Sheet, a: int, b: int, score: int) -> Message:
    game = sheet.game
    points = game.pair_points(a, b) + game.row_points(a, b)
    rows = game.match(a, b)
    points += 0 if game.left() else 150 + 10 * sheet.adds_left
    told = {"kind": "matched", "rows": rows, "points": points, "score": score + points, "left": game.left()}
    return {**told, "open": bool(game.pairs()), "hash": game.hash()}


def _added(sheet: Sheet) -> Message:
    game, first = sheet.game, sheet.game.next_id
    told = {"kind": "added", "first": first, "digits": game.add(), "adds_left": sheet.adds_left - 1}
    return {**told, "left": game.left(), "open": bool(game.pairs()), "hash": game.hash()}


def _end(event: Message) -> Message:
    return {"ends_at": event["ends_at"]} if "ends_at" in event else {}
