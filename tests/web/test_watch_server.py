"""The server of the page: its stream is the engine's, and nothing that is sent to it does any harm."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from watching import PATIENCE, Line, in_a_loop, resident_megabytes, watching

from cpsat_tour.cli.main import status
from cpsat_tour.core.events import TwoFactorFound
from cpsat_tour.core.problem import Problem
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.picture import picture
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.spaces.board import Board
from cpsat_tour.web.messages import decoded
from cpsat_tour.web.settings import MAX_SIDE, Setting
from cpsat_tour.web.sources import WAITING, NativeSource, SolverSource

pytest.importorskip("starlette", reason="the page needs the extra web")
httpx = pytest.importorskip("httpx", reason="the tests of the page need httpx")

from cpsat_tour.web.connection import Connection  # noqa: E402
from cpsat_tour.web.server import is_local  # noqa: E402


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[subprocess.Popen[str], str]]:
    with watching() as (run, url):
        yield run, url


@pytest.fixture
def url(server: tuple[subprocess.Popen[str], str]) -> str:
    return server[1]


# --- what the page shows is what the engine does ---

SETTINGS: list[dict[str, Any]] = [
    {"rows": 5, "cols": 5},
    {"rows": 5, "cols": 6, "closed": True},
    {"rows": 6, "cols": 6, "closed": True, "start": "d4"},
    {"rows": 8, "cols": 8, "closed": True},
    {"rows": 8, "cols": 8, "start": "e3", "order": "fixed:48172635", "prune": "none"},
    {"rows": 8, "cols": 8, "end": "b8"},
    {"rows": 8, "cols": 8, "start": "a8", "end": "g1"},
    {"rows": 6, "cols": 6, "holes": ["a6", "f1"], "prune": "all"},
    {"rows": 10, "cols": 10, "closed": True, "leaper": [2, 3]},
    {"rows": 6, "cols": 7, "leaper": [0, 1]},
    {"rows": 3, "cols": 10, "closed": True, "prune": "degree"},
    {"rows": 4, "cols": 4, "prune": "none"},
    {"rows": 5, "cols": 5, "closed": True, "prune": "degree"},
    {"rows": 1, "cols": 1},
    {"rows": 3, "cols": 3, "closed": True},
    {"rows": 12, "cols": 12, "order": "squirrel-cull", "prune": "none"},
    {"rows": 8, "cols": 8, "order": "fixed:12345678", "prune": "none", "backtrack": False, "start": "e3"},
    {"rows": 7, "cols": 7, "start": "a7", "order": "pohl"},
    *({"rows": 8, "cols": 8, "closed": True, "order": "random", "seed": seed} for seed in (1, 2, 3)),
]


def call_of(setting: dict[str, Any]) -> str:
    """The command line of a setting."""
    call = f"{setting['rows']}x{setting['cols']}{' --closed' * setting.get('closed', False)}"
    for option in ("start", "end", "seed"):
        call += f" --{option} {setting[option]}" if option in setting else ""
    for option in ("order", "prune", "backtrack"):
        call += f" -O {option}={setting[option]}" if option in setting else ""
    leaper = f" --leaper {','.join(map(str, setting['leaper']))}" if "leaper" in setting else ""
    return call + leaper + "".join(f" --hole {hole}" for hole in setting.get("holes", []))


@pytest.mark.parametrize("setting", SETTINGS, ids=call_of)
def test_the_stream_of_the_page_is_that_of_trace(
    setting: dict[str, Any], url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Byte by byte, to the end or for the first 5000 events; and the tour at its end is the one that solve finds."""
    call = call_of(setting).split()
    with Line(url) as line:
        first = line.ask(**setting)
        lines = [json.dumps(first), *line.more(5000)]
    status(["trace", *call, "--json-stream"])
    traced = capsys.readouterr().out.splitlines()
    assert lines[:5000] == traced[:5000]
    assert len(lines) > 5000 or len(lines) == len(traced)
    last = json.loads(lines[-1])
    status(["solve", *call, "--backend", "dfs", "--json"])
    answer = json.loads(capsys.readouterr().out)
    if last["event"] == "tour_found":
        assert [first["places"][vertex] for vertex in last["vertices"]] == answer["tour"]
        assert last["positions"] == answer["work"].get("positions", 0)
    else:
        assert answer["tour"] is None


