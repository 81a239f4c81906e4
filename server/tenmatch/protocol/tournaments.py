"""What is told of a tournament: the same to everyone (server/protocol.md, "Tournaments")."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NotRequired, TypedDict, get_args

from msgspec import Struct, to_builtins
from msgspec.structs import fields

from tenmatch.game.events import Player
from tenmatch.game.ids import Millis, PlayerId, RoomId, TournamentId
from tenmatch.game.tournament.events import AnyTournamentEvent, Standing
from tenmatch.game.tournament.knockout import Match, Side, bracket
from tenmatch.game.tournament.standings import standings
from tenmatch.game.tournament.state import Entrant, Game, Phase, Tournament
from tenmatch.protocol.maps import EventMap, PersonMap, wire_type
from tenmatch.protocol.stored import TournamentEntry

LAST_GAMES: Final = 100
"""Games of an arena that are told though they are decided."""


class EntrantMap(PersonMap):
    """Who takes part."""

    rating: NotRequired[int]  # when they signed up
    out: bool  # plays no further games


class GameMap(TypedDict):
    """A game of the tournament."""

    game: int
    players: list[PlayerId]  # by seat
    round: int | None  # knock-out: from 1
    place: int | None  # where in its round, from 0
    room: RoomId | None  # once it is there
    join_by: Millis | None
    how: str | None  # null: it is not decided
    winner: PlayerId | None


class MatchMap(TypedDict):
    """A place of the bracket. A side is a player's id, empty where nobody comes, null while it is open."""

    sides: list[Side]
    winner: Side


class StandingMap(TypedDict):
    """A line of the ranking."""

    player: PlayerId
    place: int
    points: int
    wins: int
    draws: int
    losses: int


class PlanMap(TypedDict):
    """What was planned."""

    format: str
    mode: str
    options: dict[str, bool | int | str]
    most: int
    join_s: int
    minutes: int | None
    open: bool


class TournamentMap(TypedDict):
    """A tournament at one moment."""

    title: str
    plan: PlanMap
    private: bool
    host: PersonMap
    phase: str
    commit: str
    seed: str | None  # null before the end
    starts_at: Millis | None
    ends_at: Millis | None
    invited: list[PersonMap]  # whether they signed up or not; none where everybody may
    players: list[EntrantMap]
    kicked: list[PlayerId]  # whom the host has put out
    order: list[PlayerId]
    rounds: list[list[MatchMap]]
    games: list[GameMap]
    ranking: list[StandingMap]  # as it is now


class TournamentLine(TypedDict):
    """A tournament in a list."""

    tournament: TournamentId
    title: str
    format: str
    mode: str
    rated: bool
    phase: str
    players: int
    most: int
    starts_at: Millis | None
    ends_at: Millis | None


TOURNAMENT_EVENT_TYPES: Final[Mapping[str, type[Struct]]] = {
    str(kind.__struct_config__.tag): wire_type(kind, hashed=False) for kind in get_args(AnyTournamentEvent)
}
"""For each `kind` of event of a tournament the type of its map, as `tenmatch.protocol.maps.EVENT_TYPES`."""


def tournament_map(tournament: Tournament) -> TournamentMap:
    """Tell how a tournament stands."""
    return TournamentMap(
        title=tournament.title,
        plan=to_builtins(tournament.plan),
        private=tournament.private,
        host=PersonMap(id=tournament.host.id, name=tournament.host.name),
        phase=tournament.phase.value,
        commit=tournament.commit,
        seed=tournament.seed if tournament.phase is Phase.OVER else None,
        starts_at=tournament.starts_at,
        ends_at=tournament.ends_at,
        invited=[PersonMap(id=one.id, name=one.name) for one in tournament.invited],
        players=[_entrant_map(one) for one in tournament.entrants.values()],
        kicked=sorted(tournament.kicked),
        order=list(tournament.order),
        rounds=[[_match_map(match) for match in matches] for matches in _rounds(tournament)],
        games=[_game_map(game) for game in _told(tournament)],
        ranking=[_standing_map(line) for line in ranking_of(tournament)],
    )


def line_map(id: TournamentId, tournament: Tournament) -> TournamentLine:
    """Tell what a list says of a tournament."""
    return TournamentLine(
        tournament=id,
        title=tournament.title,
        format=tournament.plan.format.value,
        mode=tournament.plan.mode.value,
        rated=tournament.plan.options.rated,
        phase=tournament.phase.value,
        players=len(tournament.entrants),
        most=tournament.plan.most,
        starts_at=tournament.starts_at,
        ends_at=tournament.ends_at,
    )


def tournament_event_map(entry: TournamentEntry) -> EventMap:
    """Tell an event: `seq` `chain` `at` `kind` and the kind's own fields, without what is secret or null."""
    event = entry.event
    told: EventMap = {
        "seq": entry.seq,
        "chain": entry.chain,
        "at": event.at,
        "kind": event.__struct_config__.tag,
    }
    for field in fields(event):
        value = getattr(event, field.name)
        if field.name != "at" and field.name not in event.SECRET and value is not None:
            told[field.name] = player_map(value) if isinstance(value, Player) else to_builtins(value)
    return told


def player_map(player: Player) -> dict[str, object]:
    """Tell who takes part."""
    rating = {} if player.rating is None else {"rating": player.rating}
    return {"id": player.id, "name": player.name, **rating}


def ranking_of(tournament: Tournament) -> Sequence[Standing]:
    """Return the ranking, the last one where it is over."""
    return standings(tournament) if tournament.ranking is None else tournament.ranking


def results(tournament: Tournament) -> Iterator[tuple[object, ...]]:
    """Yield the ranking as the lines of a table, its heading first."""
    yield "place", "player", "name", "rating", "points", "wins", "draws", "losses"
    for line in ranking_of(tournament):
        who = tournament.entrants[line.player].player
        rating = "" if who.rating is None else who.rating
        yield line.place, who.id, who.name, rating, line.points, line.wins, line.draws, line.losses


def _told(tournament: Tournament) -> Sequence[Game]:
    """Return the games of a knock-out; of an arena, which has many, those not decided and the last."""
    if tournament.plan.minutes is None:
        return tournament.games
    old, last = tournament.games[:-LAST_GAMES], tournament.games[-LAST_GAMES:]
    return [*(game for game in old if game.how is None), *last]


def _rounds(tournament: Tournament) -> list[list[Match]]:
    return bracket(tournament) if tournament.plan.minutes is None else []


def _match_map(match: Match) -> MatchMap:
    return MatchMap(sides=list(match.sides), winner=match.winner)


def _entrant_map(one: Entrant) -> EntrantMap:
    told = EntrantMap(id=one.player.id, name=one.player.name, out=one.out)
    if one.player.rating is not None:
        told["rating"] = one.player.rating
    return told


def _game_map(game: Game) -> GameMap:
    return GameMap(
        game=game.number,
        players=list(game.players),
        round=game.round,
        place=game.place,
        room=game.room,
        join_by=game.join_by,
        how=None if game.how is None else game.how.value,
        winner=game.winner,
    )


def _standing_map(line: Standing) -> StandingMap:
    return StandingMap(
        player=line.player,
        place=line.place,
        points=line.points,
        wins=line.wins,
        draws=line.draws,
        losses=line.losses,
    )
