"""Everything that can be set: by flag, by a `TENMATCH_…` variable, or in a file named by `TENMATCH_ENV_FILE`.

Every limit has a name and a default here; 0 lifts it. Unknown `TENMATCH_…` variables stop the start: a
misspelt limit must not be a limit that silently is not there.
"""

import ipaddress
import os
import re
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from tenmatch.gateway.identity import ISSUER
from tenmatch.gateway.keyset import LOOPBACK
from tenmatch.store.durability import Durability

PREFIX = "TENMATCH_"
ENV_FILE = "TENMATCH_ENV_FILE"
DAY_S = 86_400  # of what is set in days
Listed = Annotated[tuple[str, ...], NoDecode]
"""What is written as one text, its parts separated by commas."""
SECRETS = ("SECRET", "REDIS", "JWT_SECRET", "ADMIN_TOKEN")
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^/\sA-Z]+")  # as browsers send it: no path, not even a slash


class BadSettings(Exception):
    """A setting cannot be so; says which, and what is allowed."""


class Settings(BaseSettings):
    """What the server was started with."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid")

    host: str = Field("127.0.0.1", description="address to listen on")
    port: int = Field(8765, ge=0, le=65535, description="port to listen on; 0 takes a free one")
    tls_cert: Path | None = Field(None, description="certificate, with its chain, in PEM; then all is TLS")
    tls_key: Path | None = Field(None, description="its key, in PEM; both are read again on SIGHUP")
    reuse_port: bool = Field(False, description="share the port with other processes (SO_REUSEPORT)")
    redis: SecretStr | None = Field(
        None,
        description="URL of a Redis of yours (redis://…, rediss://…, redis+sentinel://…, redis+cluster://…, "
        "unix://…); without, a private Valkey is started",
    )
    admin_token: SecretStr | None = Field(
        None, min_length=32, description="lets operators in at /admin; without there is no such page"
    )
    admin_writes: bool = Field(False, description="let them kick, close, announce and drain there, too")
    durability: Durability = Field(
        Durability.FAST,
        description="who has a move before it is acknowledged: fast (Redis), replicated (a replica, too) or "
        "fsync (its disk)",
    )
    data: Path = Field(Path("data"), description="folder in which the private Valkey keeps its data")
    workers: int = Field(1, ge=1, le=64, description="processes that share the port")
    origins: Listed = Field(
        (), description="further origins whose pages may connect, separated by commas: https://play.example"
    )
    trusted_proxies: Listed = Field(
        (), description="addresses and networks of your proxies, separated by commas: 10.0.0.0/8"
    )
    forwarded_header: str = Field(
        "X-Forwarded-For",
        pattern="(?i)^(X-Forwarded-For|Forwarded)$",
        description="where they say whom they speak for: X-Forwarded-For or Forwarded",
    )
    secret: SecretStr | None = Field(
        None, min_length=32, description="signs guests' tokens; without, the store holds one for all nodes"
    )
    guests: bool = Field(True, description="let people in without a token, as guests")
    jwt_issuer: str | None = Field(
        None, min_length=1, description="whose tokens are taken beside ours: what they have in `iss`"
    )
    jwt_audience: str | None = Field(
        None, min_length=1, description="what these tokens have in `aud` when they are for us"
    )
    jwt_secret: SecretStr | None = Field(
        None, min_length=32, description="what they are signed with (HS256), or"
    )
    jwt_jwks_url: str | None = Field(
        None, description="where the issuer publishes its keys (RSA, EC): https://login.example/jwks.json"
    )
    loop: str = Field("uvloop", pattern="^(uvloop|asyncio)$", description="event loop: uvloop or asyncio")
    log_format: str = Field("auto", pattern="^(auto|json|text)$", description="auto, json or text")
    log_level: str = Field("info", pattern="^(debug|info|warning|error)$", description="what is logged from")
    metrics_port: int | None = Field(
        None, ge=0, le=65535, description="port for /metrics, of its own; without, there are none"
    )
    metrics_host: str = Field("127.0.0.1", description="address of that port")
    metrics_socket: Path | None = Field(
        None, description="Unix socket for /metrics instead of that port, as workers have it"
    )
    traces: bool = Field(False, description="trace moves with OpenTelemetry (needs tenmatch[otel])")
    unfit_redis: bool = Field(
        False, description="start on a Redis that may lose games (evicting, not persistent)"
    )

    messages_per_s: float = Field(20, ge=0, description="messages a connection may send in a second")
    messages_burst: float = Field(60, ge=1, description="and at once")
    messages_per_s_player: float = Field(
        40, ge=0, description="messages that all connections of a player to one process may send in a second"
    )
    messages_per_s_address: float = Field(
        1000, ge=0, description="messages that all connections from an address to one process may send"
    )
    joins_per_minute: float = Field(60, ge=0, description="rooms a connection may join in a minute")
    chat: bool = Field(True, description="let people in a room talk to each other")
    chats_per_minute: float = Field(
        30, ge=0, description="lines of chat a player may send to one process in a minute, 10 of them at once"
    )
    reports_per_day: int = Field(
        20, ge=0, description="reports on other players that a player may send within 24 hours"
    )
    report_days: int = Field(
        90, ge=0, le=36_500, description="days for which these reports are kept; 0: for ever"
    )
    matches_per_s: float = Field(8, ge=0, description="matches a seat may claim in a second")
    sockets: int = Field(20_000, ge=0, description="connections of one process")
    sockets_per_address: int = Field(200, ge=0, description="connections from one address to one process")
    sockets_per_player: int = Field(50, ge=0, description="connections of one player to one process")
    handshakes: int = Field(
        2_000, ge=0, description="connections of one process not yet let in; one more ends the oldest"
    )
    rooms_per_player: int = Field(20, ge=0, description="rooms that one player made and that are not over")
    rooms_per_address: int = Field(300, ge=0, description="rooms made from one address within an hour")
    tournaments_per_player: int = Field(
        5, ge=0, description="tournaments that one player announced and that are not over"
    )
    tournaments_per_address: int = Field(
        50, ge=0, description="tournaments announced from one address within a day"
    )
    entrants_per_address: int = Field(
        32, ge=0, description="players who may sign up for one tournament from the same address"
    )
    record_days: int = Field(
        30, ge=0, le=36_500, description="days for which records of finished games are kept; 0: for ever"
    )
    rating_days: int = Field(
        365,
        ge=0,
        le=36_500,
        description="days for which ratings are kept after a player's last rated game; 0: for ever",
    )
    rated_per_rival: int = Field(
        10, ge=0, description="rated games a day (UTC) between the same two players that count"
    )
    player_bytes: int = Field(
        262_144, ge=4096, description="what may wait for a client to read it, then 1013"
    )
    watcher_bytes: int = Field(
        65_536, ge=4096, description="what may wait for a watcher; then events are skipped"
    )
    stuck_log_s: float = Field(
        1, ge=0, description="seconds without a turn of the event loop, then all stacks are logged"
    )
    stuck_end_s: float = Field(
        10, ge=0, description="seconds without a turn of the event loop, then the process ends"
    )
    drain_s: float = Field(4, ge=0, le=8, description="seconds over which connections are closed at the end")

    @property
    def secret_bytes(self) -> bytes | None:
        """What signs guests' tokens, if it was set."""
        return self.secret.get_secret_value().encode() if self.secret else None

    def environment(self) -> dict[str, str]:
        """Return the variables that start another process with these settings."""
        return {PREFIX + name.upper(): _as_text(value) for name, value in self if value is not None}

    @field_validator("origins", "trusted_proxies", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("origins")
    @classmethod
    def _look_like_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for origin in value:
            if not _ORIGIN.fullmatch(origin):
                raise ValueError(f"{origin!r} is no origin, as https://play.example or http://localhost:8080")
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for network in value:
            ipaddress.ip_network(network)  # a ValueError says what is wrong with it
        return value

    @field_validator("jwt_jwks_url")
    @classmethod
    def _is_safe(cls, value: str | None) -> str | None:
        where = urlsplit(value or "")
        safe = where.scheme == "https" or (where.scheme == "http" and where.hostname in LOOPBACK)
        if value is not None and not (safe and where.hostname):
            raise ValueError("it must begin with https://, or lead to localhost")
        return value

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if (self.tls_cert is None) is not (self.tls_key is None):
            raise ValueError("tls_cert and tls_key go together")
        keys = [key for key in (self.jwt_secret, self.jwt_jwks_url) if key is not None]
        named = [name for name in (self.jwt_issuer, self.jwt_audience) if name is not None]
        if (keys or named) and (len(keys), len(named)) != (1, 2):
            raise ValueError(
                "of the jwt_ settings there must be jwt_issuer and jwt_audience, and one of jwt_secret and "
                "jwt_jwks_url"
            )
        if self.jwt_issuer == ISSUER:
            raise ValueError(f"jwt_issuer {ISSUER} is ours")
        if not self.guests and not keys:
            raise ValueError("without guests nobody can come in: set the jwt_ settings")
        return self


def read_settings(**flags: object) -> Settings:
    """Return the settings in effect: flags that are not None, else variables, else a file, else defaults.

    Raises:
        BadSettings: Names each setting that cannot be so.
    """
    _refuse_unknown(os.environ)
    file = os.environ.get(ENV_FILE)
    if file is not None and not Path(file).is_file():
        raise BadSettings(f"{ENV_FILE}: there is no file {file!r}")
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return Settings(_env_file=file, **given)  # type: ignore[call-arg, arg-type]  # pydantic checks
    except ValidationError as error:
        raise BadSettings("\n".join(map(_explained, error.errors()))) from None  # it quotes what is secret


def _explained(error: ErrorDetails) -> str:
    if not error["loc"]:  # of several settings together: the input is all of them, secrets too
        return error["msg"].removeprefix("Value error, ")
    name = PREFIX + "_".join(map(str, error["loc"])).upper().removeprefix(PREFIX)
    if error["type"] == "extra_forbidden":  # from the file; its value may be meant for a secret
        return f"{name}: there is no such setting"
    said = f"{name}: {error['msg'].lower()}"
    return said if name.removeprefix(PREFIX) in SECRETS else f"{said}, not {error['input']!r}"


def _refuse_unknown(environ: "os._Environ[str]") -> None:
    known = {PREFIX + name.upper() for name in Settings.model_fields} | {ENV_FILE}
    unknown = sorted(name for name in environ if name.startswith(PREFIX) and name not in known)
    if unknown:
        near = dict.fromkeys(name for one in unknown for name in get_close_matches(one, known, 1))
        hint = f"Did you mean {', '.join(near)}?" if near else f"There are: {', '.join(sorted(known))}"
        raise BadSettings(f"unknown setting {', '.join(unknown)}. {hint}")


def _as_text(value: object) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value)
