"""The stories in scenarios/*.txt; `stories` says how to read them."""

from pathlib import Path

import pytest
from tests.game.rooms import fold
from tests.game.stories import Story, act, begin, stories, told, wanted

STORIES = stories(Path(__file__).parent / "scenarios")


@pytest.mark.parametrize("story", STORIES, ids=[story.title for story in STORIES])
def test_story(story: Story) -> None:
    taken = begin(story.beginning)
    log, room = list(taken.events), taken.room
    for step in story.steps:
        asked, _, expected = step.partition("->")
        happened, answer = act(room, asked)
        got, want = told(happened, answer), wanted(expected)
        shown = [
            {key: thing.get(key, "?") for key in as_wanted}
            for thing, as_wanted in zip(got, want, strict=False)
        ]
        assert shown + got[len(want) :] == want, step
        log, room = [*log, *happened.events], happened.room
        assert fold(log) == room, f"the log does not tell the state after: {step}"


def test_a_story_that_is_not_true_fails() -> None:
    room = begin("play race 112233445/566778899").room
    happened, answer = act(room, "100 0 match 0 1")
    assert told(happened, answer)[0]["points"] == "1"
    assert wanted("matched points=2 ; ended")[0]["points"] == "2"
    assert len(wanted("matched points=2 ; ended")) == 2
