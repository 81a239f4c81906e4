"""Where the server listens, and what a browser has to be told of that."""

import contextlib
import socket

from rich.console import Console

from tenmatch.app.serving.fitness import Unfit
from tenmatch.app.settings import Settings


def listen(settings: Settings) -> socket.socket:
    """Return a socket bound to the address, not yet listening.

    Raises:
        Unfit: The address cannot be had.
    """
    shared = settings.workers > 1 or settings.reuse_port
    return _bound(settings.host, settings.port, "--port", shared=shared)


def metrics_listener(settings: Settings) -> contextlib.AbstractContextManager[socket.socket | None]:
    """Return a socket for /metrics, where it has a port; to be closed by whoever enters it. Raises Unfit."""
    if settings.metrics_port is None or settings.metrics_socket is not None:
        return contextlib.nullcontext()
    return _bound(settings.metrics_host, settings.metrics_port, "TENMATCH_METRICS_PORT")


def _bound(host: str, port: int, setting: str, *, shared: bool = False) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise Unfit(
            f"cannot listen on {host}:{port}: {error.strerror}. Name another with {setting}"
        ) from error
    return listener


def announce(listener: socket.socket, *, secure: bool) -> None:
    """Say where to point a browser; the one line on standard output."""
    url = url_of(listener, secure=secure)
    Console().print(f"tenmatch is at [bold]{url}[/bold]", highlight=False, soft_wrap=True)


def url_of(listener: socket.socket, *, secure: bool) -> str:
    """Return where a server on a bound socket is reached from its own machine."""
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http{'s' * secure}://{shown}:{port}"
