"""Players whom another issuer knows: its tokens, its keys as they change, and all that is no such token."""

import asyncio
import base64
import hashlib
import hmac
import json
import random
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, RSAAlgorithm
from tests.gateway.conftest import Watch
from tests.gateway.nodes import Running, running
from tests.gateway.peer import peer, welcome
from tests.store.waiting import until

from tenmatch.game.ids import LETTERS, Millis
from tenmatch.gateway import bearer, keyset
from tenmatch.gateway.bearer import Bearer
from tenmatch.gateway.identity import Identity
from tenmatch.gateway.issuer import Issuer, Keys, SharedSecret
from tenmatch.gateway.keyset import KeySet, KeysUnavailable, fetcher, usable
from tenmatch.gateway.tokens import BadToken
from tenmatch.protocol.limits import PeerError

NAME, AUDIENCE = "https://login.example", "tenmatch.example"
SECRET = b"what the issuer and we share: 32+"
NOW = Millis(1_700_000_000_000)
S = NOW // 1000
CLAIMS = {"iss": NAME, "aud": AUDIENCE, "sub": "auth0|42", "name": "Anna", "iat": S, "exp": S + 60}
RSA, OTHER_RSA = (rsa.generate_private_key(65537, 2048) for _ in range(2))
EC, OTHER_EC = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
LETTERS_64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def sign(
    claims: dict[str, Any] | None = None,
    key: Any = SECRET,
    algorithm: str = "HS256",
    **header: Any,
) -> str:
    """Sign claims that replace, or (None) leave out, some of CLAIMS."""
    said = {name: claim for name, claim in {**CLAIMS, **(claims or {})}.items() if claim is not None}
    payload = json.dumps(said).encode()  # `jwt.encode` signs no nonsense
    return jwt.PyJWS().encode(payload, key, algorithm, header)


def published(**keys: Any) -> dict[str, Any]:
    """Return a set of public keys as it is published, by their ids."""
    entries = []
    for kid, private in keys.items():
        algorithm = RSAAlgorithm if isinstance(private, rsa.RSAPrivateKey) else ECAlgorithm
        entries.append({**algorithm.to_jwk(private.public_key(), as_dict=True), "kid": kid, "use": "sig"})
    return {"keys": entries}


BOTH_KINDS = published(rsa=RSA, ec=EC, other=OTHER_RSA)


class Fixed:
    """Keys that are there already."""

    def __init__(self, held: dict[str, Any]) -> None:
        self._keys = usable(json.dumps(held).encode())

    async def find(self, key_id: str) -> jwt.PyJWK | None:
        return self._keys.get(key_id)


def issuer(keys: Keys | None = None) -> Issuer:
    return Issuer(NAME, AUDIENCE, keys or SharedSecret(SECRET))


async def test_a_token_says_who_it_is_and_until_when() -> None:
    token = sign()
    proof = await issuer().read(token, None, NOW)
    assert (proof.person.name, proof.until, proof.token) == ("Anna", (S + 60) * 1000, token)
    assert len(proof.person.id) == 12
    assert set(proof.person.id) <= set(LETTERS)


async def test_the_same_subject_is_the_same_player_and_others_are_others() -> None:
    first = (await issuer().read(sign(), None, NOW)).person
    again = (await issuer().read(sign({"exp": S + 9, "name": "Ann"}), None, NOW)).person
    other = (await issuer().read(sign({"sub": "auth0|43"}), None, NOW)).person
    elsewhere = Issuer("https://other.example", AUDIENCE, SharedSecret(SECRET))
    namesake = (await elsewhere.read(sign({"iss": "https://other.example"}), None, NOW)).person
    assert first.id == again.id
    assert len({first.id, other.id, namesake.id}) == 3


