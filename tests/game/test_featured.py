"""Which games are worth watching, and how much."""

import pytest
from msgspec.structs import replace
from tests.game.whole import ANN, BOB, EVE, ROBIN, Game

from tenmatch.game.events import Player
from tenmatch.game.featured import CROWD, attraction, strength
from tenmatch.game.ids import Seq
from tenmatch.game.options import Mode, choose
from tenmatch.game.room import Phase, Room
from tenmatch.game.seat import Seat


def room(*players: Player, phase: Phase = Phase.PLAYING, **options: object) -> Room:
    chosen, _ = choose(Mode.RACE, {"max_players": 4, **options})
    seats = (*(Seat(player=player) for player in players), *(None,) * (4 - len(players)))
    return replace(Game(Mode.RACE, 1).room, options=chosen, seats=seats, phase=phase)


def rated(player: Player, rating: int | None) -> Player:
    return replace(player, rating=rating)


def test_watchers_count_less_the_more_there_are() -> None:
    played = room(ANN, BOB)
    assert [attraction(played, many) for many in (0, 1, 3, 7)] == [
        1000 + CROWD * doublings for doublings in range(4)
    ]


def test_rated_games_count_by_the_mean_rating() -> None:
    played = room(rated(ANN, 1500), rated(BOB, 1701), rated(EVE, None), rated=True)
    assert strength(played) == attraction(played, 0) == 1600
    assert strength(room(ANN, BOB, rated=True)) is None
    assert strength(room(rated(ANN, 1500), BOB)) is None


@pytest.mark.parametrize(
    "unwatched",
    [
        room(ANN),
        room(ANN, ROBIN),
        room(ANN, BOB, phase=Phase.OPEN),
        room(ANN, BOB, phase=Phase.OVER),
        room(ANN, BOB, spectators=False),
        replace(room(ANN, BOB), seats=(Seat(player=ANN), Seat(player=BOB, out_at=Seq(9)), None, None)),
    ],
)
def test_there_is_nothing_to_watch(unwatched: Room) -> None:
    assert attraction(unwatched, 1000) is None