# --- credits ---


def test_nothing_is_sent_and_nothing_computed_without_credits(url: str) -> None:
    with Line(url) as line:
        assert line.ask(rows=8, cols=8)["event"] == "problem"
        with pytest.raises(TimeoutError):
            line.socket.recv(timeout=0.1)
        assert len(line.more(1)) == 1
        assert len(line.more(3)) == 3
        with pytest.raises(TimeoutError):
            line.socket.recv(timeout=0.1)


def test_a_new_question_ends_the_search_before(url: str) -> None:
    with Line(url) as line:
        line.ask(rows=8, cols=8, prune="none", order="plain")
        line.send({"do": "more", "events": 100_000})
        line.send({"do": "ask", "setting": {"rows": 5, "cols": 5}})
        while '"event": "problem"' not in line.receive()[0]:
            pass
        assert len(json.loads(line.more(100_000)[-1])["vertices"]) == 25


def test_each_ask_has_one_answer_however_fast_they_come(url: str) -> None:
    with Line(url) as line:
        for side in range(3, 11):
            line.send({"do": "ask", "setting": {"rows": side, "cols": side, "backend": "proof" if side % 2 else "dfs"}})
            line.send({"do": "more", "events": 1000})
        answers: list[int] = []
        while answers[-1:] != [10]:
            answers += [json.loads(text)["rows"] for text in line.receive() if '"event": "problem"' in text]
        assert answers == list(range(3, 11))


def source_of(work: Callable[[Callable[[Any], None]], dict[str, Any]]) -> SolverSource:
    """A search whose solver does this with its listener."""
    source = SolverSource(Setting(backend="sat:lazy"))
    assert json.loads(source.first)["event"] == "problem"
    source._answer = work  # type: ignore[assignment, method-assign]
    return source


def taken(source: SolverSource, most: int) -> Iterator[str]:
    """The lines of a search to its end, taken so many at a time."""
    over = False
    while not over:
        lines, over = source.take(most)
        yield from lines


def test_a_solver_waits_for_whoever_listens() -> None:
    """Events beyond those that may wait are not made until earlier ones are taken."""
    told = 0

    def work(listen: Callable[[Any], None]) -> dict[str, Any]:
        nonlocal told
        for _ in range(10 * WAITING):
            listen(TwoFactorFound(2))
            told += 1
        return {"event": "answer"}

    number = 0
    for number, _ in enumerate(taken(source_of(work), 7), start=1):
        assert told <= number + 7 + WAITING + 1
    assert number == 10 * WAITING + 1


def test_a_stopped_solver_ends_at_its_next_event() -> None:
    ended = threading.Event()

    def work(listen: Callable[[Any], None]) -> dict[str, Any]:
        try:
            for _ in itertools.count():
                listen(TwoFactorFound(2))
        finally:
            ended.set()
        return {}

    source = source_of(work)
    source.take(1)
    source.stop()
    assert ended.wait(PATIENCE)


def test_a_solver_that_fails_in_a_way_that_nobody_foresaw_is_told_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    def work(listen: Callable[[Any], None]) -> dict[str, Any]:  # noqa: ARG001
        raise ZeroDivisionError("a bug")

    assert [json.loads(line) for line in taken(source_of(work), 10)] == [FAILED]
    assert "a bug" in caplog.text


FAILED = {"event": "refused", "reason": "The search failed: the server's log says why."}


class FakePage:
    """A page that asks for a search and its events, and goes away when it has had so many frames."""

    def __init__(self, frames: int, **setting: object) -> None:
        self.messages = [{"do": "ask", "setting": setting}, {"do": "more", "events": 1_000_000}]
        self.frames = frames
        self.sent: list[str] = []

    async def receive(self) -> dict[str, Any]:
        if self.messages:
            return {"type": "websocket.receive", "text": json.dumps(self.messages.pop(0))}
        while len(self.sent) < self.frames:
            await asyncio.sleep(0)
        return {"type": "websocket.disconnect"}

    async def send_text(self, text: str) -> None:
        from starlette.websockets import WebSocketDisconnect

        self.sent.append(text)
        if len(self.sent) > 1000:
            raise WebSocketDisconnect

    def visit(self) -> Connection:
        """Serve the page until it goes away."""
        connection = Connection(self)  # type: ignore[arg-type]
        in_a_loop(asyncio.wait_for(connection.serve(), PATIENCE))
        return connection