@pytest.mark.parametrize(
    ("claimed", "asked", "name"),
    [
        ("Anna", "Bob", "Anna"),
        ("  A\u202enna ", None, "Anna"),
        (None, "Bob", "Bob"),
        ("\u200b", "Bob", "Bob"),
        (7, None, "Player"),
        (None, None, "Player"),
        ("x" * 99, None, "x" * 24),
    ],
)
async def test_players_are_called_as_their_issuer_says(claimed: object, asked: str | None, name: str) -> None:
    assert (await issuer().read(sign({"name": claimed}), asked, NOW)).person.name == name


@pytest.mark.parametrize(
    ("key", "algorithm", "kid"), [(RSA, "RS256", "rsa"), (EC, "ES256", "ec"), (OTHER_RSA, "RS256", "other")]
)
async def test_published_keys_prove_as_well(key: Any, algorithm: str, kid: str) -> None:
    token = sign(key=key, algorithm=algorithm, kid=kid)
    assert (await issuer(Fixed(BOTH_KINDS)).read(token, None, NOW)).person.name == "Anna"


async def test_the_audience_may_be_one_of_several() -> None:
    assert await issuer().read(sign({"aud": ["elsewhere", AUDIENCE]}), None, NOW)


async def test_times_are_judged_to_the_millisecond_by_the_stores_clock() -> None:
    token = sign({"exp": S + 1.5, "nbf": S + 0.5})
    for now, good in [(500, True), (1_499, True), (499, False), (1_500, False)]:
        try:
            await issuer().read(token, None, Millis(NOW + now))
        except BadToken:
            assert not good, now
        else:
            assert good, now


# A thousand that are none


def _part(value: object) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


WRONG_CLAIMS: list[dict[str, Any]] = [
    {"exp": S},
    {"exp": S - 1},
    {"exp": None},
    {"exp": "never"},
    {"exp": True},
    {"exp": 1e300},
    {"exp": [S + 60]},
    {"nbf": S + 1},
    {"nbf": S + 3600},
    {"nbf": "now"},
    {"aud": "elsewhere"},
    {"aud": ["elsewhere"]},
    {"aud": [[AUDIENCE]]},
    {"aud": {AUDIENCE: 1}},
    {"aud": f"{AUDIENCE}.evil.example"},
    {"aud": AUDIENCE.upper()},
    {"aud": ""},
    {"aud": None},
    {"iss": "https://evil.example"},
    {"iss": f"{NAME}/"},
    {"iss": [NAME]},
    {"iss": None},
    {"sub": None},
    {"sub": 42},
    {"sub": ["auth0|42"]},
]


@dataclass
class Signer:
    """A way to sign that is taken, and what it takes to forge it."""

    key: Any
    algorithm: str
    header: dict[str, str]
    keys: Keys
    wrong_keys: list[tuple[Any, str]]
    claims: dict[str, Any] = field(default_factory=lambda: CLAIMS)

    def sign(self, claims: dict[str, Any] | None = None) -> str:
        return sign({**self.claims, **(claims or {})}, self.key, self.algorithm, **self.header)


def pem(private: Any) -> bytes:
    encoded: bytes = private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return encoded


def hmac_by_hand(claims: dict[str, Any], key: bytes, header: dict[str, Any]) -> str:
    """Sign as a library would not: with a public key for a secret."""
    said = f"{_part(header)}.{_part(claims)}"
    return f"{said}.{_part(hmac.digest(key, said.encode(), hashlib.sha256))}"


SIGNERS = {
    "secret": Signer(
        SECRET,
        "HS256",
        {},
        SharedSecret(SECRET),
        [
            (SECRET[::-1], "HS256"),
            (SECRET * 2, "HS512"),
            (SECRET * 2, "HS384"),
            (RSA, "RS256"),
            (EC, "ES256"),
        ],
    ),
    "rsa": Signer(
        RSA,
        "RS256",
        {"kid": "rsa"},
        Fixed(BOTH_KINDS),
        [(OTHER_RSA, "RS256"), (RSA, "RS512"), (RSA, "PS256"), (EC, "ES256"), (SECRET, "HS256")],
    ),
    "ec": Signer(
        EC,
        "ES256",
        {"kid": "ec"},
        Fixed(BOTH_KINDS),
        [(OTHER_EC, "ES256"), (RSA, "RS256"), (SECRET, "HS256")],
    ),
}


