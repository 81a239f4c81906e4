"""Who somebody is: guests, their tokens, and a newer connection of the same player."""

import base64
import hmac
import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.live.client import CODECS
from tests.live.conftest import Knock
from tests.live.node import Node
from tests.live.table import Meet, Table

SECRET = "a secret of the tests' own, long enough"
LONG: dict[str, Any] = {"size": 27, "adds": 5, "seed": "006d" * 16}


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A server whose secret the tests know, so that they can forge almost anything."""
    with Node(tmp_path_factory.mktemp("known"), secret=SECRET, matches_per_s=0, messages_per_s=0) as node:
        yield node


def _part(value: object) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def signed(claims: dict[str, Any], *, algorithm: str = "HS256", secret: str = SECRET) -> str:
    """Sign claims as RFC 7519 says."""
    said = f"{_part({'alg': algorithm, 'typ': 'JWT'})}.{_part(claims)}"
    digest = {"HS256": "sha256", "HS384": "sha384", "HS512": "sha512"}.get(algorithm)
    mac = hmac.digest(secret.encode(), said.encode(), digest) if digest else b""
    return f"{said}.{_part(mac)}"


def claims_of(token: str) -> dict[str, Any]:
    """Read a token without asking who signed it."""
    part = token.split(".")[1]
    claims: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return claims


# Hello


@pytest.mark.parametrize("codec", CODECS)
async def test_a_guest_is_welcomed_with_all_a_client_needs(knock: Knock, codec: str) -> None:
    client = await knock(codec)
    welcome = await client.hello(name="Ada", agent="tests/1")
    assert welcome.keys() == {
        *("t", "re", "player", "token", "seated"),
        *("node", "version", "time", "limits"),
    }
    assert welcome["player"] == {"id": client.player, "name": "Ada"}
    assert (len(client.player), welcome["seated"]) == (12, [])
    assert welcome["limits"]["frame"] == 4096


async def test_a_guest_without_a_name_gets_one(meet: Meet) -> None:
    first, second = await meet(), await meet()
    assert 1 <= len(first.name) <= 24
    assert first.player != second.player


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("  Ada   Lovelace ", "Ada Lovelace"),
        ("A\u202eda\u0000\u200b", "Ada"),
        ("名前", "名前"),
        ("x" * 24, "x" * 24),
    ],
)
async def test_names_are_cleaned(meet: Meet, sent: str, kept: str) -> None:
    assert (await meet(name=sent)).name == kept


@pytest.mark.parametrize("name", ["", "x" * 25, 7, ["Ada"], b"Ada"])
async def test_names_that_cannot_be_are_refused(meet: Meet, name: object) -> None:
    client = await meet(name="Ada")
    answer = await client.ask("hello", name=name)
    assert (answer["t"], answer["code"], answer["field"]) == ("error", "bad_message", "name")
    assert (await client.hello())["player"]["name"] == "Ada"


async def test_a_token_brings_back_the_same_player(meet: Meet) -> None:
    first = await meet(name="Ada")
    again = await meet(CODECS[1], token=first.token)
    assert (again.player, again.name) == (first.player, "Ada")
    third = await meet(token=again.token)  # that of a token, and the older one stays good
    fourth = await meet(token=first.token, name="Countess")
    assert third.player == fourth.player == first.player
    assert fourth.name == "Countess"


async def test_hello_again_renames_and_keeps_the_player(meet: Meet) -> None:
    client = await meet(name="Ada")
    player, token = client.player, client.token
    await client.hello(name="Grace")
    assert (client.player, client.name) == (player, "Grace")
    assert (await meet(token=client.token)).name == "Grace"
    await client.hello(token=token)
    assert client.player == player
    room = (await client.ask("create", mode="race"))["room"]
    assert (await (await meet()).ask("join", room=room, watch=True))["state"]["host"] == 0


async def test_a_connection_never_becomes_another_player(meet: Meet) -> None:
    client, other = await meet(), await meet()
    assert await client.denied("hello", token=other.token) == "not_allowed"
    assert client.close_code is None


# Tokens that are none


def forgeries(token: str) -> dict[str, str]:
    """Return what might pass for a token, by what is wrong with it."""
    head, body, mac = token.split(".")
    claims = claims_of(token)
    hour = 3600
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    last = alphabet[alphabet.index(mac[-1]) ^ 1]  # the same bytes, written otherwise
    return {
        "nothing": "",
        "no token": "open sesame",
        "two parts": f"{head}.{body}",
        "four parts": f"{token}.{mac}",
        "no signature": f"{head}.{body}.",
        "other signature": f"{head}.{body}.{_part(b'0' * 32)}",
        "cut off": token[:-1],
        "longer": f"{token}A",
        "padded": f"{token}=",
        "other spelling": f"{head}.{body}.{mac[:-1]}{last}",
        "a space before": f" {token}",
        "a line break behind": f"{token}\n",
        "unicode digits": f"{head}.{body}.{mac[:-1]}٣",
        "algorithm none": signed(claims, algorithm="none"),
        "other algorithm": signed(claims, algorithm="HS512"),
        "other key": signed(claims, secret=SECRET[::-1]),
        "empty key": signed(claims, secret=""),
        "other player": f"{head}.{_part(claims | {'sub': '2' * 12})}.{mac}",
        "expired": signed(claims | {"iat": claims["iat"] - hour, "exp": claims["iat"] - 1}),
        "never expires": signed({name: claim for name, claim in claims.items() if name != "exp"}),
        "expires at no number": signed(claims | {"exp": "never"}),
        "not yet": signed(claims | {"nbf": claims["iat"] + hour}),
        "for others": signed(claims | {"aud": "elsewhere"}),
        "for nobody": signed({name: claim for name, claim in claims.items() if name != "aud"}),
        "from others": signed(claims | {"iss": "elsewhere"}),
        "nobody": signed({name: claim for name, claim in claims.items() if name != "sub"}),
        "a number": signed(claims | {"sub": 7}),
        "a list": signed([claims]),  # type: ignore[arg-type]  # as it comes from outside
    }


FORGERIES = list(forgeries(signed({"iat": 0, "exp": 0, "sub": "", "aud": "", "iss": ""})))


async def test_the_tests_can_sign_what_the_server_takes(meet: Meet) -> None:
    client = await meet()
    assert (await meet(token=signed(claims_of(client.token)))).player == client.player


@pytest.mark.parametrize("forgery", FORGERIES)
async def test_forged_tokens_are_all_answered_alike(knock: Knock, meet: Meet, forgery: str) -> None:
    token = forgeries((await meet()).token)[forgery]
    client = await knock()
    await client.say("hello", id=1, token=token)
    assert await client.closed() == 4500
    assert client.inbox == []
    assert client.close_reason == "the token is not valid: say hello without one"


async def test_a_forged_token_later_on_closes_too(meet: Meet) -> None:
    client = await meet()
    await client.say("hello", id=9, token=f"{client.token}x")
    assert await client.closed() == 4500


# A newer connection of the same player


async def test_a_newer_connection_takes_the_seat_and_the_older_is_sent_away(node: Node, meet: Meet) -> None:
    table = await Table.begin(meet, "race", **LONG)
    older = table.players[1]
    newer = await meet(CODECS[0], token=older.token)
    assert (await newer.ask("join", room=table.room))["seat"] == 1
    assert (await older.told("detached"))["reason"] == "taken_over"
    assert await older.closed() == 4501
    table.players[1] = newer
    await newer.whole(table.room)
    await table.play_on()
    await table.prove(node)


@pytest.mark.parametrize("tie", ["lobby", "watches", "other seat"])
async def test_who_has_something_left_stays_connected(meet: Meet, tie: str) -> None:
    table = await Table.begin(meet, "race", **LONG)
    older = table.players[1]
    elsewhere = await Table.open(meet, "race", max_players=3)
    if tie == "lobby":
        await older.ask("lobby", on=True)
    else:
        await older.ask("join", room=elsewhere.room, watch=tie == "watches")
    newer = await meet(token=older.token)
    await newer.ask("join", room=table.room)
    await older.told("detached", room=table.room, reason="taken_over")
    assert (await older.ask("ping"))["t"] == "pong"
    assert (await older.move("resign", table.room))["code"] == "not_seated"
    assert await older.denied("chat", room=table.room, text="hm") == "no_such_room"
    head = older.rooms[table.room].seq
    await table.match(0)
    await older.ask("ping")
    assert older.rooms[table.room].seq == head  # it is told nothing more of that room
    assert (await older.ask("join", room=table.room))["seat"] == 1  # and may take the seat again
    assert (await newer.told("detached"))["reason"] == "taken_over"
    assert await newer.closed() == 4501


async def test_watching_twice_takes_nothing_over(meet: Meet) -> None:
    table = await Table.begin(meet, "race", **LONG)
    second = await meet(token=table.watchers[0].token)
    await second.ask("join", room=table.room, watch=True)
    table.watchers.append(second)
    await table.match(0)
    await table.agree()
