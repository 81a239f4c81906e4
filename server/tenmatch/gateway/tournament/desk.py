"""What clients ask of tournaments (server/protocol.md, "Tournaments")."""

import secrets
from typing import Final, assert_never

from tenmatch.game.answers import Denied
from tenmatch.game.events import Player
from tenmatch.game.ids import Millis, TournamentId
from tenmatch.game.options import BadOptions, Mode
from tenmatch.game.tournament.decide import Begin, Command, Enter, Withdraw, announced
from tenmatch.game.tournament.plan import Plan, planned
from tenmatch.gateway.draws import draw_tournament
from tenmatch.gateway.framing import frame
from tenmatch.gateway.quota import Quota
from tenmatch.gateway.ratings import Ratings
from tenmatch.gateway.readable import clean, clean_name
from tenmatch.gateway.session import Session
from tenmatch.gateway.tournament.held import Held
from tenmatch.gateway.tournament.tournaments import NoSuchTournament, Tournaments, UnreadableTournament
from tenmatch.protocol import from_client
from tenmatch.protocol.limits import RESUMED_EVENTS, ErrorCode
from tenmatch.store import players
from tenmatch.store.connect import Store
from tenmatch.store.log import Head

FOLLOWED: Final = 10  # tournaments that a connection watches at once


class TournamentDesk:
    """Carries out what sessions ask of tournaments."""

    def __init__(self, store: Store, tournaments: Tournaments, ratings: Ratings, *, quota: Quota) -> None:
        """Make the desk of a node.

        Args:
            quota: How many tournaments may be announced.
        """
        self._quota = quota
        self._store = store
        self._tournaments = tournaments
        self._ratings = ratings

    async def carry_out(self, session: Session, message: from_client.AnyTournamentRequest) -> None:
        """Carry out a request and answer it.

        Raises:
            StoreDown: It is not known what became of it; asking again does no harm.
        """
        try:
            await self._carry_out(session, message)
        except UnreadableTournament:
            text = "this tournament cannot be had here now: try again"
            session.fail(ErrorCode.UNAVAILABLE, text, re=message.id)
        except NoSuchTournament:
            text = "there is no such tournament, or it has ended long ago"
            session.fail(ErrorCode.NO_SUCH_TOURNAMENT, text, re=message.id)
        except BadOptions as error:
            session.fail(ErrorCode.BAD_OPTIONS, error.text, re=message.id, field=error.field)

    def leave(self, session: Session) -> None:
        """Let a session watch nothing any more."""
        self._tournaments.leave(session)

    async def _carry_out(self, session: Session, message: from_client.AnyTournamentRequest) -> None:
        match message:
            case from_client.CreateTournament():
                await self._create(session, message)
            case from_client.WatchTournament(on=False):
                held = self._tournaments.loaded.get(message.tournament)
                if held is not None:
                    held.followers.discard(session)
                session.done(message.id)
            case from_client.WatchTournament():
                await self._watch(session, message)
            case from_client.EnterTournament():
                held = await self._tournaments.open(message.tournament)
                player = await self._player(session, held.state.plan.mode)
                await self._ask(session, held, message.id, Enter(player))
            case from_client.LeaveTournament():
                held = await self._tournaments.open(message.tournament)
                await self._ask(session, held, message.id, Withdraw(session.whom.id))
            case from_client.StartTournament():
                held = await self._tournaments.open(message.tournament)
                await self._ask(session, held, message.id, Begin(session.whom.id))
            case _:
                assert_never(message)

    async def _ask(self, session: Session, held: Held, re: int | None, command: Command) -> None:
        denied = await self._tournaments.ask(held, command)
        if isinstance(denied, Denied):
            session.fail(ErrorCode(denied.code), denied.text, re=re)
        else:
            session.done(re)

    async def _create(self, session: Session, message: from_client.CreateTournament) -> None:
        plan, title = _planned(message), clean(message.title)
        if not title:
            raise BadOptions("title", "there is nothing to read in it")
        id = draw_tournament()
        if message.key is not None:
            made = await players.made(self._store, session.whom.id, f"tournament {message.key}", id)
            id = TournamentId(made)
        refusal = await self._quota.refusal(session, id)
        if refusal is not None:
            session.fail(ErrorCode.TOO_MANY_ROOMS, refusal, re=message.id)
            return
        host = await self._player(session, plan.mode)
        entrants = await self._listed(message, plan)
        if message.enter and host.id not in [one.id for one in entrants]:
            entrants = [host, *entrants]
        if len(entrants) > plan.most:
            raise BadOptions("players", f"{plan.most} can play")
        now = self._store.clock.now()
        happened = announced(
            title=title,
            plan=plan,
            private=bool(message.private),
            host=host,
            players=entrants,
            starts_at=None if message.starts_in_s is None else Millis(now + message.starts_in_s * 1000),
            seed=secrets.token_bytes(32),
            salt=secrets.token_bytes(16),
            now=now,
        )
        held = await self._tournaments.found(id, happened)
        self._show(session, held, message.id, None)

    async def _listed(self, message: from_client.CreateTournament, plan: Plan) -> list[Player]:
        wanted = {one.id: clean_name(one.name) for one in message.players or ()}
        asked = [(player, plan.mode) for player in wanted]
        standings = await self._ratings.standings(asked)
        if not all(wanted.values()):
            raise BadOptions("players", "each has a name")
        return [
            Player(player, name, rating=None if standing is None else standing.rating)
            for (player, name), standing in zip(wanted.items(), standings, strict=True)
        ]

    async def _player(self, session: Session, mode: Mode) -> Player:
        person = session.whom
        return Player(person.id, person.name, rating=await self._ratings.rating(person.id, mode))

    async def _watch(self, session: Session, message: from_client.WatchTournament) -> None:
        held = await self._tournaments.open(message.tournament)
        await self._tournaments.ask(held, None)  # we may be the one who is behind
        after = None
        if message.after is not None and message.chain is not None:
            after = Head(message.after, message.chain)
        self._show(session, held, message.id, after)

    def _show(self, session: Session, held: Held, re: int | None, after: Head | None) -> None:
        """Tell a session how a tournament stands; from here on it is told every event."""
        followed = sum(session in each.followers for each in self._tournaments.loaded.values())
        if session not in held.followers and followed >= FOLLOWED:
            text = f"{FOLLOWED} tournaments are all that one connection can watch"
            session.fail(ErrorCode.NOT_ALLOWED, text, re=re)
        elif not session.over:
            many = after is not None and held.head.seq - after.seq > RESUMED_EVENTS
            shown = held.snapshot(re) if after is None or many else held.resumed(re, after)
            session.write(frame(session.codec, shown))
            held.followers.add(session)


def _planned(message: from_client.CreateTournament) -> Plan:
    return planned(
        format=message.format,
        mode=message.mode,
        options=message.options or {},
        most=message.most,
        join_s=message.join_s,
        minutes=message.minutes,
        open=message.players is None,
    )
