"""The network on which faults are made: hosts reach each other, and who is cut off hears nothing."""

import asyncio
import socket
import subprocess
from collections.abc import Iterator

import pytest
from tests.faults.network import Host, Network


@pytest.fixture
def network() -> Iterator[Network]:
    with Network() as network:
        yield network


def listen(host: Host) -> socket.socket:
    listener = host.new_socket()
    listener.bind((host.address, 0))
    listener.listen()
    listener.setblocking(False)
    return listener


async def test_hosts_reach_each_other(network: Network) -> None:
    here, there = network.host(), network.host()
    loop = asyncio.get_running_loop()
    with listen(there) as listener:
        port = listener.getsockname()[1]
        for host in (here, there, network.bridge):
            with await host.connect(there.address, port) as ours:
                theirs, (address, _) = await loop.sock_accept(listener)
                with theirs:
                    assert address == host.address
                    await loop.sock_sendall(ours, b"hello")
                    assert await loop.sock_recv(theirs, 5) == b"hello"


async def test_nothing_passes_to_a_host_that_is_cut_off_and_then_all_that_was_held_up(
    network: Network,
) -> None:
    here, there = network.host(), network.host()
    loop = asyncio.get_running_loop()
    with listen(there) as listener:
        with await here.connect(there.address, listener.getsockname()[1]) as ours:
            theirs, _ = await loop.sock_accept(listener)
            with theirs:
                network.cut(there)
                await loop.sock_sendall(ours, b"a")
                await loop.sock_sendall(theirs, b"b")
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.3):
                        await loop.sock_recv(ours, 1)  # no byte, no end and no error
                network.heal(there)
                async with asyncio.timeout(10):
                    assert await loop.sock_recv(theirs, 1) == b"a"
                    assert await loop.sock_recv(ours, 1) == b"b"


async def test_a_host_that_is_cut_off_still_reaches_itself(network: Network) -> None:
    host = network.host()
    network.cut(host)
    with listen(host) as listener:
        (await host.connect(host.address, listener.getsockname()[1])).close()
        (await asyncio.get_running_loop().sock_accept(listener))[0].close()


def test_programs_run_there(network: Network) -> None:
    host = network.host()
    addresses = subprocess.run([*host.inside, "ip", "-brief", "address"], capture_output=True, text=True)
    assert host.address in addresses.stdout
    assert network.bridge.address not in addresses.stdout


def test_what_cannot_be_made_is_said_plainly() -> None:
    with pytest.raises(AssertionError, match=r"networks of their own.*unshare.*It said: .*no such"):
        Host("10.0.0.9", ["sh", "-c", "echo no such thing >&2; exit 1", "--"])
