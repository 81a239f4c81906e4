"""A tournament as this node has it: its log, the state that this folds to, and who watches."""

import asyncio
from collections.abc import Sequence

from tenmatch.game.ids import TOURNAMENT_ID_LENGTH, RoomId, TournamentId
from tenmatch.game.tournament.events import AnyTournamentEvent
from tenmatch.game.tournament.state import Tournament, evolve
from tenmatch.gateway.copied import Copied
from tenmatch.gateway.framing import frame, frames
from tenmatch.gateway.reader import Reader
from tenmatch.protocol import to_client
from tenmatch.protocol.stored import TournamentEntry, open_tournament
from tenmatch.protocol.tournaments import tournament_event_map, tournament_map
from tenmatch.store.log import START, Head


def is_tournament(room: RoomId) -> bool:
    """Tell by its length whether an id is a tournament's, where logs of both kinds are meant."""
    return len(room) == TOURNAMENT_ID_LENGTH


class Held(Copied[AnyTournamentEvent]):
    """A tournament's log, its state, and who follows it."""

    def __init__(self, id: TournamentId, entries: Sequence[TournamentEntry]) -> None:
        """Fold *entries*."""
        self.id = id
        # So little happens that each is simply written to: who does not read is cut off, as always.
        self.followers: set[Reader] = set()
        self.used = 0.0  # when it was last opened, by the event loop's clock
        self.busy = asyncio.Lock()  # one command at a time
        self.timer: asyncio.TimerHandle | None = None  # when something is due
        self.playing: set[int] = set()  # games whose rooms are being seen to
        self.hold(entries)

    def hold(self, entries: Sequence[TournamentEntry]) -> None:
        """Hold this log, whichever it was before."""
        self.entries, self.state = list(entries), _fold(None, entries)
        self.salt = bytes.fromhex(self.state.salt)

    def opened(self, raws: Sequence[bytes]) -> list[TournamentEntry]:
        """Read entries that come after the head. Raises StoredError."""
        head = self.head
        return open_tournament(raws, head.seq, head.chain, self.salt)

    def go_on(self, entries: Sequence[TournamentEntry]) -> None:
        """Take what is in the log after the head, and tell those who watch."""
        self.state = _fold(self.state, entries)
        self.entries.extend(entries)
        for entry in entries:
            told = frames(to_client.tournament_event(self.id, tournament_event_map(entry)))
            for follower in tuple(self.followers):
                follower.write(told[follower.codec.name])

    def snapshot(self, re: int | None, *, reset: bool = False) -> to_client.Tournament:
        """Tell how it stands."""
        head = self.head
        state = tournament_map(self.state)
        return to_client.Tournament(
            re=re, tournament=self.id, seq=head.seq, chain=head.chain, state=state, reset=reset
        )

    def resumed(self, re: int | None, after: Head) -> to_client.TournamentResumed | to_client.Tournament:
        """Tell what happened since; where that never was in this log, how it stands."""
        if after != START and not self.ended_at(after):
            return self.snapshot(re, reset=True)
        events = [tournament_event_map(entry) for entry in self.entries[after.seq :]]
        return to_client.TournamentResumed(re=re, tournament=self.id, seq=self.head.seq, events=events)

    def tell_anew(self) -> None:
        """Tell all who watch how it stands, as it is another log than it was."""
        for follower in tuple(self.followers):
            follower.write(frame(follower.codec, self.snapshot(None, reset=True)))


def _fold(tournament: Tournament | None, entries: Sequence[TournamentEntry]) -> Tournament:
    for entry in entries:
        tournament = evolve(tournament, entry.event)
    assert tournament is not None, "a log has at least one entry"
    return tournament