def mutants(signer: Signer, count: int) -> Iterator[tuple[str, str]]:
    """Yield what might pass for a good token, by what is wrong with it."""
    good = signer.sign()
    head, body, mac = good.split(".")
    said = signer.claims
    for wrong in WRONG_CLAIMS:
        yield "claims", signer.sign(wrong)
    for key, algorithm in signer.wrong_keys:
        yield "key", sign(said, key, algorithm, **signer.header)
    for none in ("none", "None", "NONE", "nOnE", "", "HS256 ", "hs256", None, ["HS256"], 256):
        for signature in ("", mac):
            yield "algorithm", f"{_part({'alg': none, 'typ': 'JWT', **signer.header})}.{body}.{signature}"
    for public in (pem(RSA), pem(EC), b"", json.dumps(BOTH_KINDS).encode()):
        yield "key", hmac_by_hand(said, public, {"alg": "HS256", **signer.header})
    for name, value in {
        "crit": ["exp"],
        "crit ": [],
        "b64": False,
        "kid": {"rsa": "other", "ec": "rsa"}.get(signer.header.get("kid", ""), "other"),
        "jku": "https://evil.example/jwks.json",
        "jwk": published(evil=OTHER_RSA)["keys"][0],
    }.items():
        header = {"alg": signer.algorithm, **signer.header, name.strip(): value}
        yield "header", f"{_part(header)}.{body}.{mac}"  # what was signed is another header
    evil = {"jwk": published(evil=OTHER_RSA)["keys"][0], "jku": "https://evil.example", "x5u": "https://e"}
    yield "key", sign(said, OTHER_RSA, "RS256", **{**signer.header, **evil})
    for spelling in (
        *(f"{good}=", f"{good}==", f" {good}", f"{good} ", f"{good}\n", f"{good}\0", f"{good}.", f".{good}"),
        *(f"{head}=.{body}.{mac}", f"{head}.{body}==.{mac}", f"{head}.{body}", f"{head}..{mac}", f"..{mac}"),
        *(f"{head}.{body}.{mac}.{mac}", f"{head}.{body}.", good.replace(".", "\uff0e"), good.upper(), ""),
        *(good.replace(".", ".\u200b"), f"{head}.{body}.{mac[:-1]}٣", "a.b.c", "...", "\ud800"),
        *(f"Bearer {good}", json.dumps(good), good.swapcase(), good[::-1]),
    ):
        yield "spelling", spelling
    for deep in (b"[" * 1_000, b'{"iss":' * 150 + b"1" + b"}" * 150, b"\xff", b"7", b'{"exp":1e999}'):
        yield "nonsense", f"{head}.{_part(deep)}.{mac}"
        yield "nonsense", f"{_part(deep)}.{body}.{mac}"
    for last in LETTERS_64:
        if last != mac[-1]:
            yield "same bytes or others", f"{head}.{body}.{mac[:-1]}{last}"
    for claim, value in {"sub": "auth0|43", "name": "Bob", "exp": S + 9999, "aud": "all", "x": 1}.items():
        yield "other claims", f"{head}.{_part({**said, claim: value})}.{mac}"
    chance = random.Random(23)
    for _ in range(count):
        place = chance.randrange(len(good))
        match chance.randrange(4):
            case 0:
                yield "cut", good[:place]
            case 1:
                yield "shortened", good[:place] + good[place + 1 :]
            case 2:
                yield "longer", good[:place] + chance.choice(LETTERS_64) + good[place:]
            case _:
                others = (LETTERS_64 + ".=+/٣").replace(good[place], "")
                yield "changed", good[:place] + chance.choice(others) + good[place + 1 :]


