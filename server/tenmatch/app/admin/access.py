"""Who may see and do what an operator does: whoever knows the token, or has the cookie it was exchanged for.

The cookie says until when it is good, sealed with the token, so that every node knows it and none keeps it.
"""

import hmac
import logging
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from websockets.datastructures import MultipleValuesError
from websockets.http11 import Request, Response

from tenmatch.gateway.addresses import site
from tenmatch.gateway.http import say

log = logging.getLogger(__name__)

COOKIE: Final = "tenmatch_admin"
GOOD_S: Final = 12 * 3600
ATTEMPTS: Final = 10  # that fail, from one address within WINDOW_S
WINDOW_S: Final = 60.0
PRIVATE: Final = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
_SEAL: Final = b"tenmatch operator until "


class Access:
    """Lets operators in."""

    def __init__(self, token: str, now: Callable[[], float], *, secure: bool) -> None:
        """Let in whoever has *token*.

        Args:
            now: The time in seconds, the same on all nodes.
            secure: Give the cookie over TLS only.
        """
        self._token = token.encode()
        self._now = now
        self._secure = secure
        self._failed: Counter[str] = Counter()  # attempts by site, since the window began
        self._began = now()

    def refusal(self, request: Request, address: str) -> Response | None:
        """Return why a request from *address* is not answered; None where it is."""
        if not _is_ours(request):
            return say(HTTPStatus.FORBIDDEN, "other sites' pages have no business here", PRIVATE)
        if self._has_cookie(request):
            return None
        return self._without_cookie(request, site(address))

    def _without_cookie(self, request: Request, where: str) -> Response | None:
        given = _bearer(request)
        if given is None:
            return _unknown("say who you are")
        if hmac.compare_digest(given, self._token):
            return None  # however many others of the address have tried: nobody is to keep operators out
        return self._failure(where)

    def _failure(self, where: str) -> Response:
        """Answer a wrong token.

        Attempts are limited so that they do not fill the log. That none comes to anything is up to the token,
        which has 32 signs at least: who guesses may as well seal cookies with guesses, and all of these are
        compared.
        """
        if self._now() - self._began >= WINDOW_S:
            self._failed.clear()
            self._began = self._now()
        if self._failed[where] >= ATTEMPTS:
            return say(
                HTTPStatus.TOO_MANY_REQUESTS,
                "too many attempts",
                {**PRIVATE, "Retry-After": str(int(WINDOW_S))},
            )
        self._failed[where] += 1
        log.warning("a wrong token for /admin", extra={"address": where, "attempts": self._failed[where]})
        return _unknown("that is not the token")

    def cookie(self) -> str:
        """Return a cookie for who has shown the token."""
        until = str(int(self._now()) + GOOD_S)
        return self._cookie(f"{until}.{self._seal(until)}", GOOD_S)

    def no_cookie(self) -> str:
        """Return what takes the cookie back."""
        return self._cookie("", 0)

    def _cookie(self, value: str, seconds: int) -> str:
        kept = f"{COOKIE}={value}; Max-Age={seconds}; Path=/admin; HttpOnly; SameSite=Strict"
        return f"{kept}; Secure" if self._secure else kept

    def _has_cookie(self, request: Request) -> bool:
        for header in request.headers.get_all("Cookie"):
            for pair in header.split(";"):
                name, _, value = pair.strip().partition("=")
                if name == COOKIE and self._is_good(value):
                    return True
        return False

    def _is_good(self, value: str) -> bool:
        until, _, seal = value.partition(".")
        sealed = hmac.compare_digest(seal.encode(), self._seal(until).encode())
        return sealed and until.isascii() and until.isdecimal() and self._now() < int(until)

    def _seal(self, until: str) -> str:
        return hmac.new(self._token, _SEAL + until.encode(), "sha256").hexdigest()


def _bearer(request: Request) -> bytes | None:
    try:
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
    except MultipleValuesError:
        return None
    return token.strip().encode() if kind.lower() == "bearer" and token else None


def _is_ours(request: Request) -> bool:
    """Tell whether it is no page of another site that asks."""
    sites = set(request.headers.get_all("Sec-Fetch-Site"))
    origins = set(request.headers.get_all("Origin"))
    host = request.headers.get_all("Host")
    own = {f"{scheme}://{host[0]}" for scheme in ("http", "https")} if len(host) == 1 else set()
    return sites <= {"same-origin", "none"} and origins <= own


def _unknown(text: str) -> Response:
    return say(HTTPStatus.UNAUTHORIZED, text, {**PRIVATE, "WWW-Authenticate": "Bearer"})
