"""Tournaments to test with, and a way to play them: commands in, events out."""

from collections.abc import Iterable

from tests.game.rooms import SALT, SEED, T0, person

from tenmatch.game.answers import Denied
from tenmatch.game.events import Player
from tenmatch.game.ids import Millis, PlayerId
from tenmatch.game.tournament.decide import Begin, Command, Conclude, Enter, Kick, announced, decide
from tenmatch.game.tournament.events import AnyTournamentEvent, Invitee
from tenmatch.game.tournament.outcome import Outcome
from tenmatch.game.tournament.plan import planned
from tenmatch.game.tournament.settle import next_due, settle, shift
from tenmatch.game.tournament.state import Game, Phase

SECOND = 1_000


def rated(number: int, rating: int | None = None) -> Player:
    """Return a person with a rating: without one given, the higher the lower the number."""
    who = person(number)
    return Player(who.id, who.name, rating=2_000 - number if rating is None else rating)


def who(number: int) -> PlayerId:
    return person(number).id


class Contest:
    """A tournament, and the events that led to it."""

    def __init__(
        self,
        format: str = "knockout",
        invited: Iterable[Player] | None = None,
        *,
        seed: bytes = SEED,
        starts_at: Millis | None = None,
        **plan: object,
    ) -> None:
        happened = announced(
            title="Sunday cup",
            plan=planned(format=format, mode="race", options={}, open=invited is None, **plan),  # type: ignore[arg-type]  # any
            private=False,
            host=person(99),
            invited=None if invited is None else [Invitee(id=one.id, name=one.name) for one in invited],
            starts_at=starts_at,
            seed=seed,
            salt=SALT,
            now=T0,
        )
        self.events: list[AnyTournamentEvent] = list(happened.events)
        self.state = happened.tournament
        self.now = T0

    def do(self, command: Command) -> list[AnyTournamentEvent] | Denied:
        """Carry out a command at once; return what happens by it."""
        self.settle()
        answer = decide(self.state, command, self.now)
        if isinstance(answer, Denied):
            return answer
        self.events += answer.events
        self.state = answer.tournament
        self.settle()
        return list(answer.events)

    def settle(self) -> None:
        happened = settle(self.state, self.now)
        self.events += happened.events
        self.state = happened.tournament

    def shift(self, ms: int) -> None:
        """Let the server have been away for so long, up to now."""
        happened = shift(self.state, ms, self.now)
        self.events += happened.events
        self.state = happened.tournament

    def wait(self, ms: int) -> None:
        """Let time go by."""
        self.now = Millis(self.now + ms)
        self.settle()

    def wait_for_next(self) -> bool:
        """Let time go by until something is due; return False where nothing ever is."""
        due = next_due(self.state)
        if due is None:
            return False
        self.now = max(self.now, due)
        self.settle()
        return True

    def enter(self, *players: Player) -> None:
        for player in players:
            assert not isinstance(self.do(Enter(player)), Denied)

    def kick(self, player: Player) -> list[AnyTournamentEvent]:
        events = self.do(Kick(person(99).id, player.id))
        assert not isinstance(events, Denied)
        return events

    def begin(self) -> None:
        assert not isinstance(self.do(Begin(person(99).id)), Denied)

    def report(self, game: Game, winner: PlayerId | None = None, *absent: PlayerId) -> None:
        assert not isinstance(self.do(Conclude(game.number, Outcome(winner, absent))), Denied)

    def play(self, better: "Iterable[PlayerId]") -> None:
        """Play to the end: of two whoever comes first in *better* wins."""
        order = list(better)
        while self.state.phase is not Phase.OVER:
            if not self.state.undecided:
                assert self.wait_for_next()
            for game in self.state.undecided:
                self.report(game, min(game.players, key=order.index))

    @property
    def places(self) -> dict[str, int]:
        """The places of the ranking, by the number of the player."""
        assert self.state.ranking is not None
        return {
            line.player.removeprefix("person").lstrip("0") or "0": line.place for line in self.state.ranking
        }