@pytest.mark.parametrize("name", SIGNERS)
async def test_of_a_thousand_mutants_none_is_taken(name: str) -> None:
    signer = SIGNERS[name]
    judge = issuer(signer.keys)
    good = signer.sign()
    tried = {token: kind for kind, token in mutants(signer, 1_200) if token != good}
    assert len(tried) >= 1_000
    taken = []
    for token, kind in tried.items():
        try:
            await judge.read(token, None, NOW)
        except BadToken:
            continue
        taken.append((kind, token))
    assert taken == []
    assert await judge.read(good, None, NOW)  # the judge would take a good one


def test_our_own_tokens_are_as_hard_to_forge() -> None:
    ours, claims = Identity(SECRET), {**CLAIMS, "iss": "tenmatch", "aud": "tenmatch", "sub": "annaannaanna"}
    wrong_keys = SIGNERS["secret"].wrong_keys
    signer = Signer(SECRET, "HS256", {}, SharedSecret(SECRET), wrong_keys, claims)
    good = signer.sign()
    for token in {token for _, token in mutants(signer, 1_200)} - {good} | {
        sign()
    }:  # that is another issuer's
        with pytest.raises(PeerError):
            ours.read(token, NOW)
    assert ours.read(good, NOW).id == "annaannaanna"


@pytest.mark.parametrize(
    "subject", ["", "annaannaann", "annaannaanna2", "ANNAANNAANNA", "anna}annaann", "0" * 12]
)
def test_a_guest_has_an_id_as_we_draw_them(subject: str) -> None:
    claims = {"iss": "tenmatch", "aud": "tenmatch", "sub": subject, "iat": S, "exp": S + 60}
    with pytest.raises(PeerError):
        Identity(SECRET).read(jwt.encode(claims, SECRET, "HS256"), NOW)


@pytest.mark.parametrize("name", SIGNERS)
async def test_how_long_it_takes_does_not_tell_what_was_wrong(name: str) -> None:
    judge = issuer(SIGNERS[name].keys)
    took: dict[str, list[float]] = {}
    for kind, token in mutants(SIGNERS[name], 200):
        began = time.thread_time()
        with pytest.raises(BadToken):
            await judge.read(token if token != SIGNERS[name].sign() else "", None, NOW)
        took.setdefault(kind, []).append(time.thread_time() - began)
    medians = [median(times) for times in took.values()]
    assert max(medians) - min(medians) < 0.005


# Keys that are published


@dataclass
class Publisher:
    """Answers as the place where an issuer publishes its keys."""

    body: bytes = json.dumps(BOTH_KINDS).encode()
    head: str = "200 OK"
    asked: int = 0
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0

    def __post_init__(self) -> None:
        self.gate.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/jwks.json"

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        self.asked += 1
        await self.gate.wait()
        head = f"HTTP/1.1 {self.head}\r\nContent-Length: {len(self.body)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + self.body)
        await writer.drain()
        writer.close()


@pytest.fixture
async def publisher() -> AsyncIterator[Publisher]:
    publisher = Publisher()
    server = await asyncio.start_server(publisher.answer, "127.0.0.1", 0)
    publisher.port = server.sockets[0].getsockname()[1]
    yield publisher
    publisher.gate.set()
    server.close()
    await server.wait_closed()


@pytest.fixture
async def keys(publisher: Publisher, watch: Watch) -> AsyncIterator[KeySet]:
    async with asyncio.TaskGroup() as group:
        yield KeySet(fetcher(publisher.url), group.create_task)


async def test_keys_are_fetched_when_they_are_first_asked_for(keys: KeySet, publisher: Publisher) -> None:
    found = await asyncio.gather(*(keys.find("rsa") for _ in range(20)))
    assert all(key is not None and key.key_id == "rsa" for key in found)
    assert publisher.asked == 1


async def test_or_before(keys: KeySet, publisher: Publisher) -> None:
    keys.begin()
    await until(lambda: publisher.asked == 1)
    assert await keys.find("ec")
    assert publisher.asked == 1


