"""What can go wrong for who uses a client, named by whose doing it is; each says in words what it was."""


class ClientError(Exception):
    """Whatever the client raises of its own."""


class BadUrl(ClientError):
    """That is no address of a server."""


class Unreachable(ClientError):
    """No server let us in at that address: nobody listens there, or it would not have us now."""


class Closed(ClientError):
    """The connection is over, and coming back by oneself is not wanted."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"the connection is closed ({code}): {reason or 'without a reason'}")
        self.code = code  # of the close (server/protocol.md, "Close codes")
        self.reason = reason


class Disconnected(ClientError):
    """The connection broke before the answer: it may have been carried out or not."""


class TimedOut(ClientError):
    """No answer came in time: it may have been carried out or not."""


class Denied(ClientError):
    """The server did not carry out what was asked."""

    def __init__(self, code: str, text: str, *, field: str | None = None, room: str | None = None) -> None:
        super().__init__(f"{text} ({code})" if text else code)
        self.code = code  # server/protocol.md, "Errors"
        self.text = text
        self.field = field  # the one to blame, where there is one
        self.room = room


class Detached(ClientError):
    """This client is no longer in the room."""

    def __init__(self, room: str, reason: str) -> None:
        super().__init__(f"no longer in room {room}: {reason}")
        self.room = room
        self.reason = reason  # `left` `taken_over` `kicked` `closed`, or why the way back was denied


class NotOurs(ClientError):
    """What answers at that address does not speak this protocol."""
