"""Tournaments as stored and as told: the frozen log reads to the same events; the recorded frames are its."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from tests.game.tournament.contests import Contest, rated
from tests.protocol.frames import TOURNAMENT_EVENTS, Frame

from tenmatch.game.events import Player
from tenmatch.game.ids import PlayerId, RoomId, TournamentId
from tenmatch.game.options import choose, mode_named
from tenmatch.game.tournament.state import PAUSE_MS, Phase, Tournament, evolve
from tenmatch.gateway.tournament.pages import as_csv
from tenmatch.protocol import to_client
from tenmatch.protocol.codec import CODECS
from tenmatch.protocol.limits import JSON, MSGPACK
from tenmatch.protocol.stored import StoredError, TournamentEntry, open_all, open_tournament, seal_all
from tenmatch.protocol.tournaments import LAST_GAMES, tournament_event_map, tournament_map

VECTORS: Final = Path(__file__).parents[1] / "vectors"
LOGS: Final = [
    json.loads((VECTORS / f"{name}.json").read_text()) for name in ("tournament", "tournament_arena")
]
LOG: Final = LOGS[0]


def raws(log: Any) -> list[bytes]:
    return [bytes.fromhex(entry["raw"]) for entry in log["entries"]]


RAW: Final = raws(LOG)
ENTRIES: Final = open_tournament(RAW, 0, 0)
ALL: Final = [entry for log in LOGS for entry in open_tournament(raws(log), 0, 0)]
CUP: Final = TournamentId(RoomId("c7qm3xw9kd2"))


def stand(many: int = len(ENTRIES), of: Sequence[TournamentEntry] = ENTRIES) -> Tournament:
    state = None
    for entry in of[:many]:
        state = evolve(state, entry.event)
    assert state is not None
    return state


@pytest.mark.parametrize("log", LOGS, ids=["knockout", "arena"])
def test_a_stored_log_reads_to_the_same_events_and_is_written_the_same(log: Any) -> None:
    entries = open_tournament(raws(log), 0, 0)
    events = [json.loads(msgspec.json.encode(entry.event)) for entry in entries]
    assert events == [entry["event"] for entry in log["entries"]]
    sealed = seal_all([entry.event for entry in entries], 0, 0, bytes.fromhex(log["salt"]))
    assert [entry.raw for entry in sealed] == raws(log)
    assert stand(len(entries), entries).phase is Phase.OVER


def test_who_was_invited_put_out_and_not_to_come_again_is_told() -> None:
    told = tournament_map(stand(6, open_tournament(raws(LOGS[1]), 0, 0)))
    bo, cat, lynx = (one["id"] for one in told["invited"][1:])
    assert told["invited"][2] == {"id": cat, "name": "Catherine"}  # as the host calls her, until she comes
    assert [one["name"] for one in told["players"]] == ["Ada", "Bo", "Cat"]
    assert told["kicked"] == [lynx]
    assert bo not in told["kicked"]


def test_a_tournaments_log_is_no_rooms() -> None:
    with pytest.raises(StoredError):
        open_all(RAW, 0, 0)
    with pytest.raises(StoredError, match="does not continue"):
        open_tournament([RAW[0], RAW[2]], 0, 0)


def test_a_field_of_a_later_version_does_no_harm() -> None:
    first = ENTRIES[0].event
    later = msgspec.msgpack.encode({**msgspec.to_builtins(first), "kind": "announced", "colour": "blue"})
    assert msgspec.msgpack.decode(later, type=type(first)) == first


@pytest.mark.parametrize("frame", TOURNAMENT_EVENTS, ids=lambda frame: frame.types[1])
def test_a_frame_of_an_event_is_that_of_an_entry(frame: Frame) -> None:
    chain = json.loads(frame.json)["chain"]
    [entry] = [entry for entry in ALL if entry.chain == chain]
    message = to_client.tournament_event(CUP, tournament_event_map(entry))
    assert frame.types == [message["t"], message["kind"]]
    assert CODECS[JSON].encode(message) == frame.json
    assert CODECS[MSGPACK].encode(message) == frame.msgpack


def test_every_kind_has_a_frame() -> None:
    kinds = {str(entry.event.__struct_config__.tag) for entry in ALL}
    assert {frame.types[1] for frame in TOURNAMENT_EVENTS} == kinds


def test_the_seed_is_told_at_the_end_and_the_salt_never() -> None:
    seed = stand().seed
    for entry in ENTRIES[:-1]:
        told = json.dumps(tournament_event_map(entry)) + json.dumps(tournament_map(stand(entry.seq)))
        assert seed not in told
        assert LOG["salt"] not in told
    assert tournament_event_map(ENTRIES[-1])["seed"] == seed == tournament_map(stand())["seed"]


def test_the_results_are_a_table_in_which_no_name_is_a_formula() -> None:
    state = stand()
    odd = Player(PlayerId("m4kx7q2wz9ht"), '=1+1,"Ada"')
    one = state.entrants[odd.id]
    changed = {**state.entrants, odd.id: msgspec.structs.replace(one, player=odd)}
    lines = as_csv(msgspec.structs.replace(state, entrants=changed)).decode().split("\r\n")
    assert lines[0] == "place,player,name,rating,points,wins,draws,losses"
    assert lines[1].startswith('1,m4kx7q2wz9ht,"\'=1+1,""Ada""",,')
    assert len(lines) == 1 + 3 + 1


@pytest.mark.parametrize("name", ["=1", "+1", "-1", "@A1", "\uff1d1", "\uff0b1", "\uff0d1", "\uff20A1"])
def test_no_name_is_a_formula_in_either_width(name: str) -> None:
    contest = Contest("arena")
    contest.enter(Player(PlayerId("m4kx7q2wz9ht"), name))
    assert f",'{name}," in as_csv(contest.state).decode()


def test_options_in_effect_are_told() -> None:
    options, _ = choose(mode_named("race"), {"size": 18, "max_players": 2})
    assert tournament_map(stand())["plan"]["options"] == msgspec.to_builtins(options)


def test_of_an_arenas_games_those_are_told_that_are_not_decided_and_the_last() -> None:
    contest = Contest("arena")
    contest.enter(*map(rated, range(5)))
    contest.begin()
    for _ in range(LAST_GAMES + 10):  # the first game is not decided
        contest.report(contest.state.undecided[-1])
        contest.wait(PAUSE_MS)
    told, games = [game["game"] for game in tournament_map(contest.state)["games"]], len(contest.state.games)
    assert told == [1, *range(games - LAST_GAMES + 1, games + 1)]