async def test_unknown_keys_are_asked_for_once_in_a_while(
    keys: KeySet, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "REFETCH_S", 3_600.0)
    assert await keys.find("rsa")
    assert [await keys.find(f"none{number}") for number in range(200)] == [None] * 200
    assert publisher.asked == 1
    monkeypatch.setattr(keyset, "REFETCH_S", 0.0)
    assert await keys.find("none") is None
    assert publisher.asked == 2


async def test_a_new_key_is_found_and_one_withdrawn_is_gone(
    keys: KeySet, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "REFETCH_S", 0.0)
    assert await keys.find("rsa")
    publisher.body = json.dumps(published(new=EC)).encode()
    assert await keys.find("new")
    assert await keys.find("rsa") is None


async def test_old_keys_are_looked_at_again_without_a_wait(
    keys: KeySet, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await keys.find("rsa")
    publisher.body = json.dumps(published(new=EC)).encode()
    monkeypatch.setattr(keyset, "REFETCH_S", 0.0)
    monkeypatch.setattr(keyset, "STALE_S", 0.0)
    publisher.gate.clear()
    assert await keys.find("rsa")  # while the new set is on its way
    publisher.gate.set()
    await until(lambda: "new" in keys._keys)
    assert await keys.find("rsa") is None


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("500 Internal Server Error", b"{}"),
        ("302 Found\r\nLocation: https://evil.example/jwks.json", b""),
        ("200 OK", b"no JSON"),
        ("200 OK", b"[]"),
        ("200 OK", b'{"keys": 7}'),
        ("200 OK", b'{"keys": [7]}'),
        ("200 OK", b'{"keys": []' + b" " * keyset.MOST_BYTES + b"}"),
        ("nonsense", b""),
    ],
)
async def test_where_there_are_no_keys_nothing_is_known(
    keys: KeySet, publisher: Publisher, head: str, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "REFETCH_S", 3_600.0)
    publisher.head, publisher.body = head, body
    with pytest.raises(KeysUnavailable):
        await keys.find("rsa")
    with pytest.raises(KeysUnavailable):  # nor is it asked again at once
        await keys.find("rsa")
    assert publisher.asked == 1
    monkeypatch.setattr(keyset, "REFETCH_S", 0.0)
    publisher.head, publisher.body = Publisher.head, Publisher.body
    assert await keys.find("rsa")


