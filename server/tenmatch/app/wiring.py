"""Builds everything a node is made of, in order, from the store up to the door.

Read it right after `tenmatch.game.room`: each line is one part, with what it needs beside it.
"""

import asyncio
import secrets
from collections.abc import Coroutine, Mapping
from itertools import count
from typing import Any

from tenmatch.app.health import answers
from tenmatch.app.node import Node
from tenmatch.app.settings import DAY_S, Settings
from tenmatch.app.watchdog import Watchdog
from tenmatch.game.ids import spell
from tenmatch.gateway.addresses import Proxies
from tenmatch.gateway.allowance import Limits, Pools
from tenmatch.gateway.attendance import Attendance
from tenmatch.gateway.connection import Connection, Receiver
from tenmatch.gateway.counts import Counts
from tenmatch.gateway.credits import Shared
from tenmatch.gateway.dailies import Dailies
from tenmatch.gateway.dailyboards import DailyBoards
from tenmatch.gateway.desk.desk import Desk
from tenmatch.gateway.desk.entrance import Entrance
from tenmatch.gateway.desk.founding import Founding
from tenmatch.gateway.desk.seeking import Seeking
from tenmatch.gateway.desk.welcome import Welcome
from tenmatch.gateway.handshake import Admission, Handshake
from tenmatch.gateway.http import Page
from tenmatch.gateway.identity import Identity
from tenmatch.gateway.issuer import Issuer, Keys, SharedSecret
from tenmatch.gateway.keyset import KeySet, fetcher
from tenmatch.gateway.leaderboards import Leaderboards
from tenmatch.gateway.listing import Listing
from tenmatch.gateway.matchmaking import Matchmaking
from tenmatch.gateway.meetings import Meetings
from tenmatch.gateway.news import News
from tenmatch.gateway.onlooker import Onlooker
from tenmatch.gateway.orders import Orders
from tenmatch.gateway.pulse import Pulse
from tenmatch.gateway.quota import ROOMS, TOURNAMENTS, Quota
from tenmatch.gateway.ratings import Ratings
from tenmatch.gateway.records import Records
from tenmatch.gateway.rounds import Rounds, every
from tenmatch.gateway.session import Session
from tenmatch.gateway.tables import Tables
from tenmatch.gateway.talk import Talk
from tenmatch.gateway.tasks import Spawn, spawner
from tenmatch.gateway.tournament.desk import TournamentDesk
from tenmatch.gateway.tournament.games import Games
from tenmatch.gateway.tournament.pages import TournamentPages
from tenmatch.gateway.tournament.tournaments import Tournaments
from tenmatch.gateway.tournament.upkeep import Upkeep
from tenmatch.gateway.witness import Witness
from tenmatch.protocol.codec import Codec
from tenmatch.store.committer import Committer
from tenmatch.store.connect import Store
from tenmatch.store.feed import Feed
from tenmatch.store.presence import Presence
from tenmatch.store.secret import shared_secret

CHATS_AT_ONCE = 10
ORDERS_ROUND_S = 1.0
BURST_S = 3  # what the connections of one player, or one address, may send at once: so many seconds' worth


