"""The connection to one page: whatever it sends, there is little work at a time, and none when it has gone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from watching import PATIENCE

from cpsat_tour.core.events import OnEvent, Progress, TwoFactorFound
from cpsat_tour.core.limits import Limits
from cpsat_tour.core.problem import Problem
from cpsat_tour.web.drawing_data import export_event, layout_event
from cpsat_tour.web.protocol import Export, JudgeBoard, MakePuzzle, Setting

pytest.importorskip("starlette", reason="the page needs the extra web")
pytest.importorskip("httpx", reason="the tests of the page need httpx")

from cpsat_tour.web.connection import Desk, Overtaken, puzzle_events
from cpsat_tour.web.server import application

pytestmark = pytest.mark.filterwarnings("ignore:Using .httpx. with")


class Work:
    """Work that goes on until its listener ends it; ``most`` of it was done at a time, and ``begun`` in all."""

    def __init__(self) -> None:
        self.begun = self.at_work = self.most = 0
        self.over = threading.Event()

    def __call__(self, tell: Callable[[], object]) -> None:
        self.over.clear()
        self.begun += 1
        self.at_work += 1
        self.most = max(self.most, self.at_work)
        try:
            while True:
                tell()
        finally:
            self.at_work -= 1
            self.over.set()


def on_a_loop(work: Coroutine[Any, Any, None]) -> None:
    """Do the work in a thread of its own: where a browser's tests ran before, a loop runs in this one."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result(PATIENCE)


def page() -> Any:
    """A page's connection, in this process."""
    from starlette.testclient import TestClient

    client = TestClient(application("localhost"))
    return client.websocket_connect("ws://localhost/search", headers={"Origin": "http://localhost"})


def test_of_five_hundred_questions_of_a_kind_the_first_is_worked_on_and_the_last_answered() -> None:
    begun, answered, release = list[int](), list[int](), threading.Event()

    def events(question: JudgeBoard, heartbeat: Callable[[], None]) -> Iterator[dict[str, Any]]:
        begun.append(question.number)
        assert release.wait(PATIENCE)
        heartbeat()
        yield {"event": "judgement"}

    async def ask() -> None:
        heard = asyncio.Event()

        async def send(message: dict[str, Any]) -> None:
            answered.append(message["number"])
            heard.set()

        desk = Desk(send, events)
        for number in range(500):
            desk.put(JudgeBoard(Setting(), number))
            await asyncio.sleep(0)
        release.set()
        await asyncio.wait_for(heard.wait(), PATIENCE)

    on_a_loop(ask())
    assert (begun, answered) == ([0, 499], [499])


def test_a_page_is_answered_while_a_hundred_others_have_work_that_does_not_end() -> None:
    release, answered = threading.Event(), list[int]()

    def events(question: JudgeBoard, heartbeat: Callable[[], None]) -> Iterator[dict[str, Any]]:
        while question.number < 100 and not release.is_set():
            heartbeat()
        yield {"event": "judgement"}

    async def ask() -> None:
        heard = asyncio.Event()

        async def send(message: dict[str, Any]) -> None:
            answered.append(message["number"])
            heard.set()

        for number in range(101):
            Desk(send, events).put(JudgeBoard(Setting(), number))
        try:
            await asyncio.wait_for(heard.wait(), PATIENCE / 2)
        finally:
            release.set()

    on_a_loop(ask())
    assert answered[0] == 100


LONG_WORK: dict[str, Callable[[Callable[..., None]], object]] = {
    "the layout of a dense graph": lambda heartbeat: layout_event(Setting(space="GP(17,2)+60"), heartbeat),
    "the moves of a dense graph": lambda heartbeat: layout_event(Setting(space="GP(110,2)+10"), heartbeat),
    "a moving picture": lambda heartbeat: export_event(Export(Setting(), 1, form="gif", path=(0, 10, 4)), heartbeat),
    "the picture of a proof": lambda heartbeat: export_event(
        Export(Setting(rows=10, cols=11, closed=True, leaper="1,4"), 1, form="svg", path=(), proof=True), heartbeat
    ),
    "a puzzle": lambda heartbeat: next(puzzle_events(MakePuzzle(Setting(), 1, seed=3, grade=2), heartbeat)),
}


@pytest.mark.parametrize("work", LONG_WORK.values(), ids=LONG_WORK)
def test_long_work_ends_at_a_heartbeat(work: Callable[[Callable[..., None]], object]) -> None:
    beats = 0

    def heartbeat(*_: object) -> None:
        nonlocal beats
        beats += 1
        if beats == 3:
            raise Overtaken

    with pytest.raises(Overtaken):
        work(heartbeat)
    assert beats == 3


def test_puzzles_are_made_one_at_a_time_hold_up_no_other_question_and_end_when_the_page_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work = Work()

    def make_puzzle(_problem: Problem, _limits: Limits, listen: OnEvent, _grade: int) -> None:
        work(lambda: listen(Progress({})))

    monkeypatch.setattr("cpsat_tour.web.connection.make_puzzle", make_puzzle)
    with page() as line:
        for number in range(40):
            line.send_json({"do": "puzzle", "setting": {}, "number": number, "seed": number, "grade": 2})
        line.send_json({"do": "judge", "setting": {}, "number": 40})
        answer = line.receive_json()
        assert (answer["to"], answer["number"]) == ("judge", 40)
    assert work.over.wait(PATIENCE)
    assert work.most == 1


def test_a_search_begins_when_the_solver_of_the_one_before_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Work()

    def solve(_problem: Problem, _engine: object, _limits: Limits, listen: OnEvent, _name: str) -> None:
        work(lambda: listen(TwoFactorFound(2)))

    monkeypatch.setattr("cpsat_tour.web.sources.run", solve)
    with page() as line:
        for _ in range(5):
            line.send_json({"do": "ask", "setting": {"backend": "sat:lazy"}})
            while line.receive_text().partition("\n")[0].find('"event": "problem"') < 0:
                pass
            line.send_json({"do": "more", "events": 3})
            line.receive_text()
    assert work.over.wait(PATIENCE)
    assert (work.begun, work.most, work.at_work) == (5, 1, 0)


def test_a_puzzle_that_nobody_waits_for_is_given_up() -> None:
    """However far it is: it asks at every set of givens that it tries."""
    looks = iter(range(100))

    def heartbeat(*_: object) -> None:
        if next(looks) == 30:
            raise Overtaken

    events = puzzle_events(MakePuzzle(Setting(rows=12, cols=12), 1, seed=3, grade=2), heartbeat)
    with pytest.raises(Overtaken):
        next(events)
    assert next(looks) == 31