async def test_keys_stay_good_while_there_are_no_newer_ones(
    keys: KeySet, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await keys.find("rsa")
    monkeypatch.setattr(keyset, "REFETCH_S", 0.0)
    publisher.head = "503 Service Unavailable"
    with pytest.raises(KeysUnavailable):
        await keys.find("new")
    assert await keys.find("rsa")


async def test_nobody_waits_for_ever(
    keys: KeySet, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "WAIT_S", 0.2)
    publisher.gate.clear()
    asked = asyncio.create_task(keys.find("rsa"))
    await until(lambda: publisher.asked == 1)  # in this very loop, which so goes on meanwhile
    with pytest.raises(KeysUnavailable):
        await asked
    publisher.gate.set()


PUBLIC_RSA = published(rsa=RSA)["keys"][0]


@pytest.mark.parametrize(
    "entry",
    [
        {"kty": "oct", "kid": "rsa", "k": "c2VjcmV0" * 8},
        {**PUBLIC_RSA, "use": "enc"},
        {**PUBLIC_RSA, "key_ops": ["encrypt"]},
        {**PUBLIC_RSA, "alg": "HS256"},
        {**PUBLIC_RSA, "alg": "none"},
        {**PUBLIC_RSA, "alg": "RSA-OAEP"},
        {**PUBLIC_RSA, "alg": "ES256"},
        {**PUBLIC_RSA, "kid": 7},
        {k: v for k, v in PUBLIC_RSA.items() if k != "kid"},
        {k: v for k, v in PUBLIC_RSA.items() if k != "n"},
        {**RSAAlgorithm.to_jwk(RSA, as_dict=True), "kid": "rsa"},
        {
            **RSAAlgorithm.to_jwk(rsa.generate_private_key(65537, 1024).public_key(), as_dict=True),
            "kid": "rsa",
        },
        {"kty": "EC", "kid": "rsa", "crv": "secp256k1", "x": "AA", "y": "AA"},
        {"kty": "OKP", "kid": "rsa", "crv": "Ed25519", "x": "AA"},
        {"kty": ["RSA"], "kid": "rsa"},
        {},
    ],
)
def test_only_keys_for_signatures_are_used(entry: dict[str, Any]) -> None:
    assert usable(json.dumps({"keys": [entry]}).encode()) == {}
    both = usable(json.dumps({"keys": [entry, *published(ec=EC)["keys"]]}).encode())
    assert list(both) == ["ec"]


# On a node


@asynccontextmanager
async def node_with(url: str, **settings: object) -> AsyncIterator[Running]:
    named = {"jwt_issuer": NAME, "jwt_audience": AUDIENCE, **settings}
    async with running(url, **named) as node:
        yield node


def fresh(running: Running, key: Any = SECRET, algorithm: str = "HS256", **said: Any) -> str:
    """Sign a token that is good now, for a minute unless said otherwise."""
    now = running.store.clock.now() / 1000
    kid = said.pop("kid", None)
    return sign({"iat": int(now), "exp": now + 60, **said}, key, algorithm, **({"kid": kid} if kid else {}))


async def test_a_player_comes_in_with_the_token_it_has(url: str, watch: Watch) -> None:
    async with node_with(url, jwt_secret=SECRET.decode()) as node:
        token = fresh(node)
        async with peer(node.port, token=token, name="Bob") as anna, peer(node.port, token=token) as again:
            assert welcome(anna)["player"]["name"] == "Anna"
            assert welcome(anna)["token"] == token
            assert welcome(again)["player"] == welcome(anna)["player"]
            assert (await anna.ask("create", mode="race"))["t"] == "snapshot"
            assert (await anna.ask("hello", name="Bob"))["player"]["name"] == "Anna"


async def test_guests_come_in_beside_them_unless_they_may_not(url: str, watch: Watch) -> None:
    async with node_with(url, jwt_secret=SECRET.decode()) as node, peer(node.port) as guest:
        token = welcome(guest)["token"]
        async with peer(node.port, token=token) as again:
            assert welcome(again)["player"] == welcome(guest)["player"]
    async with node_with(url, jwt_secret=SECRET.decode(), guests=False) as node:
        reasons = set()
        for hello in ({}, {"token": token}, {"token": "none"}, {"token": fresh(node, aud="elsewhere")}):
            async with peer(node.port, hello=False) as guest:
                await guest.send({"t": "hello", "id": 1, **hello})
                assert await guest.closed() == 4500
                assert guest.heard == []
                reasons.add(guest.reason)
        assert reasons == {"the token is not valid: log in again"}
        async with peer(node.port, token=fresh(node)) as anna:
            assert welcome(anna)["player"]["name"] == "Anna"


async def test_all_that_is_no_token_is_answered_alike(url: str, watch: Watch, publisher: Publisher) -> None:
    async with node_with(url, jwt_jwks_url=publisher.url) as node:
        good = fresh(node, RSA, "RS256", kid="rsa")
        async with peer(node.port, token=good) as anna:
            assert welcome(anna)["player"]["name"] == "Anna"
        answers = set()
        for token in (
            *(good[:-1], f"{good}=", "none", fresh(node, OTHER_RSA, "RS256", kid="rsa")),
            *(fresh(node, RSA, "RS256", kid=kid) for kid in ("other", "ec", "unknown", None)),
            *(
                fresh(node, RSA, "RS256", kid="rsa", **wrong)
                for wrong in ({"aud": "x"}, {"exp": 1}, {"sub": 7})
            ),
            fresh(node, kid="rsa"),
        ):
            async with peer(node.port, hello=False) as stranger:
                await stranger.send({"t": "hello", "id": 1, "token": token})
                answers.add((await stranger.closed(), stranger.reason, len(stranger.heard)))
        assert answers == {(4500, "the token is not valid: say hello without one", 0)}


async def test_where_keys_cannot_be_had_a_player_may_try_again(
    url: str, watch: Watch, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "REFETCH_S", 0.0)
    publisher.head = "503 Service Unavailable"
    async with node_with(url, jwt_jwks_url=publisher.url) as node, peer(node.port, hello=False) as anna:
        token = fresh(node, EC, "ES256", kid="ec")
        assert (await anna.ask("hello", token=token))["code"] == "unavailable"
        assert (await anna.ask("create", mode="race"))["code"] == "hello_first"
        publisher.head = Publisher.head
        assert (await anna.ask("hello", token=token))["t"] == "welcome"


class Sand:
    """What runs out on a node: the test sets its clock, and sees when those who hold a proof look at it."""

    def __init__(self, node: Running, patch: pytest.MonkeyPatch) -> None:
        self._clock = node.store.clock
        self._patch = patch
        self._looks = 0
        look = Bearer._expire

        def counted(held: Bearer) -> None:
            self._looks += 1
            look(held)

        patch.setattr(Bearer, "_expire", counted)
        patch.setattr(bearer, "LOOK_S", 0.01)

    async def run_to(self, seconds: float) -> None:
        """Let it be that time, and return when it was looked at since."""
        self._patch.setattr(self._clock, "now", lambda: Millis(round(seconds * 1000)))
        before = self._looks
        await until(lambda: self._looks > before)


def in_a_minute(node: Running) -> float:
    """Return a moment, in seconds, that is a whole number of ms."""
    return (node.store.clock.now() + 60_000) / 1000


async def test_a_connection_ends_with_its_token(
    url: str, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with node_with(url, jwt_secret=SECRET.decode()) as node:
        sand, end = Sand(node, monkeypatch), in_a_minute(node)
        async with peer(node.port, token=fresh(node, exp=end)) as anna:
            await sand.run_to(end - 0.002)
            assert (await anna.ask("ping"))["t"] == "pong"
            await sand.run_to(end)
            assert await anna.closed() == 4500
            assert anna.reason == "the token has expired: get a new one"


async def test_a_newer_token_keeps_it_open(url: str, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    async with node_with(url, jwt_secret=SECRET.decode()) as node:
        sand, end = Sand(node, monkeypatch), in_a_minute(node)
        async with peer(node.port, token=fresh(node, exp=end)) as anna:
            other = await anna.ask("hello", token=fresh(node, sub="somebody else"))
            assert other["code"] == "not_allowed"
            assert (await anna.ask("hello", token=fresh(node, exp=end + 60)))["t"] == "welcome"
            await sand.run_to(end + 0.1)
            assert (await anna.ask("ping"))["t"] == "pong"


async def test_a_guests_connection_is_good_for_as_long_as_the_token_it_was_given(
    url: str, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(url, secret=SECRET.decode()) as node:
        sand, end = Sand(node, monkeypatch), in_a_minute(node)
        guest = {"iss": "tenmatch", "aud": "tenmatch", "sub": "annaannaanna", "iat": 1, "exp": end}
        async with peer(node.port, token=jwt.encode(guest, SECRET, "HS256")) as anna:
            await sand.run_to(end + 0.001)
            assert (await anna.ask("ping"))["t"] == "pong"
            claims = jwt.decode(welcome(anna)["token"], options={"verify_signature": False})
            assert claims["exp"] > end + 86_400
            async with peer(node.port, token=welcome(anna)["token"]) as again:
                assert welcome(again)["player"]["id"] == "annaannaanna"
