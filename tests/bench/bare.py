"""The least that telling watchers can cost: one loop, and a write for each of them.

    python -m tests.bench.bare SOCKETS RATE

prints its port, lets so many WebSocket clients in, and then writes an event's frame to each of them, RATE
times a second, until it is ended. It reads nothing, checks nothing, and waits for nobody.
"""

import contextlib
import socket
import sys
import time
from typing import Final

from websockets.utils import accept_key

from tenmatch.gateway.framing import frame
from tenmatch.protocol.codec import CODECS
from tenmatch.protocol.limits import MSGPACK

EVENT: Final = {
    "t": "event",
    "room": "k7mp2xw9qd",
    "seq": 120,
    "chain": 2_513_293_282,
    "at": 1_764_000_000_000,
    "hash": 3_735_928_559,
    "kind": "matched",
    "seat": 1,
    "n": 58,
    "a": 131,
    "b": 140,
    "rows": [],
    "points": 4,
    "score": 173,
    "left": 64,
}


def let_in(listener: socket.socket) -> socket.socket:
    """Accept a client and answer its request."""
    client, _ = listener.accept()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    request = b""
    while b"\r\n\r\n" not in request:
        request += client.recv(4096)
    key = next(line for line in request.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key:"))
    accepted = accept_key(key.partition(b":")[2].strip().decode())
    client.sendall(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: %b\r\n\r\n" % accepted.encode()
    )
    client.setblocking(False)
    return client


def main(sockets: int, rate: float) -> None:
    """Run as a process."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=sockets)
    sys.stdout.write(f"{listener.getsockname()[1]}\n")
    sys.stdout.flush()
    clients = [let_in(listener) for _ in range(sockets)]
    told = frame(CODECS[MSGPACK], EVENT)
    due = time.monotonic()
    while True:
        for client in clients:
            client.send(told)
        due += 1 / rate
        time.sleep(max(due - time.monotonic(), 0))


if __name__ == "__main__":
    with contextlib.suppress(ConnectionError):  # the readers are gone: it is over
        main(int(sys.argv[1]), float(sys.argv[2]))
