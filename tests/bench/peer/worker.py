"""A process of a load on the peer, told what to do as those on our own server are."""

from tests.bench.peer.crowd import Peers

from tenmatch.app.load.worker import main

if __name__ == "__main__":
    main(Peers)