def test_a_search_ends_when_its_page_goes_away() -> None:
    page = FakePage(3, rows=7, cols=7, closed=True, prune="none", order="plain")
    assert page.visit()._search is None


def test_a_native_search_that_fails_is_told_as_the_end_of_the_search(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Not as the answer to the ask, which has been answered."""

    def fail(_source: object, most: int) -> None:
        raise ZeroDivisionError(f"a bug before {most} lines")

    monkeypatch.setattr(NativeSource, "take", fail)
    page = FakePage(2)
    page.visit()
    assert json.loads(page.sent[1]) == FAILED
    assert "a bug before" in caplog.text


@pytest.mark.parametrize(
    ("backend", "closed", "kind"),
    [
        ("sat:lazy", True, "two_factor_found"),
        ("sat:lazy", False, "two_factor_found"),  # which marks the universal vertex by -1
        ("sat", True, "progress"),
        ("cpsat", True, "log_line"),
    ],
)
def test_solvers_tell_what_they_do_and_end_with_the_answer(backend: str, closed: bool, kind: str, url: str) -> None:
    with Line(url) as line:
        assert line.ask(rows=8, cols=8, closed=closed, backend=backend)["backend"] == backend
        events = [json.loads(text) for text in line.more(10_000)]
    assert (events[-1]["status"], len(events[-1]["tour"])) == ("tour", 64)
    assert kind in {event["event"] for event in events}
    for event in events:
        if event["event"] == "two_factor_found":
            visited = sorted(vertex for cycle in event["members"] for vertex in cycle)
            assert visited == list(range(-1 + closed, 64))
        if event["event"] == "cut_set_added" and closed:
            assert len(event["shore"]) in ((event["vertices"],) if backend == "sat:lazy" else (0, event["vertices"]))


def test_the_certificate_has_its_multipliers_by_square_and_its_sentence(url: str) -> None:
    with Line(url) as line:
        line.ask(rows=4, cols=6, closed=True, backend="proof")
        certificate = json.loads(line.more(10_000)[-1])
    assert certificate["event"] == "certificate"
    assert sorted(value for _, value in certificate["multipliers"]) == ["+1"] * 6 + ["-1"] * 6
    assert {vertex // 6 for vertex, value in certificate["multipliers"] if value == "+1"} == {0, 3}
    last = certificate["rows"][-1]
    assert (last["right"], last["edges"]) == ("2", [])
    assert len(certificate["cut_sets"][0]) == 12
    assert "inner rows" in certificate["sentence"]


@pytest.mark.parametrize(
    ("setting", "vertices", "squares"),
    [({"space": "torus:5x6"}, 30, True), ({"space": "Q(4)"}, 16, False), ({"rows": 5, "holes": ["c3"]}, 39, True)],
)
def test_the_plan_of_a_space_has_its_vertices_and_their_neighbours(
    setting: dict[str, Any], vertices: int, squares: bool, url: str
) -> None:
    with Line(url) as line:
        plan = line.question("plan", setting, 5)
    assert {len(plan[what]) for what in ("x", "y", "names")} == {vertices + len(setting.get("holes", []))}
    assert plan["names"][vertices:] == setting.get("holes", [])
    assert (plan["order"], plan["squares"]) == (vertices, squares)
    assert plan["labels"]
    graph = decoded(json.dumps(setting), Setting).graph
    assert plan["neighbours"] == [graph.neighbours(vertex).tolist() for vertex in range(vertices)]
    assert bool(plan["pieces"]) is ("space" in setting), "over the borders of the torus, round vertices in the way"


def test_a_walk_is_judged_and_its_number_comes_back(url: str) -> None:
    with Line(url) as line:
        answer = line.question("walk", {"rows": 6, "cols": 6, "closed": True}, 7, walk=[0, 8])
        assert [answer["event"], answer["length"], answer["final"]] == ["walk", 2, True]
        assert answer["closed"]["tour"][:2] == [0, 8]
        assert sorted(answer["open"]["tour"]) == list(range(36))
        first = line.question("walk", {"rows": 5, "cols": 5, "closed": True}, 8, walk=[1])
        last = json.loads(line.receive()[0])
        assert [first["final"], last["final"]] == [False, True]
        assert [last["closed"]["keep"], last["open"]["keep"]] == [-1, 0]


def test_a_puzzle_is_made_and_its_walks_are_judged(url: str) -> None:
    with Line(url) as line:
        made = line.question("puzzle", {"rows": 5, "cols": 5}, 4, seed=3, grade=2)
        givens = [[Board(5).name(vertex), number] for vertex, number in made["givens"]]
        tour = line.question("walk", {"rows": 5, "cols": 5, "givens": givens}, walk=[])["open"]["tour"]
        assert [[vertex, tour.index(vertex) + 1] for vertex, _ in made["givens"]] == made["givens"]
    with Line(url) as line:
        assert "no tour here" in line.question("puzzle", {"rows": 3, "cols": 3}, seed=3, grade=2)["reason"]


def test_of_walks_that_come_faster_than_answers_the_last_is_answered(url: str) -> None:
    with Line(url) as line:
        for number in range(60):
            board = {"rows": 20, "cols": 20, "closed": True}
            line.send({"do": "walk", "setting": board, "walk": [0, 41][: 1 + number % 2], "number": number})
        answers = [json.loads(line.receive()[0])]
        while answers[-1]["number"] < 59:
            answers.append(json.loads(line.receive()[0]))
        assert len(answers) < 60
        numbers = [answer["number"] for answer in answers]
        assert numbers == sorted(numbers)


@pytest.mark.parametrize(
    ("setting", "part", "words"),
    [
        ({"rows": 7, "cols": 7, "closed": True}, "reason", "25 of one colour and 24"),
        ({"rows": 4, "cols": 5, "closed": True}, "reason", "Schwenk 1991"),
        ({"rows": 3, "cols": 3}, "reason", "b2 has no move at all."),
        ({"closed": True, "symmetry": "rot90"}, "reason", "an odd multiple of 16 moves"),
        ({"closed": True, "symmetry": "rot90"}, "theorem", "needs a side that is 2 modulo 4"),
        ({"closed": True}, "reason", "None"),
        ({"rows": 6, "cols": 6, "closed": True, "symmetry": "any"}, "reason", "None"),
    ],
)
def test_a_board_is_judged_without_a_search(setting: dict[str, Any], part: str, words: str, url: str) -> None:
    with Line(url) as line:
        assert words in str(line.question("judge", setting)[part])


# --- bad input: one sentence, and the server goes on ---


def ask(setting: str) -> str:
    return f'{{"do": "ask", "setting": {setting}}}'


def judge(setting: str) -> str:
    return f'{{"do": "judge", "setting": {setting}, "number": 1}}'


def plan_of(setting: str) -> str:
    return f'{{"do": "plan", "setting": {setting}, "number": 1}}'


def walk(setting: str, vertices: str) -> str:
    return f'{{"do": "walk", "setting": {setting}, "walk": {vertices}, "number": 1}}'


BAD_MESSAGES: list[tuple[str, str, str]] = [
    ("no JSON", "hello", "JSON object"),
    ("empty", "", "JSON object"),
    ("a list", "[1]", "expected object"),
    ("null", "null", "expected object"),
    ("deep nesting", "[" * 20_000, "expected object"),
    ("no such thing to do", '{"do": "dance"}', "do: invalid value 'dance'"),
    ("nothing to do", "{}", "required field do"),
    ("credits before a search", '{"do": "more", "events": 5}', "ask for one first"),
    ("negative credits", '{"do": "more", "events": -5}', "events: expected int >= 0"),
    ("credits true", '{"do": "more", "events": true}', "events: expected int, got bool"),
    ("too many credits", '{"do": "more", "events": 1000000000}', "expected int <= 1000000"),
    ("givens of text", walk('{"givens": "a1"}', "[]"), "setting.givens: expected array"),
    ("a given of number 0", walk('{"givens": [["a1", 0]]}', "[]"), "setting.givens[0][1]: expected int >= 1"),
    ("two numbers at a place", walk('{"givens": [["a8", 1], ["a8", 3]]}', "[]"), "one number"),
    ("a puzzle of no grade", '{"do": "puzzle", "setting": {}, "seed": 1, "number": 1}', "grade"),
    (
        "a puzzle of no seed",
        '{"do": "puzzle", "setting": {}, "seed": -1, "grade": 1, "number": 1}',
        "seed: expected int",
    ),
    ("a walk off the board", walk("{}", "[64]"), "0 to 63"),
    ("a walk that is no list", walk("{}", "{}"), "walk: expected array"),
    ("a walk of jumps", walk("{}", "[0, 1]"), "a8-b8 is not a move here."),
    ("a walk over itself", walk("{}", "[0, 10, 0]"), "twice"),
    ("a walk over a vertex twice", walk('{"space": "Petersen"}', "[0, 1, 0]"), "enters no vertex twice"),
    ("a walk without a number", '{"do": "walk", "setting": {}, "walk": [0]}', "number"),
    ("the plan of a file", plan_of('{"space": "/etc/passwd"}'), "is not a space"),
    ("standard input", plan_of('{"space": "-"}'), "is not a space"),
    ("a huge torus", plan_of('{"space": "torus:4000x4000"}'), "at most 400"),
    ("a huge family", plan_of('{"space": "Kneser(40,20)"}'), "subsets"),
    ("a family of larger numbers", plan_of('{"space": "GP(99999999,2)"}'), "too large"),
    ("many edges", plan_of('{"space": "Kneser(11,4)"}'), "edges"),
    ("no setting", '{"do": "ask"}', "setting"),
    ("a setting of text", '{"do": "ask", "setting": "8x8"}', "setting: expected object"),
    ("a strange key", ask('{"__class__": 1}'), "__class__"),
    ("a board of 1e6 x 1e6", ask('{"rows": 1000000}'), f"rows: expected int <= {MAX_SIDE}"),
    ("a board of 0 x 0", ask('{"rows": 0, "cols": 0}'), "rows: expected int >= 1"),
    ("half a row", ask('{"rows": 7.5}'), "rows: expected int"),
    ("start off the board", ask('{"start": "i9"}'), "not on the 8x8 board"),
    ("a start beyond a space", ask('{"space": "Q(3)", "start": "8"}'), "8"),
    ("start in a hole", ask('{"start": "a8", "holes": ["a8"]}'), "hole"),
    ("holes everywhere", ask('{"rows": 1, "cols": 1, "holes": ["a1"]}'), "hole"),
    ("holes of nothing", ask('{"holes": {}}'), "holes: expected array"),
    ("too many holes", ask('{"holes": [' + ",".join(['"a1"'] * 2600) + "]}"), "holes: expected"),
    ("a leaper that stays", ask('{"leaper": [0, 0]}'), "leaper"),
    ("a closed end without a start", ask('{"closed": true, "end": "a1"}'), "start"),
    ("no such backend", ask('{"backend": "py:os:system"}'), "backend: invalid enum value 'py:os:system'"),
    ("no such order", ask('{"order": "sideways"}'), "sideways"),
    ("no such pruning", ask('{"prune": "roses"}'), "roses"),
    ("an order that is not for this", ask('{"order": "squirrel-cull", "closed": true}'), "squirrel-cull"),
    ("a long name", ask('{"order": "' + "x" * 5000 + '"}'), "order"),
    ("markup", ask('{"order": "<script>"}'), "<script>"),
    ("a symmetry in a file", judge('{"symmetry": "/etc/passwd"}'), "choose one of none, rot180"),
    (
        "a symmetry that is none",
        ask('{"rows": 6, "backend": "sat", "symmetry": "rot90"}'),
        "which has rot180, axial-rows",
    ),
    ("a symmetric walk", walk('{"symmetry": "rot180"}', "[0]"), "leave it out"),
    ("a seed below 0", ask('{"seed": -1}'), "setting.seed: expected int >= 0"),
]


@pytest.mark.parametrize(("text", "word"), [bad[1:] for bad in BAD_MESSAGES], ids=[bad[0] for bad in BAD_MESSAGES])
def test_a_bad_message_is_refused_in_one_sentence_and_the_line_goes_on(text: str, word: str, url: str) -> None:
    with Line(url) as line:
        line.send(text)
        refused = json.loads(line.receive()[0])
        assert refused["event"] == "refused"
        assert refused["to"] == (re.findall(r'^\{"do": "(\w+)"', text) or [None])[0]
        assert word in refused["reason"]
        assert len(refused["reason"]) < 500
        assert "Traceback" not in refused["reason"]
        line.ask(rows=5, cols=5)
        assert json.loads(line.more(1)[0])["event"] == "search_begun"


def test_a_huge_message_ends_the_line_and_nothing_else(url: str) -> None:
    from websockets.exceptions import ConnectionClosed

    with Line(url) as line:
        line.send("x" * (1 << 20))
        with pytest.raises(ConnectionClosed):
            line.receive()
        assert line.socket.close_code in (1009, 1006)  # too large; or cut off, where the message was still under way
    assert_well(url)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "", "http://127.0.0.1:1", "https://127.0.0.1.evil.example"]
)
def test_other_origins_are_turned_away(origin: str, url: str) -> None:
    from websockets.exceptions import InvalidStatus

    with pytest.raises(InvalidStatus) as refusal:
        Line(url, origin=origin)
    assert refusal.value.response.status_code == 403
    assert httpx.post(f"{url}tour.gif", json={}, headers={"Origin": origin}).status_code == 403


def test_other_names_of_the_host_are_turned_away(url: str) -> None:
    """So no foreign page can reach the server by a name of its own that it lets point here."""
    assert httpx.get(url, headers={"Host": "evil.example"}).status_code == 400
    assert httpx.get(url, headers={"Host": f"localhost:{urlsplit(url).port}"}).status_code == 200


def test_fifty_lines_opened_and_dropped_leave_nothing_behind(server: tuple[subprocess.Popen[str], str]) -> None:
    run, url = server
    threads = thread_count(run.pid)
    for _ in range(50):
        line = Line(url)
        line.send({"do": "ask", "setting": {"rows": 8, "cols": 8, "prune": "none", "order": "plain"}})
        line.send({"do": "more", "events": 1_000_000})
        # Dropped without a word, as a browser that is killed does.
        line.socket.socket.shutdown(socket.SHUT_RDWR)
    for _ in range(16):
        assert_well(url)
    assert thread_count(run.pid) <= threads + 16
    assert run.poll() is None


def thread_count(process: int) -> int:
    return len(list(Path(f"/proc/{process}/task").iterdir()))


def assert_well(url: str) -> None:
    """The server still answers a page."""
    with Line(url) as line:
        line.ask(rows=5, cols=5)
        assert json.loads(line.more(100)[-1])["event"] == "tour_found"


# --- the page's files ---


def test_everything_is_served_with_a_strict_policy_and_is_small(url: str) -> None:
    """All files of the page together stay under 150 kB, and none names another host."""
    from importlib.resources import files

    total = 0
    static = [entry.name for entry in (files("cpsat_tour.web") / "static").iterdir()]
    for name in ["", "knight.svg", *static]:
        answer = httpx.get(url + name)
        assert answer.status_code == 200, name
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "unsafe" not in policy
        assert "//" not in answer.text.replace("http://www.w3.org/", "").replace("\n//", "\n").replace(
            " // ", " "
        ).removeprefix("//"), name
        total += len(answer.content)
    assert total < 150_000


@pytest.mark.parametrize("path", ["../settings.py", "..%2f..%2fserver.py", "nothing", "search", ".git/config"])
def test_nothing_else_is_served(path: str, url: str) -> None:
    answer = httpx.get(url + path)
    assert answer.status_code in (404, 405)
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("", 400),
        ("[]", 400),
        ('{"setting": {}, "path": [0, 0]}', 400),
        ('{"setting": {}, "path": [64]}', 400),
        ('{"setting": {}, "path": []}', 400),
        ('{"setting": {}, "path": ["a1"]}', 400),
        ('{"setting": {}, "path": [true, 10]}', 400),
        ('{"setting": {"rows": 9999999}, "path": [0]}', 400),
        ("[" * 60_000, 400),
        ("x" * 100_000, 413),
        ('{"setting": {}, "path": [[0, 0]]}', 400),
        ('{"setting": {}, "path": [0, 1]}', 400),
        ('{"setting": {}, "path": [], "proof": 1}', 400),
        ('{"setting": {"space": "/etc/passwd"}, "path": [0]}', 400),
        ('{"setting": {}, "path": [0, 10]}', 200),
    ],
)
def test_pictures_are_asked_for_with_care(body: str, code: int, url: str) -> None:
    for name, begins in (("tour.gif", b"GIF89a"), ("tour.svg", b"<svg ")):
        answer = httpx.post(f"{url}{name}", content=body, headers={"Origin": url.rstrip("/")})
        assert answer.status_code == code
        assert "Traceback" not in answer.text
        if code == 200:
            assert answer.content.startswith(begins)


def test_the_picture_of_a_proof_is_that_of_prove(url: str) -> None:
    body = json.dumps({"setting": {"rows": 4, "cols": 6, "closed": True}, "path": [], "proof": True})
    answer = httpx.post(f"{url}tour.svg", content=body, headers={"Origin": url.rstrip("/")})
    found = prove(Problem(Board(4, 6).graph, closed=True))
    assert isinstance(found, Certificate)
    assert answer.text == picture(found.cycle, found.proof, lambda: None)
    body = json.dumps({"setting": {"rows": 6, "cols": 6, "closed": True}, "path": [], "proof": True})
    assert httpx.post(f"{url}tour.svg", content=body, headers={"Origin": url.rstrip("/")}).status_code == 400


# --- names and addresses ---


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("192.0.2.7", False), ("::", False)],
)
def test_only_a_server_of_this_machine_alone_is_local(host: str, local: bool) -> None:
    assert is_local(host) is local


@pytest.mark.parametrize(
    ("options", "number", "said"),
    [(("--host", "0.0.0.0"), signal.SIGTERM, "whoever can reach"), ((), signal.SIGINT, "")],
    ids=["all addresses", "this machine"],
)
def test_watch_says_where_it_can_be_reached_and_ends_at_a_signal(
    options: tuple[str, ...], number: signal.Signals, said: str
) -> None:
    with watching(*options) as (run, url):
        assert urlsplit(url).hostname not in ("0.0.0.0", "")
        assert httpx.get(url).status_code == 200
        assert httpx.post(f"{url}tour.gif", json={}, headers={"Origin": "http://evil.example"}).status_code == 403
        run.send_signal(number)
        _, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 128 + number
    assert said in err
    assert "Traceback" not in err


def test_a_port_that_is_taken_is_one_sentence(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["watch", "--port", str(urlsplit(url).port)]) == 2
    err = capsys.readouterr().err
    assert "already in use" in err
    assert err.count("\n") == 1
    assert status(["watch", "--host", "no.such.host.invalid"]) == 2
    assert status(["watch", "--port", "70000"]) == 2


def test_watch_without_its_libraries_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("cpsat_tour.core.libraries.find_spec", lambda _: None)
    assert status(["watch"]) == 2
    assert "pip install starlette" in capsys.readouterr().err


def test_the_help_of_watch_loads_no_server() -> None:
    program = (
        "import sys; from cpsat_tour.cli.main import status; status(['watch', '--help']); assert 'starlette' not "
        "in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


# --- memory ---


@pytest.mark.parametrize("events", [80_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_a_long_search_leaves_the_servers_memory_within_20_megabytes(events: int) -> None:
    with watching() as (run, url), Line(url) as line:
        line.ask(rows=8, cols=8, closed=True, prune="none", order="plain")
        line.more(events // 10)
        before, taken = resident_megabytes(run.pid), events // 10
        while taken < events:
            taken += len(line.more(20_000))
        assert resident_megabytes(run.pid) - before < 20
