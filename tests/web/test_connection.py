"""The connection to one page: whatever it sends, there is little work at a time, and none when it has gone."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from watching import PATIENCE

from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import Limits, OnEvent, Progress, TwoFactorFound
from cpsat_tour.web import search as answers
from cpsat_tour.web.protocol import Export, JudgeBoard, LayOut, MakePuzzle, Question, Setting
from cpsat_tour.web.search import MAX_LINES, Search, Shift

pytest.importorskip("starlette", reason="the page needs the extra web")
pytest.importorskip("httpx", reason="the tests of the page need httpx")


from cpsat_tour.web.server import Desk, Overtaken, application

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


def answered(events: Callable[..., Iterator[dict[str, Any]]], kinds: int, release: threading.Event) -> list[int]:
    """Ask 500 questions of so many kinds, and return the numbers of those that are answered until one is. (On a thread
    of its own: where a browser's tests ran before, a loop runs in this one.)"""
    numbers = list[int]()

    async def ask() -> None:
        heard = asyncio.Event()

        async def send(message: dict[str, Any]) -> None:
            numbers.append(message["number"])
            heard.set()

        desks = [Desk(send, events) for _ in range(kinds)]
        for number in range(500):
            desks[number % kinds].put(JudgeBoard(Setting(), number))
            await asyncio.sleep(0)
        release.set()
        await asyncio.wait_for(heard.wait(), PATIENCE / 2)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, ask()).result(PATIENCE)
    return numbers


def page() -> Any:
    """A page's connection, in this process."""
    from starlette.testclient import TestClient

    client = TestClient(application("localhost"))
    return client.websocket_connect("ws://localhost/search", headers={"Origin": "http://localhost"})


def test_of_five_hundred_questions_of_a_kind_the_first_is_worked_on_and_the_last_answered() -> None:
    begun, release = list[int](), threading.Event()

    def events(question: JudgeBoard, heartbeat: Callable[[], None]) -> Iterator[dict[str, Any]]:
        begun.append(question.number)
        assert release.wait(PATIENCE)
        heartbeat()
        yield {"event": "judgement"}

    assert (answered(events, 1, release), begun) == ([499], [0, 499])


def test_a_page_is_answered_while_a_hundred_others_have_work_that_does_not_end() -> None:
    over = threading.Event()

    def events(question: JudgeBoard, heartbeat: Callable[[], None]) -> Iterator[dict[str, Any]]:
        while question.number != 499 and not over.is_set():
            heartbeat()
        yield {"event": "judgement"}

    try:
        assert answered(events, 100, threading.Event())[0] == 499
    finally:
        over.set()


NO_TOUR = Setting(rows=10, cols=11, closed=True, leaper="1,4")
LONG_WORK: list[tuple[Callable[..., Iterator[dict[str, Any]]], Question, int]] = [
    (answers.layout, LayOut(Setting(space="GP(17,2)+60"), 1), 3),
    (answers.layout, LayOut(Setting(space="GP(110,2)+10"), 1), 3),
    (answers.export, Export(Setting(), 1, form="gif", path=(0, 10, 4)), 3),
    (answers.export, Export(NO_TOUR, 1, form="svg", path=(), proof=True), 3),
    (answers.puzzle, MakePuzzle(Setting(), 1, seed=3, grade=2), 3),
    (answers.puzzle, MakePuzzle(Setting(rows=12, cols=12), 1, seed=3, grade=2), 30),  # at each set of givens
]


@pytest.mark.parametrize(("events", "question", "last"), LONG_WORK, ids=lambda part: getattr(part, "__name__", ""))
def test_long_work_ends_at_a_heartbeat(
    events: Callable[..., Iterator[dict[str, Any]]], question: Question, last: int
) -> None:
    beats = 0

    def heartbeat(*_: object) -> None:
        nonlocal beats
        beats += 1
        if beats == last:
            raise Overtaken

    with pytest.raises(Overtaken):
        next(events(question, heartbeat))
    assert beats == last


def test_puzzles_are_made_one_at_a_time_hold_up_no_other_question_and_end_when_the_page_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work = Work()

    def make_puzzle(_problem: Problem, _limits: Limits, listen: OnEvent, _grade: int) -> None:
        work(lambda: listen(Progress({})))

    monkeypatch.setattr("cpsat_tour.web.search.make_puzzle", make_puzzle)
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

    monkeypatch.setattr("cpsat_tour.web.search.run", solve)
    with page() as line:
        for _ in range(5):
            line.send_json({"do": "ask", "setting": {"backend": "sat:lazy"}})
            while line.receive_text().partition("\n")[0].find('"event": "problem"') < 0:
                pass
            line.send_json({"do": "more", "events": 3})
            line.receive_text()
    assert work.over.wait(PATIENCE)
    assert (work.begun, work.most, work.at_work) == (5, 1, 0)


def test_a_solver_makes_no_event_without_a_credit_and_ends_where_it_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor while too many lines wait to be sent."""
    told, ended = 0, threading.Event()

    def work(*arguments: Any) -> None:
        nonlocal told
        try:
            while True:
                told += 1
                arguments[3](TwoFactorFound(2))
        finally:
            ended.set()

    monkeypatch.setattr("cpsat_tour.web.search.run", work)
    search, taken = Search(Setting(backend="sat:lazy"), Shift(), lambda: None), 0
    threading.Thread(target=search.run, daemon=True).start()
    for credit in (1, 7, 100, MAX_LINES + 1):
        before = taken
        search.give(credit)
        while taken < before + credit:
            taken += len(lines := search.take())
            assert told <= taken + MAX_LINES
            assert len(lines) <= MAX_LINES
        assert told == taken
    search.stop()
    assert ended.wait(PATIENCE)


def fail(*_: object) -> None:
    raise ZeroDivisionError("a bug")


@pytest.mark.parametrize(
    ("backend", "where", "failing"), [("dfs", "trace", lambda *_: map(fail, "x")), ("sat:lazy", "run", fail)]
)
def test_a_failing_search_ends_with_a_refusal_and_is_logged(
    backend: str, where: str, failing: object, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The ask itself has been answered before."""
    monkeypatch.setattr(f"cpsat_tour.web.search.{where}", failing)
    with page() as line:
        line.send_json({"do": "ask", "setting": {"backend": backend}})
        assert line.receive_json()["event"] == "problem"
        line.send_json({"do": "more", "events": 100})
        assert line.receive_json() == {"event": "refused", "reason": "The search failed: the server's log says why."}
    assert "a bug" in caplog.text
