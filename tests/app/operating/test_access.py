"""/admin: who is let in, and who is not."""

from http import HTTPStatus

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from tenmatch.app.admin.access import ATTEMPTS, GOOD_S, WINDOW_S, Access

TOKEN = "0123456789abcdef0123456789abcdef"
HERE = ("Host", "play.example")
HIM, HER = "192.0.2.1", "192.0.2.2"


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def access(clock: Clock) -> Access:
    return Access(TOKEN, clock, secure=True)


def status(access: Access, *headers: tuple[str, str], address: str = HIM) -> int:
    """Return 200 for who is let in, else the refusal's status."""
    refusal = access.refusal(Request("/admin/api/me", Headers([HERE, *headers])), address)
    if refusal is None:
        return 200
    assert refusal.headers["Cache-Control"] == "no-store"
    assert TOKEN.encode() not in refusal.body
    return refusal.status_code


def bearer(token: str) -> tuple[str, str]:
    return ("Authorization", f"Bearer {token}")


def cookie(access: Access) -> tuple[str, str]:
    given = access.cookie()
    assert {"HttpOnly", "SameSite=Strict", "Path=/admin", "Secure"} <= set(given.split("; "))
    assert TOKEN not in given
    return ("Cookie", f"other=1; {given.split(';')[0]}")


def test_whoever_has_the_token_is_let_in_and_nobody_else(access: Access) -> None:
    assert status(access, bearer(TOKEN)) == HTTPStatus.OK
    for headers in (
        [],
        [bearer("")],
        [bearer(TOKEN[:-1])],
        [bearer(TOKEN + "x")],
        [bearer("ü")],
        [("Authorization", f"Basic {TOKEN}")],
        [bearer(TOKEN), bearer(TOKEN)],
        [("Cookie", f"tenmatch_admin={TOKEN}")],
    ):
        assert status(access, *headers) == HTTPStatus.UNAUTHORIZED


def test_a_cookie_is_good_for_a_while_on_every_node(access: Access, clock: Clock) -> None:
    kept = cookie(access)
    other = Access(TOKEN, clock, secure=False)
    assert status(other, kept) == HTTPStatus.OK
    assert "Secure" not in other.cookie()
    assert status(Access(TOKEN[::-1], clock, secure=True), kept) == HTTPStatus.UNAUTHORIZED
    clock.now += GOOD_S - 1
    assert status(access, kept) == HTTPStatus.OK
    clock.now += 1
    assert status(access, kept) == HTTPStatus.UNAUTHORIZED
    assert "Max-Age=0" in access.no_cookie()


def test_no_byte_of_a_cookie_can_be_another(access: Access) -> None:
    name, _, value = cookie(access)[1].rpartition("=")
    for place, sign in enumerate(value):
        forged = value[:place] + ("1" if sign == "0" else "0") + value[place + 1 :]
        assert status(access, ("Cookie", f"{name}={forged}")) == HTTPStatus.UNAUTHORIZED


def test_attempts_are_limited_for_each_address(access: Access, clock: Clock) -> None:
    wrong = bearer("x" * 32)
    for _ in range(ATTEMPTS):
        assert status(access, wrong) == HTTPStatus.UNAUTHORIZED
    assert status(access, wrong) == HTTPStatus.TOO_MANY_REQUESTS
    assert status(access, wrong, address=HER) == HTTPStatus.UNAUTHORIZED
    clock.now += WINDOW_S
    assert status(access, wrong) == HTTPStatus.UNAUTHORIZED


def test_nobody_is_kept_out_by_what_others_try(access: Access) -> None:
    kept = cookie(access)
    for _ in range(ATTEMPTS + 1):
        status(access, bearer("x" * 32))
    assert status(access, bearer(TOKEN)) == HTTPStatus.OK
    assert status(access, kept) == HTTPStatus.OK


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ([("Sec-Fetch-Site", "same-origin"), ("Origin", "https://play.example")], 200),
        ([("Sec-Fetch-Site", "none")], 200),
        ([("Sec-Fetch-Site", "cross-site")], 403),
        ([("Sec-Fetch-Site", "same-site")], 403),
        ([("Origin", "https://evil.example")], 403),
        ([("Origin", "null")], 403),
    ],
)
def test_other_sites_pages_have_no_say(access: Access, headers: list[tuple[str, str]], expected: int) -> None:
    assert status(access, cookie(access), *headers) == expected
