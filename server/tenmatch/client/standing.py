"""How a tournament stands, and what each event makes of that: pure, by the same rules as the server's.

As `tenmatch.client.state` is for a room: what a client is not told is empty.
"""

from typing import Final

import msgspec
from msgspec.structs import replace

from tenmatch.client.errors import NotOurs
from tenmatch.game.events import Player
from tenmatch.game.ids import Millis, PlayerId, Seq
from tenmatch.game.tournament.events import AnyTournamentEvent, Finished, How, Invitee, Standing
from tenmatch.game.tournament.knockout import NOBODY, Match, bracket
from tenmatch.game.tournament.plan import Plan
from tenmatch.game.tournament.state import Entrant, Game, Phase, Tournament, evolve
from tenmatch.protocol import to_client
from tenmatch.protocol.maps import EventMap
from tenmatch.protocol.tournaments import EntrantMap, GameMap, StandingMap, ranking_of


class TournamentState(Tournament, frozen=True, kw_only=True):
    """A tournament at one moment.

    Not told are `salt`, `at`, when players are free and how often they signed up; nor, of an arena, the games
    before the last hundred: these stand in `games` as games of nobody.
    """

    chain: int  # covers the log up to `seq`

    def standings(self) -> tuple[Standing, ...]:
        """Return the ranking as it is now, the best first."""
        return tuple(ranking_of(self))

    def bracket(self) -> list[list[Match]]:
        """Return the places of a knock-out, round by round; none of an arena, nor before it begins."""
        return [] if self.plan.minutes is not None else bracket(self)

    def called(self, player: str) -> Game | None:
        """Return the game to which a player is called, or which they play."""
        return next((game for game in self.undecided if game.room and player in game.players), None)


def begin(snapshot: to_client.Tournament) -> TournamentState:
    """Return the state that is told whole. Raises NotOurs."""
    told = snapshot.state
    lines = {line["player"]: line for line in told["ranking"]}
    try:
        games = _games(told["games"])
        over = told["phase"] == Phase.OVER
        return TournamentState(
            seq=Seq(snapshot.seq),
            chain=snapshot.chain,
            at=Millis(0),
            title=told["title"],
            plan=msgspec.convert(told["plan"], Plan),
            private=told["private"],
            host=Player(told["host"]["id"], told["host"]["name"]),
            commit=told["commit"],
            seed=told["seed"] or "",
            salt="",
            announced_at=Millis(0),
            starts_at=told["starts_at"],
            invited=tuple(Invitee(id=one["id"], name=one["name"]) for one in told["invited"]),
            kicked=frozenset(told["kicked"]),
            ends_at=told["ends_at"],
            phase=Phase(told["phase"]),
            entrants={one["id"]: _entrant(one, lines.get(one["id"]), games) for one in told["players"]},
            order=tuple(told["order"]),
            games=games,
            ranking=msgspec.convert(told["ranking"], tuple[Standing, ...]) if over else None,
        )
    except (ValueError, KeyError) as error:  # ValidationError is such
        raise NotOurs(f"a tournament that this client cannot read: {error}") from error


def follow(state: TournamentState, fields: EventMap) -> TournamentState | None:
    """Return the state after an event, the same where it is not newer, None where one before it is missing.

    Raises:
        NotOurs: It cannot happen in the tournament as it is held.
    """
    try:
        head = msgspec.convert(fields, _Head)
        if head.seq <= state.seq:
            return state
        if head.seq > state.seq + 1:
            return None
        if head.kind not in _KINDS:
            return replace(state, seq=Seq(head.seq), chain=head.chain)
        event = msgspec.convert(fields, AnyTournamentEvent)
        after = evolve(state, event)
    except (ValueError, KeyError, IndexError) as error:
        raise NotOurs(f"an event that does not fit this tournament: {error}") from error
    assert isinstance(after, TournamentState)
    seed = event.seed if isinstance(event, Finished) else state.seed
    return replace(after, chain=head.chain, seed=seed)


class _Head(msgspec.Struct):
    seq: int
    chain: int
    kind: str


_KINDS: Final = frozenset(
    str(kind.__struct_config__.tag) for kind in AnyTournamentEvent.__args__ if kind.__name__ != "Announced"
)


def _entrant(told: EntrantMap, line: StandingMap | None, games: tuple[Game, ...]) -> Entrant:
    plays = (game.number for game in games if game.how is None and told["id"] in game.players)
    return Entrant(
        player=Player(told["id"], told["name"], rating=told.get("rating")),
        out=told["out"],
        free_at=Millis(0),
        playing=next(plays, None),
        wins=line["wins"] if line else 0,
        draws=line["draws"] if line else 0,
        losses=line["losses"] if line else 0,
    )


def _games(told: list[GameMap]) -> tuple[Game, ...]:
    """Return the games by their numbers; of an arena the older ones are not told, and nobody's here."""
    known = {game["game"]: game for game in told}
    return tuple(_game(number, known.get(number)) for number in range(1, max(known, default=0) + 1))


def _game(number: int, told: GameMap | None) -> Game:
    if told is None:
        nobody: tuple[PlayerId, PlayerId] = (NOBODY, NOBODY)
        return Game(number=number, players=nobody, round=None, place=None, how=How.WON)
    return msgspec.convert({**told, "number": number}, Game)
