"""Who somebody is: tokens that only we can write."""

import base64
import json
from typing import Any

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenmatch.game.ids import LETTERS, Millis, PlayerId
from tenmatch.gateway.identity import ANIMALS, TOKEN_DAYS, Identity, Person
from tenmatch.protocol.limits import TOKEN_LENGTH, CloseCode, PeerError

SECRET = b"s" * 32
NOW = Millis(1_700_000_000_000)
DAY = 86_400_000
ANNA = Person(PlayerId("annaannaanna"), "Anna")
OURS = Identity(SECRET)
TOKEN = OURS.sign(ANNA, NOW)
CLAIMS = {"iss": "tenmatch", "aud": "tenmatch", "sub": "annaannaanna", "name": "Anna", "iat": NOW // 1000}
GOOD = {**CLAIMS, "exp": NOW // 1000 + 60}


def refused(token: str, now: int = NOW) -> bool:
    """Tell whether a token is refused, in the one way in which all are."""
    try:
        OURS.read(token, Millis(now))
    except PeerError as error:
        why = (error.code, error.reason)
    else:
        return False
    assert why == (CloseCode.BAD_TOKEN, "the token is not valid: say hello without one")
    return True


def test_a_token_brings_its_person_back() -> None:
    assert OURS.read(TOKEN, NOW) == ANNA
    assert len(TOKEN) < TOKEN_LENGTH / 4


def test_it_is_good_for_so_many_days_by_the_stores_clock() -> None:
    last = NOW + TOKEN_DAYS * DAY
    assert not refused(TOKEN, last - 1)
    assert refused(TOKEN, last)


def test_our_own_clock_does_not_matter() -> None:
    far = NOW + 50 * 365 * DAY
    assert Identity(SECRET).read(OURS.sign(ANNA, Millis(far)), Millis(far)) == ANNA
    past = 1_000_000_000_000
    assert OURS.read(OURS.sign(ANNA, Millis(past)), Millis(past)) == ANNA


def signed(claims: dict[str, Any], secret: bytes = SECRET, algorithm: str = "HS256", **headers: str) -> str:
    return jwt.encode(claims, secret, algorithm, headers=headers)


def test_one_that_is_as_ours_is_good() -> None:
    assert OURS.read(signed(GOOD), NOW) == ANNA


FORGED = [
    signed(GOOD, b"another secret of thirty-two bytes"),
    signed(GOOD, SECRET * 2, "HS512"),
    signed({**GOOD, "exp": NOW // 1000}),
    signed({**GOOD, "aud": "someone-else"}),
    signed({**GOOD, "iss": "someone-else"}),
    *(signed({k: v for k, v in GOOD.items() if k != claim}) for claim in GOOD if claim != "name"),
    jwt.encode(GOOD, "", "none"),
    signed({**GOOD, "exp": "soon"}),
    signed({**GOOD, "exp": None}),
    "",
    ".",
    "..",
    "a.b.c",
    "\ud800",
    "x" * TOKEN_LENGTH,
    TOKEN[:-1],
    TOKEN + ".",
    TOKEN.rpartition(".")[0],
    TOKEN.rpartition(".")[0] + ".",
    TOKEN.replace(".", "\uff0e"),
    f" {TOKEN}",
    f"{TOKEN}\n",
    f"{TOKEN}=",
    f"{TOKEN}==",
    TOKEN[:-10] + "\n" + TOKEN[-10:],
    TOKEN.rpartition(".")[0] + "." + TOKEN.rpartition(".")[2].replace("-", "+").replace("_", "/") + "!",
]


@pytest.mark.parametrize("number", range(len(FORGED)))
def test_all_others_are_refused_alike(number: int) -> None:
    assert refused(FORGED[number])


def test_no_change_of_one_character_is_good() -> None:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.+/٣"
    for place, letter in enumerate(TOKEN):
        for other in alphabet if place > len(TOKEN) - 3 else alphabet[place % 60 :: 23]:
            if other != letter:
                assert refused(TOKEN[:place] + other + TOKEN[place + 1 :]), (place, other)


def test_a_signature_can_be_written_in_one_way_only() -> None:
    body, _, signature = TOKEN.rpartition(".")
    raw = base64.urlsafe_b64decode(signature + "=")
    same = [
        signature[:-1] + letter
        for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        if base64.urlsafe_b64decode(signature[:-1] + letter + "=") == raw
    ]
    assert len(same) == 4
    assert [refused(f"{body}.{one}") for one in same].count(False) == 1


def test_claims_changed_under_an_old_signature_are_refused() -> None:
    header, claims, signature = TOKEN.split(".")
    changed = json.loads(base64.urlsafe_b64decode(claims + "=="))
    changed["sub"] = "bobbobbobbob"
    forged = base64.urlsafe_b64encode(json.dumps(changed).encode()).decode().rstrip("=")
    assert refused(f"{header}.{forged}.{signature}")


@given(st.text(max_size=300))
def test_no_text_is_a_token(text: str) -> None:
    assert refused(text)


def test_guests_are_new_each_time() -> None:
    guests = [OURS.guest(None) for _ in range(50)]
    assert len({guest.id for guest in guests}) == 50
    assert all(len(guest.id) == 12 and set(guest.id) <= set(LETTERS) for guest in guests)
    assert all(guest.name.split()[0] in ANIMALS for guest in guests)


def test_a_guest_is_called_as_it_asks() -> None:
    assert OURS.guest(" A\u202enna\t").name == "Anna"


@pytest.mark.parametrize("name", [None, "", " ", "\u200b\u202e"])
def test_who_has_no_name_is_given_one(name: str | None) -> None:
    assert OURS.guest(name).name.split()[0] in ANIMALS
