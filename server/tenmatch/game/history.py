"""The rated games of one player in one mode, in the order of their ends, and what each made of their rating.

As a room is a fold of its log, a rating is a fold of the games: their places and what was believed of the
rivals are what the logs say, and the player's own part is what the games before came to. So it does not
matter which node enters a game, how often, or in which order games are entered: one that is entered late goes
to its place, and those after it are reckoned anew.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from tenmatch.game.days import DAY_MS
from tenmatch.game.events import AnyEvent, Created, Ended, Seated, Skill, Started, Unseated
from tenmatch.game.ids import Millis, PlayerId, RoomId, SeatNumber
from tenmatch.game.options import Mode
from tenmatch.game.rating import NEW, Ranked, rating, skill_after
from tenmatch.game.teams import BySeat, chosen


class Participant(msgspec.Struct, frozen=True, array_like=True):
    """One of those who played a rated game."""

    id: PlayerId
    name: str
    place: int  # from 1, shared by who drew
    skill: Skill  # as it was noted when they sat down
    team: int | None = None  # whom they won or lost with; None: nobody

    @property
    def side(self) -> int | PlayerId:
        """Return what those have in common who win together."""
        return self.id if self.team is None else self.team

    @property
    def ranked(self) -> Ranked:
        """Return where they came, and how strong they were believed to be."""
        return Ranked(self.place, self.skill)


class RatedGame(msgspec.Struct, frozen=True):
    """What a finished game is to the ratings of its players."""

    mode: Mode
    room: RoomId
    at: Millis  # when it ended
    participants: tuple[Participant, ...]  # two or more, by place

    def of(self, player: PlayerId) -> "Outcome":
        """Return what it is to one of them, not reckoned yet."""
        [own] = (each for each in self.participants if each.id == player)
        rivals = tuple(each for each in self.participants if each.side != own.side)
        mates = tuple(each for each in self.participants if each.side == own.side and each.id != player)
        return Outcome(self.room, self.at, own.place, rivals, 0, NEW, mates)


class Outcome(msgspec.Struct, frozen=True, array_like=True):
    """A rated game in the history of one of its players."""

    room: RoomId
    at: Millis  # when it ended
    place: int
    rivals: tuple[Participant, ...]  # by place
    counted: int  # of how many of the rivals it counted: none were met too often that day
    skill: Skill  # what was believed of the player after it
    mates: tuple[Participant, ...] = ()

    @property
    def order(self) -> tuple[Millis, RoomId]:
        """Return by what games are put in order."""
        return self.at, self.room


class Standing(msgspec.Struct, frozen=True, array_like=True):
    """Where a player is in a mode."""

    name: str  # as it was in their latest rated game
    skill: Skill
    games: int  # rated ones, also those that are no longer kept
    at: Millis  # when the latest of them ended

    @property
    def rating(self) -> int:
        """Return the number that people see."""
        return rating(self.skill)


def rated_game(room: RoomId, events: Sequence[AnyEvent]) -> RatedGame | None:
    """Return what the log of a room is to the ratings.

    None where it was not rated, not played to its end, or closed by an operator.

    Leaving and giving up are in the ranking, and count as it says.
    """
    created = events[0]
    assert isinstance(created, Created), "a log begins with created"
    ended = next((event for event in events if isinstance(event, Ended)), None)
    if not created.options.rated or ended is None or ended.closed or len(ended.ranking) < 2:
        return None
    started = next(event for event in events if isinstance(event, Started))
    teams = started.teams or chosen(created.options)
    return RatedGame(created.mode, room, ended.at, tuple(_participants(ended, _sitters(events), teams)))


def _sitters(events: Iterable[AnyEvent]) -> dict[SeatNumber, Seated]:
    sitters: dict[SeatNumber, Seated] = {}
    for event in events:
        if isinstance(event, Seated):
            sitters[event.seat] = event
        elif isinstance(event, Unseated):
            del sitters[event.seat]
    return sitters


def _participants(
    ended: Ended, sitters: Mapping[SeatNumber, Seated], teams: BySeat | None
) -> Iterator[Participant]:
    for rank in ended.ranking:
        seated = sitters[rank.seat]
        player, team = seated.player, None if teams is None else teams[rank.seat]
        yield Participant(player.id, player.name, rank.place, seated.skill or NEW, team)


# The fold


def reaches_back(history: Sequence[Outcome], at: Millis) -> bool:
    """Tell whether the end of a history is enough of it to enter a game that ended then."""
    return bool(history) and history[0].at < at - at % DAY_MS


def entered(history: Sequence[Outcome], game: Outcome, often: int) -> list[Outcome] | None:
    """Return how a history goes on from the place of a game that is entered; None if it is in there already.

    Args:
        history: The whole, or an end of it that `reaches_back`.
        often: How many games a day (UTC) against the same rival count; 0: all.
    """
    if any(other.room == game.room for other in history):
        return None
    before = [other for other in history if other.order < game.order]
    after = [other for other in history if other.order > game.order]
    return _reckoned(before, [game, *after], often)


def _reckoned(before: Sequence[Outcome], games: Iterable[Outcome], often: int) -> list[Outcome]:
    """Return what games came to that follow on those before."""
    known = list(before)
    for game in games:
        skill = known[-1].skill if known else NEW
        sides = [side for side in _sides(game.rivals) if not often or _fresh(side, known, game, often)]
        if sides:
            against = [[each.ranked for each in side] for side in sides]
            skill = skill_after(Ranked(game.place, skill), against, [each.ranked for each in game.mates])
        known.append(replace(game, counted=sum(map(len, sides)), skill=skill))
    return known[len(before) :]


def _sides(rivals: Iterable[Participant]) -> list[list[Participant]]:
    sides: dict[int | PlayerId, list[Participant]] = {}
    for each in rivals:
        sides.setdefault(each.side, []).append(each)
    return list(sides.values())


def _fresh(side: Iterable[Participant], known: Sequence[Outcome], game: Outcome, often: int) -> bool:
    """Tell whether one of those who played together was not met too often yet that day."""
    return any(_met(known, game, each.id) < often for each in side)


def _met(known: Sequence[Outcome], game: Outcome, rival: PlayerId) -> int:
    """Count the games against a rival on the day of *game*, before it."""
    met = 0
    for other in reversed(known):
        if other.at // DAY_MS < game.at // DAY_MS:
            break
        met += any(each.id == rival for each in other.rivals)
    return met


def standing_after(before: Standing | None, name: str, reckoned: Sequence[Outcome]) -> Standing:
    """Return where a player is after a game was entered, the first of those that were *reckoned*."""
    latest = reckoned[-1]
    return Standing(
        name=name if len(reckoned) == 1 or before is None else before.name,
        skill=latest.skill,
        games=1 + (before.games if before else 0),
        at=latest.at,
    )
