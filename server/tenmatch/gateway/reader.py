"""Who is sent what happens, as all see them who tell many the same."""

from typing import Protocol

from tenmatch.protocol.codec import Codec


class Reader(Protocol):
    """A client: `tenmatch.gateway.session.Session`."""

    codec: Codec

    @property
    def slow(self) -> bool:
        """Whether more waits to be read than a client should let wait."""

    def write(self, frames: bytes) -> None:
        """Send whole frames."""