async def start(
    settings: Settings,
    store: Store,
    group: asyncio.TaskGroup,
    site: Mapping[str, Page],
    onlooker: Onlooker | None = None,
) -> Node:
    """Build a node on a store that answers, and start its tasks.

    Args:
        group: Outlives every task of the node.
        site: The pages of the web client, by path.
        onlooker: Sees moves as they are made.

    Raises:
        StoreDown: The store cannot be reached.
    """

    ended, begin_task = asyncio.Event(), spawner(group)

    def spawn(work: Coroutine[Any, Any, None]) -> None:
        if ended.is_set():  # a connection that went down with the node
            work.close()
        else:
            begin_task(work)

    name = spell(secrets.token_bytes(16), 8)
    await store.set_clock()

    pulse = Pulse(store)
    news = News()
    feed = Feed(store, name, news)
    counts = Counts()
    committer = Committer(store, hears=feed.hears, durability=settings.durability)
    ratings = Ratings(store, often=settings.rated_per_rival, ttl=settings.rating_days * DAY_S)
    tables = Tables(
        store, committer, feed, ratings, pulse=pulse, counts=counts, spawn=spawn, onlooker=onlooker
    )
    kept_s = settings.record_days * DAY_S
    witness = Witness(store, ttl=kept_s)
    attendance = Attendance(Presence(store, name), tables, witness, spawn=spawn)
    meetings = Meetings(store, tables, ratings, spawn=spawn)
    matchmaking = Matchmaking(store, feed, ratings, meetings, node=name, spawn=spawn)
    tournaments = Tournaments(store, committer, feed, pulse=pulse, spawn=spawn, ttl=kept_s)
    upkeep = Upkeep(store, tournaments)

    def revive() -> None:
        tables.revive()
        tournaments.revive()

    pulse.revived = revive
    games = Games(store, tables, ratings, tournaments, spawn=spawn)
    listing = Listing(store)
    records = Records(store, ttl=kept_s, spawn=spawn)
    dailies = Dailies(store, tables, ttl=kept_s)
    entrance = Entrance(store, tables, attendance, ratings)
    desk = Desk(
        tables=tables,
        attendance=attendance,
        listing=listing,
        talk=Talk(
            store,
            feed,
            on=settings.chat,
            reports_per_day=settings.reports_per_day,
            reports_ttl=settings.report_days * DAY_S,
        ),
        welcoming=Welcome(store, tables, node=name, chat=settings.chat),
        entrance=entrance,
        founding=Founding(
            store,
            tables,
            ratings,
            dailies,
            entrance,
            quota=Quota(
                store, ROOMS, per_player=settings.rooms_per_player, per_address=settings.rooms_per_address
            ),
        ),
        seeking=Seeking(matchmaking),
        tournaments=TournamentDesk(
            store,
            tournaments,
            ratings,
            quota=Quota(
                store,
                TOURNAMENTS,
                per_player=settings.tournaments_per_player,
                per_address=settings.tournaments_per_address,
            ),
            per_address=settings.entrants_per_address,
        ),
        spawn=spawn,
    )
    orders = Orders(feed, name, desk.sessions)
    news.deliver_to(tables, attendance, matchmaking, tournaments, orders)
    identity = Identity(
        settings.secret_bytes or await shared_secret(store),
        issuer_of(settings, spawn),
        guests=settings.guests,
    )
    limits, pools = limits_of(settings), pools_of(settings)

    def begin(connection: Connection, codec: Codec) -> Receiver:
        return Session(
            connection,
            codec,
            desk=desk,
            identity=identity,
            clock=store.clock,
            limits=limits,
            counts=counts,
            pools=pools,
            address=connection.address,
        )

    admission = Admission(
        origins=settings.origins,
        sockets_per_address=settings.sockets_per_address,
        sockets=settings.sockets,
        handshakes=settings.handshakes,
        proxies=Proxies(settings.trusted_proxies, settings.forwarded_header),
    )
    pages: dict[str, Page] = {}
    handshake = Handshake(admission, pages, begin)

    await pulse.once()
    runs = (feed.run(), committer.run(), pulse.run(), matchmaking.run())
    tasks = [group.create_task(work) for work in runs]
    rounds = Rounds(
        store,
        tables,
        attendance=attendance,
        listing=listing,
        witness=witness,
        dailies=dailies,
        upkeep=upkeep,
        keepers=(records, ratings, dailies, games),
    )
    for title, seconds, round_ in (*rounds.all(), ("orders", ORDERS_ROUND_S, orders.listen)):
        tasks.append(group.create_task(every(title, seconds, round_)))

    watchdog = Watchdog(log_s=settings.stuck_log_s, end_s=settings.stuck_end_s)
    node = Node(
        name=name,
        settings=settings,
        store=store,
        pulse=pulse,
        feed=feed,
        committer=committer,
        tables=tables,
        tournaments=tournaments,
        games=games,
        dailies=dailies,
        desk=desk,
        orders=orders,
        rounds=rounds,
        handshake=handshake,
        watchdog=watchdog,
        counts=counts,
        pages=pages,
        numbers=count(1),
        tasks=tasks,
        ended=ended,
    )
    leaderboards = Leaderboards(store, ratings, spawn=spawn)
    daily_boards = DailyBoards(store, dailies, spawn=spawn)
    tournament_pages = TournamentPages(store, tournaments, spawn=spawn)
    pages |= {
        **site,
        **answers(node),
        "/v1/records/*": records.page,
        "/v1/leaderboards/*": leaderboards.board,
        "/v1/players/*": leaderboards.player,
        "/v1/daily": daily_boards.page,
        "/v1/daily/*": daily_boards.page,
        "/v1/tournaments": tournament_pages.all,
        "/v1/tournaments/*": tournament_pages.one,
    }
    return node


def issuer_of(settings: Settings, spawn: Spawn) -> Issuer | None:
    """Return who else vouches for players, if somebody does; keys that it publishes are fetched now."""
    if settings.jwt_issuer is None or settings.jwt_audience is None:
        return None
    keys: Keys
    if settings.jwt_secret is not None:
        keys = SharedSecret(settings.jwt_secret.get_secret_value().encode())
    else:
        assert settings.jwt_jwks_url is not None, "the settings saw to it that there is one of both"
        keys = published = KeySet(fetcher(settings.jwt_jwks_url), spawn)
        published.begin()
    return Issuer(settings.jwt_issuer, settings.jwt_audience, keys)


def limits_of(settings: Settings) -> Limits:
    """Return what one client may send."""
    return Limits(
        messages_per_s=settings.messages_per_s,
        messages_burst=settings.messages_burst,
        matches_per_s=settings.matches_per_s,
        joins_per_minute=settings.joins_per_minute,
        sockets_per_player=settings.sockets_per_player,
        chats_per_minute=settings.chats_per_minute,
    )


def pools_of(settings: Settings) -> Pools:
    """Return what the connections of one player, and those of one address, may send together."""
    return Pools(
        players=_shared(settings.messages_per_s_player),
        addresses=_shared(settings.messages_per_s_address),
        talkers=Shared(settings.chats_per_minute / 60, CHATS_AT_ONCE),
    )


def _shared(per_second: float) -> Shared:
    return Shared(per_second, per_second * BURST_S)
