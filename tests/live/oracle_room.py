"""A judge of a whole room: it folds the events a client was told and checks all that they claim.

Written from server/rules.md and server/protocol.md, on the slow rules of tests/rules/oracle.py; it shares
nothing with the package. What it cannot know is left open: who moves when, and what computer players choose.
"""

from copy import deepcopy
from typing import Any, Final

from tests.live.standing import Chair, Standing
from tests.rules.oracle import OracleGame

Message = dict[str, Any]

SILENCE_MS: Final = 3_000
STALE_MS: Final = 2_000
AFTER_CLEAR_MS: Final = 60_000
JOIN_MS: Final = 10_000
WITH_BOARD: Final = frozenset(
    "started matched mistaken called added passed flagged resigned shifted ended".split()
)
ON_OWN_BOARD: Final = frozenset("matched mistaken added".split())
"""In mirror: what happens on somebody's board, and is told to the others as `progress`."""

TOLD_TO_ALL: Final = frozenset("t room seq chain at seat ends_at".split())

MOVES: Final = {
    "race": ("match", "call", "resign"),
    "turns": ("match", "pass", "resign"),
    "mirror": ("match", "add", "resign"),
}


class RoomJudge:
    """The room as it must be after each event; `take` fails at the first that cannot be so."""

    def __init__(self) -> None:
        """Begin before the first event."""
        self.told: list[Message] = []
        self.standings = [Standing()]  # after each seq; 0: before the first
        self._must: tuple[str, ...] | None = None  # what has to follow in the same breath

    @property
    def now(self) -> Standing:
        """The room after the last event taken."""
        return self.standings[-1]

    @property
    def game(self) -> OracleGame:
        """The board after the last event taken; in mirror that of seat 0."""
        return self.now.board()

    def take(self, events: list[Message]) -> None:
        """Judge those of *events* that are new; they begin with the room's first."""
        for event in events[len(self.told) :]:
            self._take(event)

    def _take(self, event: Message) -> None:
        before, kind = self.now, event["kind"]
        after = deepcopy(before)
        after.seq += 1
        assert event["seq"] == after.seq, event
        assert event["at"] >= before.at, event
        if self._must is not None:
            assert kind == self._must[0], f"{self._must} had to follow, not {event}"
            assert event["at"] == before.at, event
        after.at = event["at"]
        getattr(self, f"_{kind}")(after, event)
        with_board = ON_OWN_BOARD | {"started"} if after.mirror else WITH_BOARD
        hashed = after.sheets and kind in with_board
        assert event["hash"] == (after.board(event.get("seat", 0)).hash() if hashed else None), event
        self._must = after.must_follow(event)
        self.told.append(event)
        self.standings.append(after)

    # -- before the start

    def _created(self, room: Standing, event: Message) -> None:
        assert event["seq"] == 1
        room.mode, room.options = event["mode"], event["options"]
        room.code, room.private, room.host = event["code"], event["private"], event["host"]
        room.commit, room.join_by = event["commit"], event.get("join_by")
        assert room.join_by in (None, event["at"] + JOIN_MS)
        room.chairs = [None] * room.options["max_players"]
        assert not {"seed", "salt"} & (event.keys() | room.options.keys()), "a secret was told"

    def _seated(self, room: Standing, event: Message) -> None:
        assert room.phase == "open"
        assert event["seat"] == room.chairs.index(None), "the lowest free seat"
        bot = "bot" in event["player"]
        assert ("skill" in event) is room.options["rated"]
        if room.options["rated"]:
            certain = event["skill"]["mu"] - 3 * event["skill"]["sigma"]
            assert event["player"]["rating"] == 1000 + (4 * certain + 50) // 100, event
        room.chairs[event["seat"]] = Chair(event["player"], ready=bot or bool(event.get("ready")))

    def _unseated(self, room: Standing, event: Message) -> None:
        assert room.phase in ("open", "starting")
        assert event["reason"] in (("left", "kicked", "absent") if room.join_by is None else ("left",))
        room.chair(event["seat"])
        room.chairs[event["seat"]] = None
        persons = [seat for seat, chair in room.taken() if not chair.bot]
        assert event["host"] == (min(persons) if persons else None)
        room.host = room.host if event["host"] is None else event["host"]
        room.phase = "open"

    def _readied(self, room: Standing, event: Message) -> None:
        assert room.phase in ("open", "starting")
        room.chair(event["seat"]).ready = event["ready"]
        if not event["ready"]:
            room.phase = "open"

    def _starting(self, room: Standing, event: Message) -> None:
        assert room.phase == "open"
        assert room.join_by is None or all(chair.ready for _, chair in room.taken()), "nobody is host there"
        assert len(room.taken()) >= min(2, len(room.chairs))
        assert event["starts_at"] == event["at"] + room.options["countdown_ms"]
        room.phase, room.starts_at = "starting", event["starts_at"]

    def _started(self, room: Standing, event: Message) -> None:
        assert room.phase == "starting"
        assert event["at"] == max(room.starts_at or 0, self.now.at)
        room.phase = "playing"
        room.deal(event["board"])
        assert room.board().left() == room.board().slots() == room.options["size"]
        assert event["adds_left"] == room.adds_left
        assert room.board().pairs(), "a deal has a legal pair"
        if room.mode != "turns":
            room.ends_at = event["at"] + room.options["seconds"] * 1000
            assert event["ends_at"] == room.ends_at
        else:
            full = room.options["base_s"] * 1000
            room.turn = room.still_in()[0]
            room.clocks = [None if chair is None else full for chair in room.chairs]
            self._turn(room, event)

    # -- in play

    def _mover(self, room: Standing, event: Message) -> Chair:
        """Return who moved, if they could."""
        chair = room.chair(event["seat"])
        assert room.phase == "playing", event
        assert chair.out is None, event
        assert event["n"] not in chair.moves, f"made twice: {event}"
        chair.moves.add(event["n"])
        if event["kind"] != "resigned":
            assert not (room.mirror and room.sheet(event["seat"]).done()), event
            assert room.turn in (None, event["seat"]), event
        if event["kind"] not in ("resigned", "added"):
            assert chair.locked_until is None or event["at"] >= chair.locked_until, event
        room.run_clock(event["at"])
        return chair

    def _turn(self, room: Standing, event: Message) -> None:
        """Compare whose turn it is and the clocks."""
        if room.mode != "turns":
            assert not {"turn", "clocks"} & event.keys(), event
            return
        room.clocks_at = event["at"]
        assert event["clocks"] == room.clocks, event
        over = (room.must_follow(event) or ("",))[0] == "ended"
        assert event["turn"] == room.turn or (over and event["turn"] is None), event

    def _points(self, chair: Chair, event: Message, points: int) -> None:
        chair.score += points
        assert (event["points"], event["score"]) == (points, chair.score), event

    def _matched(self, room: Standing, event: Message) -> None:
        seat, first = event["seat"], not room.cleared()
        chair, sheet, game = self._mover(room, event), room.sheet(seat), room.board(seat)
        a, b = event["a"], event["b"]
        assert game.judge(a, b) == ("legal", []), event
        points = game.pair_points(a, b) + game.row_points(a, b)
        assert event["rows"] == game.match(a, b), event
        clear = 150 + 10 * sheet.adds_left if room.mirror else 20
        self._points(chair, event, points + (0 if game.left() else clear))
        assert event["left"] == game.left(), event
        chair.streak = 0
        room.passed.clear()
        room.changed(seat, event["at"], len(event["rows"]))
        self._open(room, event, game)
        self._ends_at(room, event, first=first)
        if room.mode == "turns":
            room.add_time(seat)
            if not (room.options["row_again"] and event["rows"]):
                room.next_turn()
        self._turn(room, event)

    def _open(self, room: Standing, event: Message, game: OracleGame) -> None:
        """Compare whether a pair is said to be left, where that is said."""
        assert event.get("open") == (None if room.mode == "race" else bool(game.pairs())), event

    def _ends_at(self, room: Standing, event: Message, *, first: bool) -> None:
        """Let the first clear of a board of one's own bring the end nearer."""
        ends_at = event["at"] + AFTER_CLEAR_MS
        clears = room.mirror and first and room.cleared()
        if clears and room.ends_at is not None and ends_at < room.ends_at:
            room.ends_at = ends_at
            assert event["ends_at"] == ends_at, event
        else:
            assert "ends_at" not in event, event

    def _mistaken(self, room: Standing, event: Message) -> None:
        chair, game = self._mover(room, event), room.board(event["seat"])
        assert room.options["penalty"]
        if event["code"] == "pairs_left":
            assert room.mode == "race"
            assert game.pairs(), event
            assert not {"a", "b", "blockers"} & event.keys()
        else:
            code, blockers = game.judge(event["a"], event["b"])
            assert (event["code"], event.get("blockers", [])) == (code, blockers), event
            assert code != "legal", event
        self._points(chair, event, -2)
        chair.mistakes += 1
        chair.streak += 1
        if room.mode != "turns":
            chair.locked_until = event["at"] + 1000 * 2 ** min(chair.streak - 1, 2)
            assert event["locked_until"] == chair.locked_until
            assert "clocks" not in event
        else:
            room.clocks_at = event["at"]
            assert event["clocks"] == room.clocks, event
            assert "locked_until" not in event

    def _called(self, room: Standing, event: Message) -> None:
        chair = self._mover(room, event)
        assert room.mode == "race"
        assert not room.board().pairs(), event
        chair.streak = 0
        self._points(chair, event, 3)

    def _added(self, room: Standing, event: Message) -> None:
        if room.mirror:
            self._mover(room, event)
        sheet = room.sheet(event["seat"] if room.mirror else 0)
        assert sheet.can_add(), event
        if self._must is None and not room.mirror:
            assert room.mode == "race"
            assert sheet.stuck_at is not None, event
            assert event["at"] == max(sheet.stuck_at + SILENCE_MS, self.now.at), event
        assert event["first"] == sheet.game.next_id
        assert event["digits"] == sheet.game.add()
        sheet.adds_left -= 1
        assert (event["adds_left"], event["left"]) == (sheet.adds_left, sheet.game.left())
        assert room.mirror or not {"seat", "n"} & event.keys(), event
        room.passed.clear()
        room.changed(event.get("seat", 0), event["at"])
        self._open(room, event, sheet.game)
        room.run_clock(event["at"])
        self._turn(room, event)

    def _passed(self, room: Standing, event: Message) -> None:
        self._mover(room, event)
        assert room.mode == "turns"
        room.passed.add(event["seat"])
        room.next_turn()
        self._turn(room, event)

    def _flagged(self, room: Standing, event: Message) -> None:
        assert (room.mode, room.turn) == ("turns", event["seat"]), event
        left = room.clocks[event["seat"]]
        assert left is not None, event
        assert event["at"] == max(room.clocks_at + left, self.now.at), event
        self._out(room, event)

    def _resigned(self, room: Standing, event: Message) -> None:
        self._mover(room, event)
        self._out(room, event)

    def _out(self, room: Standing, event: Message) -> None:
        room.chair(event["seat"]).out = event["seq"]
        room.run_clock(event["at"])
        if room.turn == event["seat"]:
            room.next_turn()
        if room.mode == "turns":
            room.clocks[event["seat"]] = None
        self._turn(room, event)

    def _shifted(self, room: Standing, event: Message) -> None:
        assert room.phase in ("starting", "playing") or (room.phase == "open" and room.join_by is not None)
        assert event["by_ms"] > 0
        room.shift(event["by_ms"])

    # -- the end

    def _ended(self, room: Standing, event: Message) -> None:
        assert room.phase != "over"
        if self._must is not None:
            assert event["reason"] == self._must[1], event
        elif room.phase == "open":
            assert event["reason"] == "abandoned", event
            assert event["at"] == max(room.join_by or 0, self.now.at), event
        else:
            assert event["reason"] == ("cleared" if room.cleared() else "time"), event
            assert event["at"] == max(room.ends_at or 0, self.now.at), event
        assert event["ranking"] == (room.ranking() if room.sheets else [])
        room.phase, room.turn, room.ended = "over", None, event

    def _rematch(self, room: Standing, event: Message) -> None:
        assert room.phase == "over"
        if "from" in event:
            assert room.wants, event
            assert not {"seat", "want"} & event.keys(), event
        else:
            room.wants = {*room.wants, event["seat"]} if event["want"] else room.wants - {event["seat"]}

    # -- what is told to one of several

    def told_to(self, viewer: int | None) -> list[Message]:
        """Return the events as they must be told to who sits there, or watches."""
        return [self._told(event, viewer) for event in self.told]

    def _told(self, event: Message, viewer: int | None) -> Message:
        seat = event.get("seat")
        hidden = self.now.mirror and event["kind"] in ON_OWN_BOARD and viewer not in (None, seat)
        if seat is None or not hidden:
            return event
        room = self.standings[event["seq"]]
        chair = room.chair(seat)
        kept = {name: value for name, value in event.items() if name in TOLD_TO_ALL}
        more = {"kind": "progress", "hash": None, "score": chair.score, "mistakes": chair.mistakes}
        return {**kept, **more, **room.progress(seat)}

    # -- what is no event

    def check_snapshot(self, snapshot: Message) -> None:
        """Fail unless a snapshot shows its reader the room as it was after the event it names."""
        told = snapshot["state"]
        expected = self.standings[snapshot["seq"]].state(snapshot["seat"])
        assert snapshot["chain"] == (self.told[snapshot["seq"] - 1]["chain"])
        if told["phase"] != "starting":
            told = told | {"starts_at": expected["starts_at"]}
        assert told == expected

    def check_answer(self, seat: int, move: Message, answer: Message) -> None:
        """Fail unless a move was answered rightly. *move* has `t`, `n` and what else it was sent with."""
        if answer["t"] == "event":
            assert self.told[answer["seq"] - 1] == answer
            assert (answer["seat"], answer["n"]) == (seat, move["n"])
            assert answer.get("a") == move.get("a")
            if answer["kind"] == "mistaken":
                assert not self._excused(answer["seq"] - 1, seat, move, answer["at"]), answer
            return
        assert answer["t"] == "refused", answer
        expected = self._obstacle(seat, move, answer)
        assert (answer["code"], answer.get("blockers", [])) == expected, answer

    def _obstacle(self, seat: int, move: Message, refused: Message) -> tuple[str, list[int]]:
        """Return the first reason to refuse a move on the board on which it was refused."""
        room = self.standings[refused["seq"]]
        if room.phase != "playing":
            return "not_playing", []
        chair = room.chair(seat)
        if chair.out is not None:
            return "out", []
        if room.mirror and room.sheet(seat).done() and move["t"] != "resign":
            return "done", []
        if move["t"] not in MOVES[room.mode]:
            return "wrong_mode", []
        if room.turn not in (None, seat):
            return "not_your_turn", []
        if refused["code"] == "locked":  # whether it still is depends on when the move came
            assert refused["locked_until"] == chair.locked_until
            return "locked", []
        if move["t"] == "add":
            return ("nothing: it was possible" if room.sheet(seat).can_add() else "no_add"), []
        if self._right(room, seat, move):
            return "nothing: it was right", []
        if 0 < move["seen"] < refused["seq"] and self._right(self.standings[move["seen"]], seat, move):
            return "stale", []
        assert not room.options["penalty"], refused
        return room.board(seat).judge(move["a"], move["b"]) if move["t"] == "match" else ("pairs_left", [])

    def _right(self, room: Standing, seat: int, move: Message) -> bool:
        if not room.sheets:
            return False
        if move["t"] == "call":
            return not room.board(seat).pairs()
        return room.board(seat).judge(move["a"], move["b"])[0] == "legal"

    def _excused(self, seq: int, seat: int, move: Message, at: int) -> bool:
        """Tell whether a wrong move was right on the board its player had seen, until 2 s ago or less."""
        seen = move["seen"]
        if not 0 < seen < seq or not self._right(self.standings[seen], seat, move):
            return False
        shown, later = self.standings[seen].board(seat).text(), self.standings[seen + 1 :]
        replaced = next((room for room in later if room.board(seat).text() != shown), None)
        return replaced is not None and replaced.at >= at - STALE_MS
