"""Keeps a network namespace alive, and hands out sockets that belong there.

    python doorman.py

For each byte on its standard input, a Unix socket, it sends a TCP socket back, not connected yet. It ends
when nobody can ask any more. It imports nothing but what Python brings along.
"""

import socket
import sys


def main() -> None:
    """Hand out sockets until the other side is gone."""
    with socket.socket(fileno=sys.stdin.fileno()) as asked:
        while asked.recv(1):
            with socket.socket() as fresh:
                socket.send_fds(asked, [b"."], [fresh.fileno()])


if __name__ == "__main__":
    main()
