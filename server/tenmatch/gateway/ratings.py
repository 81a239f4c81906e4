"""Players' ratings: entered by whichever node sees a rated game end, asked for when somebody sits down.

What a game is to them follows from its log alone (`tenmatch.game.history`). Each player's part is entered by
itself, once, whatever other nodes do and however often; then the leaderboards are told. Until all of it is
done the room stays marked to be looked at, so nothing is lost with a node that dies in between.
"""

import logging
from collections.abc import Collection, Iterable
from typing import Final

import msgspec

from tenmatch.game.events import Skill
from tenmatch.game.history import (
    Outcome,
    Participant,
    RatedGame,
    Standing,
    entered,
    rated_game,
    reaches_back,
    standing_after,
)
from tenmatch.game.ids import PlayerId
from tenmatch.game.options import Mode, Options
from tenmatch.game.rating import NEW_RATING
from tenmatch.game.room import Phase
from tenmatch.gateway.table import Table
from tenmatch.store import boards, ratings
from tenmatch.store.connect import Store

log = logging.getLogger(__name__)

KEPT_GAMES: Final = 1_000  # of each player in each mode
LATEST_GAMES: Final = 50  # are enough to enter another one, but for who plays more in a day

_decode_standing: Final = msgspec.msgpack.Decoder(Standing).decode
_decode_outcome: Final = msgspec.msgpack.Decoder(Outcome).decode
_encode: Final = msgspec.msgpack.Encoder().encode


class Ratings:
    """The ratings in the store."""

    def __init__(self, store: Store, *, often: int, ttl: int) -> None:
        """Make them.

        Args:
            often: How many games a day against the same rival count; 0: all.
            ttl: Seconds for which all is kept after a player's latest game; 0: for ever.
        """
        self._store = store
        self._often = often
        self._ttl = ttl

    # -- asked for

    async def rating(self, player: PlayerId, mode: Mode) -> int:
        """Return a player's rating in a mode. Raises StoreDown."""
        [standing] = await self.standings([(player, mode)])
        return NEW_RATING if standing is None else standing.rating

    async def skills(self, players: Iterable[PlayerId], mode: Mode) -> dict[PlayerId, Skill]:
        """Return what is believed of players in a mode; who is not in it is new. Raises StoreDown."""
        asked = [(player, mode) for player in players]
        found = zip(asked, await self.standings(asked), strict=True)
        return {player: standing.skill for (player, _), standing in found if standing is not None}

    async def skills_for(
        self, players: Iterable[PlayerId], mode: Mode, options: Options
    ) -> dict[PlayerId, Skill]:
        """Return what is noted of players who sit down in such a room: nothing unless it is rated.

        Raises:
            StoreDown: It could not be read.
        """
        return await self.skills(players, mode) if options.rated else {}

    async def standings(self, asked: Collection[tuple[PlayerId, Mode]]) -> list[Standing | None]:
        """Return where players are, each in a mode; None where they have no rated game. Raises StoreDown."""
        found = await ratings.standings(self._store, [(player, mode.value) for player, mode in asked])
        return list(map(_standing, found))

    async def history(self, player: PlayerId, mode: Mode) -> list[Outcome]:
        """Return a player's games, the latest last; no more than are kept. Raises StoreDown."""
        kept = await ratings.find(self._store, player, mode.value, KEPT_GAMES)
        return list(map(_decode_outcome, kept.history))

    # -- entered

    async def keep(self, tables: Collection[Table]) -> set[Table]:
        """Enter what rated rooms that are over come to; return those that need not be seen to any more.

        It waits until watchers have seen the end, too: a rating tells of it.

        Raises:
            StoreDown: Some may be entered; entering them again does no harm.
        """
        done = set()
        for table in tables:
            game = _played(table)
            if game is None:
                done.add(table)
            elif self._store.clock.now() >= game.at + table.state.options.spectator_delay_ms:
                await self.enter(game)
                done.add(table)
        return done

    async def enter(self, game: RatedGame) -> None:
        """Enter a game into the histories of its players, once, and tell the leaderboards.

        Raises:
            StoreDown: It may be entered for some; entering it again does no harm.
        """
        for each in game.participants:
            await self._enter(game, each)

    async def _enter(self, game: RatedGame, participant: Participant) -> None:
        many = LATEST_GAMES
        while not await self._entered(game, participant, many):
            many = KEPT_GAMES  # these were too few, or another node has entered a game meanwhile
        await self._rank(participant.id, game.mode)

    async def _entered(self, game: RatedGame, participant: Participant, many: int) -> bool:
        """Enter a game for one player, given their latest games; return False if it has to be tried again."""
        player, mode = participant.id, game.mode.value
        kept = await ratings.find(self._store, player, mode, many)
        standing = _standing(kept.standing)
        history = list(map(_decode_outcome, kept.history))
        outcome = game.of(player)
        whole = len(history) == (standing.games if standing else 0)
        if not whole and not reaches_back(history, game.at):
            if many < KEPT_GAMES:
                return False
            if outcome.order < history[0].order:
                log.warning("a game is too old to be rated", extra={"room": game.room, "player": player})
                return True
        reckoned = entered(history, outcome, self._often)
        if reckoned is None:  # another node did, or this one before
            return True
        return await ratings.enter(
            self._store,
            player,
            mode,
            found=kept.standing,
            standing=_encode(standing_after(standing, participant.name, reckoned)),
            replaced=len(reckoned) - 1,
            games=list(map(_encode, reckoned)),
            most=KEPT_GAMES,
            ttl=self._ttl,
        )

    async def _rank(self, player: PlayerId, mode: Mode) -> None:
        """Put a player on the leaderboards as they are now.

        Another node may do the same with an older or a newer rating. Whoever is the last to put them there
        looks afterwards whether that is still how they are, so in the end it is.
        """
        ranked: Standing | None = None
        while True:
            [standing] = await self.standings([(player, mode)])
            if standing is None or standing == ranked:
                return
            await boards.put(self._store, mode.value, player, standing.rating, standing.at, self._ttl)
            ranked = standing


def _standing(stored: bytes | None) -> Standing | None:
    return None if stored is None else _decode_standing(stored)


def _played(table: Table) -> RatedGame | None:
    if table.state.phase is not Phase.OVER or not table.state.options.rated:
        return None  # the end may have been taken back
    return rated_game(table.room, [entry.event for entry in table.entries])
