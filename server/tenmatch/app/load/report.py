"""What a load found, for people: a line while it runs, figures and a histogram when it is over."""

from collections import Counter
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tenmatch.app.load.plan import Plan
from tenmatch.app.load.tally import Tally, lowest

SATURATED: Final = 0.9  # of a core: from there on a process of the load measures itself
BAR: Final = 40  # characters
LEAST_US: Final = 250  # the bound of the histogram's first line
SHARES: Final = {"half": 0.5, "90 %": 0.9, "99 %": 0.99, "99.9 %": 0.999, "longest": 1.0}


def doing(plan: Plan) -> str:
    """Say what is done, in one line."""
    if plan.watch:
        return f"{plan.watchers:,} watchers in the room {plan.watch}"
    pace = f"{plan.rate:g} moves a second" if plan.rate else "moves as fast as they are answered"
    watchers = f" and {plan.watchers:,} watchers" if plan.watchers else ""
    return f"{plan.rooms:,} room{'s' * (plan.rooms != 1)} of two players{watchers}, {pace}"


def now(tally: Tally, seconds: float, of: float) -> Text:
    """Say in one line how the last moments were, latencies from a move to the opponent."""
    parts = [
        f"{seconds:.0f} s of {of:g}",
        f"{tally.moves_per_s:,.0f} moves/s",
        f"{_told(tally):,.0f} events/s",
    ]
    median, late = tally.latency(0.5), tally.latency(0.99)
    if median is not None and late is not None:
        parts.append(f"{_ms(median)}, 99 % {_ms(late)}")
    parts.append(f"load {busiest(tally):.0%}")
    if tally.faults:
        parts.append(f"[red]{tally.faults} wrong[/red]")
    line = Text.from_markup(" · ".join(parts))
    line.no_wrap, line.overflow = True, "ellipsis"
    return line


def result(plan: Plan, tally: Tally) -> RenderableType:
    """Say what came of it all."""
    figures = Table.grid(padding=(0, 2))
    figures.add_column()
    figures.add_column(justify="right")
    figures.add_column()
    figures.add_row("moves", f"{tally.moves:,}", f"{tally.moves_per_s:,.0f} a second, each of them answered")
    figures.add_row(
        "events told", f"{tally.told:,}", f"{_told(tally):,.0f} a second, to players and watchers"
    )
    figures.add_row("games", f"{tally.games:,}", "played to their end")
    if tally.came_back:
        figures.add_row("came back", f"{tally.came_back:,}", "connections that were lost")
    if tally.snapshots:
        figures.add_row(
            "skipped", f"{tally.snapshots:,}", "times a watcher read too slowly, and got a snapshot"
        )
    for code, count in sorted(tally.held_back.items()):
        figures.add_row("held back", f"{count:,}", f"{code}: the server's limits; tried again")
    parts: list[RenderableType] = [Text(doing(plan), style="bold"), figures]
    if tally.latencies:
        parts += [Text(), _shares(tally), histogram(tally)]
    return Group(*parts, Text(), *_verdict(tally))


def _verdict(tally: Tally) -> list[RenderableType]:
    said: list[RenderableType] = []
    if (busy := busiest(tally)) >= SATURATED:
        text = (
            f"The load itself was busy for {busy:.0%} of the time: use more --processes, or another machine."
        )
        said.append(Text(text, style="yellow"))
    if not tally.faults:
        said.append(Text("Every answer came, and every board, verdict and number was right.", style="green"))
        return said
    said.append(Text(f"{tally.faults:,} things were wrong, first of all:", style="red"))
    return said + [Text(f"  {fault}") for fault in tally.first_faults]


def _shares(tally: Tally) -> Text:
    said = (
        f"{name} {_ms(late)}" for name, share in SHARES.items() if (late := tally.latency(share)) is not None
    )
    return Text(f"from a move to the opponent: {'  ·  '.join(said)}")


def histogram(tally: Tally) -> Table:
    """Draw how many moves took how long, each line twice as long as the one above."""
    counts = Counter[int]()
    for number, count in tally.latencies.items():
        counts[(lowest(number) // LEAST_US).bit_length()] += count
    lines = Table.grid(padding=(0, 1))
    lines.add_column(justify="right")
    lines.add_column(min_width=BAR)
    lines.add_column(justify="right")
    most, all_of_them = max(counts.values()), sum(counts.values())
    for bits in range(min(counts), max(counts) + 1):
        bar = "█" * max(round(BAR * counts[bits] / most), int(counts[bits] > 0))
        lines.add_row(f"under {_ms(LEAST_US * 2**bits / 1e6)}", bar, f"{counts[bits] / all_of_them:.1%}")
    return lines


def busiest(tally: Tally) -> float:
    """Return the share of a core that the busiest process of the load took."""
    return tally.cpu_s / tally.at_s if tally.at_s else 0.0


def summary(plan: Plan, tally: Tally) -> dict[str, object]:
    """Return the same for machines; seconds, and moves and events a second."""
    return {
        "rooms": plan.rooms,
        "watchers": plan.watchers,
        "seconds": tally.at_s,
        "moves": tally.moves,
        "moves_per_s": tally.moves_per_s,
        "told": tally.told,
        "games": tally.games,
        "came_back": tally.came_back,
        "snapshots": tally.snapshots,
        "held_back": tally.held_back,
        "latency_s": {name: tally.latency(share) for name, share in SHARES.items()},
        "load_busy": busiest(tally),
        "faults": tally.faults,
        "first_faults": tally.first_faults,
    }


def _told(tally: Tally) -> float:
    return tally.told / tally.at_s if tally.at_s else 0.0


def _ms(seconds: float) -> str:
    ms = seconds * 1e3
    return f"{ms:.0f} ms" if ms >= 100 else f"{ms:.3g} ms"
