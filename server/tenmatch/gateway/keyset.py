"""An issuer's public keys, fetched from where it publishes them (RFC 7517), and again as they change.

Fetching never keeps the event loop waiting, and nobody can make us fetch often: tokens that name keys we do
not hold cost one request in REFETCH_S at most, however many come.
"""

import asyncio
import http.client
import logging
import urllib.request
from collections.abc import Awaitable, Callable, Mapping
from typing import IO, Any, Final
from urllib.parse import urlsplit

import jwt
import msgspec

from tenmatch.gateway.tasks import Spawn

log = logging.getLogger(__name__)

REFETCH_S: Final = 5.0
STALE_S: Final = 600.0  # then they are fetched anew, so that a key that was withdrawn goes
FETCH_S: Final = 3.0  # for a request
WAIT_S: Final = 4.0  # for keys that are being fetched: less than a client has for its hello
MOST_BYTES: Final = 262_144
LEAST_RSA_BITS: Final = 2048
ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


class KeysUnavailable(Exception):
    """The keys could not be fetched: nothing can be said of a token."""


class KeySet:
    """The keys of one issuer."""

    def __init__(self, fetch: Callable[[], Awaitable[bytes]], spawn: Spawn) -> None:
        """Hold none yet.

        Args:
            fetch: Returns the published set; raises OSError where it cannot be had.
        """
        self._fetch = fetch
        self._spawn = spawn
        self._keys: Mapping[str, jwt.PyJWK] = {}
        self._tried = self._fetched = float("-inf")
        self._failed = False
        self._fetching: asyncio.Future[None] | None = None

    async def find(self, key_id: str) -> jwt.PyJWK | None:
        """Return the key of that id, None where the issuer has no such key.

        Raises:
            KeysUnavailable: It is not known whether there is one.
        """
        self._look(key_id)
        if key_id not in self._keys and self._fetching is not None:
            try:
                async with asyncio.timeout(WAIT_S):
                    await asyncio.shield(self._fetching)
            except TimeoutError as error:
                raise KeysUnavailable from error
        if key_id not in self._keys and self._failed:
            raise KeysUnavailable
        return self._keys.get(key_id)

    def begin(self) -> None:
        """Fetch the keys for the first time, before anybody needs them."""
        self._look("")

    def _look(self, key_id: str) -> None:
        now = asyncio.get_running_loop().time()
        wanted = key_id not in self._keys or now - self._fetched >= STALE_S
        if wanted and self._fetching is None and now - self._tried >= REFETCH_S:
            self._tried = now
            self._fetching = asyncio.get_running_loop().create_future()
            self._spawn(self._refresh(self._fetching))

    async def _refresh(self, fetching: "asyncio.Future[None]") -> None:
        self._failed = True
        try:
            keys = usable(await self._fetch())
        except (OSError, http.client.HTTPException, ValueError) as error:
            log.warning("the keys of the issuer cannot be fetched", extra={"error": str(error)})
        else:
            if keys.keys() != self._keys.keys():
                log.info("keys of the issuer", extra={"keys": sorted(keys)})
            self._keys, self._failed = keys, False
            self._fetched = asyncio.get_running_loop().time()
        finally:
            self._fetching = None
            fetching.set_result(None)


def usable(published: bytes) -> dict[str, jwt.PyJWK]:
    """Return, by id, the keys of a published set that signatures can be checked with; others are passed over.

    Raises:
        ValueError: It is no set of keys.
    """
    try:
        entries = msgspec.json.decode(published)["keys"]
        return {key.key_id: key for key in map(_key, reversed(entries)) if key is not None and key.key_id}
    except (msgspec.DecodeError, TypeError, KeyError, AttributeError) as error:
        raise ValueError("what was fetched is no set of keys") from error


def _key(entry: dict[str, Any]) -> jwt.PyJWK | None:
    public = "d" not in entry and entry.get("kty") in ("RSA", "EC")
    for_us = entry.get("use", "sig") == "sig" and "verify" in entry.get("key_ops", ["verify"])
    known = entry.get("alg") in (None, *ALGORITHMS)
    if not (public and for_us and known and isinstance(entry.get("kid"), str)):
        return None
    try:
        key = jwt.PyJWK(entry)
    except jwt.PyJWTError:
        return None  # of a kind that we do not know
    weak = key.key_type == "RSA" and key.key.key_size < LEAST_RSA_BITS
    return None if weak or key.algorithm_name not in ALGORITHMS else key


def fetcher(url: str) -> Callable[[], Awaitable[bytes]]:
    """Return what fetches *url* in a thread of its own; no redirect is followed."""
    handlers: list[urllib.request.BaseHandler] = [_NoRedirects()]
    if urlsplit(url).hostname in LOOPBACK:
        handlers.append(urllib.request.ProxyHandler({}))
    opener = urllib.request.build_opener(*handlers)
    request = urllib.request.Request(url, headers={"Accept": "application/json", "User-Agent": "tenmatch"})

    def download() -> bytes:
        with opener.open(request, timeout=FETCH_S) as answer:
            body: bytes = answer.read(MOST_BYTES + 1)
        if len(body) > MOST_BYTES:
            raise ValueError(f"it is longer than {MOST_BYTES} bytes")
        return body

    async def fetch() -> bytes:
        async with asyncio.timeout(2 * FETCH_S):  # each of its parts may take FETCH_S
            return await asyncio.to_thread(download)

    return fetch


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Takes no other place's word for what the keys are."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> None:
        """Refuse: the answer counts as an error."""
