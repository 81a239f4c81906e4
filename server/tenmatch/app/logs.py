"""What the server says of itself: JSON lines for machines, plain lines on a terminal.

A line is a short event with fields: `log.info("room loaded", extra={"room": …, "seq": …})`.
"""

import json
import logging
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_OWN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a line."""
        line = {
            "time": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **_fields(record),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class Readable(logging.Formatter):
    """Time, level, event and fields, for people."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a line."""
        fields = " ".join(f"{name}={value}" for name, value in _fields(record).items())
        level = "" if record.levelno == logging.INFO else f"{record.levelname.lower()}: "
        line = f"{_time(record)[11:19]} {level}{record.getMessage()}  {fields}".rstrip()
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return line


class Lines(logging.Handler):
    """Counts lines by level."""

    def __init__(self) -> None:
        super().__init__()
        self.counted = Counter(dict.fromkeys(("info", "warning", "error", "critical"), 0))

    def emit(self, record: logging.LogRecord) -> None:
        """Count a line."""
        self.counted[record.levelname.lower()] += 1


@contextmanager
def lines_counted() -> Iterator[Lines]:
    """Count what is logged until the block ends."""
    lines, root = Lines(), logging.getLogger()
    root.addHandler(lines)
    try:
        yield lines
    finally:
        root.removeHandler(lines)


def set_up_logs(form: str, level: str) -> None:
    """Send all logs to standard error.

    Args:
        form: `json`, `text`, or `auto`: text on a terminal, else JSON.
    """
    readable = form == "text" or (form == "auto" and sys.stderr.isatty())
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Readable() if readable else JsonLines())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)


def _time(record: logging.LogRecord) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03}Z"


def _fields(record: logging.LogRecord) -> dict[str, object]:
    return {name: value for name, value in vars(record).items() if name not in _OWN}
