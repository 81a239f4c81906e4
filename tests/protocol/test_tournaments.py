"""Tournaments as stored and as told: the frozen log reads to the same events; the recorded frames are its."""

import json
from pathlib import Path
from typing import Final

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
from tenmatch.protocol.stored import StoredError, open_all, open_tournament, seal_all
from tenmatch.protocol.tournaments import LAST_GAMES, tournament_event_map, tournament_map

LOG: Final = json.loads((Path(__file__).parents[1] / "vectors" / "tournament.json").read_text())
RAW: Final = [bytes.fromhex(entry["raw"]) for entry in LOG["entries"]]
ENTRIES: Final = open_tournament(RAW, 0, 0)
CUP: Final = TournamentId(RoomId("c7qm3xw9kd2"))


def stand(many: int = len(ENTRIES)) -> Tournament:
    state = None
    for entry in ENTRIES[:many]:
        state = evolve(state, entry.event)
    assert state is not None
    return state


def test_the_stored_log_reads_to_the_same_events_and_is_written_the_same() -> None:
    events = [json.loads(msgspec.json.encode(entry.event)) for entry in ENTRIES]
    assert events == [entry["event"] for entry in LOG["entries"]]
    sealed = seal_all([entry.event for entry in ENTRIES], 0, 0, bytes.fromhex(LOG["salt"]))
    assert [entry.raw for entry in sealed] == RAW
    assert stand().phase is Phase.OVER


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
    [entry] = [entry for entry in ENTRIES if entry.chain == chain]
    message = to_client.tournament_event(CUP, tournament_event_map(entry))
    assert frame.types == [message["t"], message["kind"]]
    assert CODECS[JSON].encode(message) == frame.json
    assert CODECS[MSGPACK].encode(message) == frame.msgpack


def test_every_kind_has_a_frame() -> None:
    kinds = {str(entry.event.__struct_config__.tag) for entry in ENTRIES}
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
    contest = Contest("arena", [Player(PlayerId("m4kx7q2wz9ht"), name)])
    assert f",'{name}," in as_csv(contest.state).decode()


def test_options_in_effect_are_told() -> None:
    options, _ = choose(mode_named("race"), {"size": 18, "max_players": 2})
    assert tournament_map(stand())["plan"]["options"] == msgspec.to_builtins(options)


def test_of_an_arenas_games_those_are_told_that_are_not_decided_and_the_last() -> None:
    contest = Contest("arena", map(rated, range(5)))
    contest.begin()
    for _ in range(LAST_GAMES + 10):  # the first game is not decided
        contest.report(contest.state.undecided[-1])
        contest.wait(PAUSE_MS)
    told, games = [game["game"] for game in tournament_map(contest.state)["games"]], len(contest.state.games)
    assert told == [1, *range(games - LAST_GAMES + 1, games + 1)]
