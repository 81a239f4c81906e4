"""The Python client makes of every event what the server does, and notices where it does not.

As for the browser library, whole games are told event by event, in mirror to a watcher and to each player.
"""

from typing import Any

import pytest
from tests.game.whole import GAMES, race
from tests.web.test_library_follows import steps_of

from tenmatch.client.errors import NotOurs
from tenmatch.client.heard import CODECS, Told, Unknown, told
from tenmatch.client.state import Differs, State, begin, follow
from tenmatch.game.events import Matched
from tenmatch.game.ids import RoomCode, RoomId, SeatNumber, Seq
from tenmatch.protocol.to_client import Snapshot
from tenmatch.protocol.viewers import state_map
from tenmatch.rules.notation import text


def shown(seq: int, chain: int, seat: SeatNumber | None, state: Any) -> State:
    """Return what a client holds after a snapshot."""
    snapshot = Snapshot(
        re=1, room=RoomId("room000001"), code=RoomCode("CODE42"), seq=seq, chain=chain, seat=seat, state=state
    )
    return begin(snapshot)


def as_told(state: State) -> dict[str, Any]:
    """Return a state in the form of a snapshot's, as far as the client knows it."""
    found: dict[str, Any] = dict(state_map(state))
    if state.own_boards:
        boards = [state.board_of(seat) for seat in range(len(state.seats))]
        far = [state.progress_of(seat) for seat in range(len(state.seats))]
        found["boards"] = [board and {"board": text(board), "ids": board.ids()} for board in boards]
        found["progress"] = [one and {"left": one.left, "rows_closed": one.rows_closed} for one in far]
        for number, seat in enumerate(found["seats"]):
            if seat is not None and state.viewer not in (None, number):
                seat["last_n"], seat["locked_until"] = 0, None
    return found


def due(snapshot: Any) -> dict[str, Any]:
    """Return a snapshot's state, as far as `as_told` goes."""
    found = dict(snapshot)
    if "boards" in found:
        found["boards"] = [
            board and {"board": board["board"], "ids": board["ids"]} for board in found["boards"]
        ]
    return found


@pytest.mark.parametrize("name", GAMES)
def test_it_comes_to_every_snapshot(name: str) -> None:
    game = GAMES[name]()
    whole: list[dict[str, Any]] = steps_of(game, None)
    events = [step["event"] for step in whole]
    freed = {event["seat"] for event in events if event["kind"] == "unseated"}  # their players only watch
    players = [number for number, _ in game.room.taken() if number not in freed]
    viewers = [None, *players] if game.room.own_boards else [None]
    for seat in viewers:
        steps: list[dict[str, Any]] = steps_of(game, seat)
        first = steps[0]
        state = shown(1, first["event"]["chain"], seat, first["state"])
        for step in steps[1:]:
            state = follow(state, told(step["event"]))
            assert (state.seq, state.chain) == (step["event"]["seq"], step["event"]["chain"])
            if step["state"] is not None:
                assert as_told(state) == due(step["state"])
                again = shown(state.seq, state.chain, seat, step["state"])
                assert as_told(again) == due(step["state"])


@pytest.fixture(scope="module")
def in_play() -> tuple[State, Told]:
    """A room in play, and the match that comes next."""
    steps: list[dict[str, Any]] = steps_of(race(2), None)
    at = next(place for place, step in enumerate(steps) if step["event"]["kind"] == "matched")
    before = steps[at - 1]
    state = shown(before["event"]["seq"], before["event"]["chain"], None, before["state"])
    return state, told(steps[at]["event"])


@pytest.mark.parametrize(
    "changes", [{"hash": 1}, {"a": 0, "b": 0}, {"a": 999}, {"seat": 7}], ids=lambda changes: "".join(changes)
)
def test_it_notices_what_cannot_be(in_play: tuple[State, Told], changes: dict[str, int]) -> None:
    state, match = in_play
    assert isinstance(match.event, Matched)
    fields = {**{name: getattr(match.event, name) for name in match.event.__struct_fields__}, **changes}
    fields = {name: value for name, value in fields.items() if value is not None}
    wrong = told(
        {"seq": match.seq, "chain": 1, "hash": changes.get("hash", match.hash), "kind": "matched", **fields}
    )
    assert follow(state, match).seq == match.seq
    with pytest.raises(Differs):
        follow(state, wrong)


def test_an_unknown_event_changes_nothing_but_the_place(in_play: tuple[State, Told]) -> None:
    state, _ = in_play
    strange = {
        "seq": state.seq + 1,
        "chain": 5,
        "at": 1,
        "hash": 7,
        "kind": "novelty",
        "of": "a newer server",
    }
    after = follow(state, told(strange))
    assert (after.seq, after.chain, after.board) == (state.seq + 1, 5, state.board)
    assert told(strange).event == Unknown("novelty", {"kind": "novelty", "at": 1, "of": "a newer server"})


@pytest.mark.parametrize(
    ("codec", "frame"),
    [("json", "[]"), ("json", "{"), ("json", '{"t":"event"}'), ("json", '{"t":"ok"}'), ("msgpack", b"\xc1")],
)
def test_what_is_no_message_is_said_to_be_none(codec: str, frame: bytes | str) -> None:
    with pytest.raises(NotOurs):
        CODECS[codec].read(frame)


def test_a_snapshot_that_makes_no_sense_is_said_to_be_none(in_play: tuple[State, Told]) -> None:
    state, _ = in_play
    with pytest.raises(NotOurs, match="cannot read"):
        shown(Seq(1), 1, None, {**state_map(state), "board": "1234/5"})
