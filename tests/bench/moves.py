"""What a durable move costs, and an idle server: it on one core, Valkey and the load on the other.

    .venv/bin/python tests/bench/moves.py [ROOMS] [SECONDS] [RUNS]

prints each run and the medians. Nothing here passes or fails: the machine is shared, and people read the
figures.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from tests.bench.load import cpu_s

UNLIMITED = {
    "TENMATCH_MESSAGES_PER_S": "0",
    "TENMATCH_MESSAGES_PER_S_PLAYER": "0",
    "TENMATCH_MESSAGES_PER_S_ADDRESS": "0",
    "TENMATCH_JOINS_PER_MINUTE": "0",
    "TENMATCH_MATCHES_PER_S": "0",
    "TENMATCH_ROOMS_PER_PLAYER": "0",
    "TENMATCH_ROOMS_PER_ADDRESS": "0",
    "TENMATCH_SOCKETS_PER_ADDRESS": "0",
    "TENMATCH_LOG_LEVEL": "warning",
}
SERVER_CORE, OTHER_CORE = 0, 1
IDLE_S = 10.0


def start(folder: Path) -> tuple[subprocess.Popen[str], int]:
    """Start a server on its core and return it with its port."""
    command = [sys.executable, "-m", "tenmatch", "serve", "--port", "0", "--data", str(folder)]
    server = subprocess.Popen(command, env=os.environ | UNLIMITED, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    port = int(server.stdout.readline().rpartition(":")[2])
    os.sched_setaffinity(server.pid, {SERVER_CORE})
    for store in children(server.pid):
        os.sched_setaffinity(store, {OTHER_CORE})
    return server, port


def children(pid: int) -> list[int]:
    """Return the processes that *pid* started."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def idle(pid: int) -> float:
    """Return the share of a core that a server without clients takes."""
    time.sleep(2)
    before = cpu_s(pid)
    time.sleep(IDLE_S)
    return (cpu_s(pid) - before) / IDLE_S


def main() -> None:
    """Run as a command."""
    rooms, seconds, runs = (int(given) for given in (*sys.argv[1:], *("100", "5", "3")[len(sys.argv) - 1 :]))
    os.sched_setaffinity(0, {OTHER_CORE})
    with tempfile.TemporaryDirectory() as folder:
        server, port = start(Path(folder))
        try:
            sys.stdout.write(f"idle: {idle(server.pid):.2%} of a core\n")
            figures = []
            for _ in range(runs):
                [store] = children(server.pid)
                before = cpu_s(store)
                load = Path(__file__).with_name("load.py")
                command = [sys.executable, str(load), str(port), str(rooms), str(seconds), str(server.pid)]
                figure = json.loads(
                    subprocess.run(command, check=True, capture_output=True, text=True).stdout
                )
                figure["store_cpu_s"] = round(cpu_s(store) - before, 2)
                sys.stdout.write(f"{json.dumps(figure)}\n")
                figures.append(figure)
            medians = {name: median(figure[name] for figure in figures) for name in figures[0]}
            sys.stdout.write(f"median {json.dumps(medians)}\n")
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
