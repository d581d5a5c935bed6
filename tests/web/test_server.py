"""The server of the page: its stream is that of the engine, and no message, request or lost line harms it."""

import asyncio
import json
import re
import signal
import socket
import subprocess
import time
from base64 import b64decode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest.mock import MagicMock
from urllib.parse import parse_qs, urlsplit

import psutil
import pytest
from commands import Command, needed
from watching import PATIENCE, Line, resident_megabytes, watching

from cpsat_tour import Board, Certificate, Problem
from cpsat_tour.cli.main import status
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.proofs.write.why import picture
from cpsat_tour.web.protocol import MAX_SIDE, Setting, decode

pytest.importorskip("starlette", reason="the page needs the extra web")
httpx = pytest.importorskip("httpx", reason="the tests of the page need httpx")

import uvicorn  # noqa: E402
from uvicorn.server import ServerState  # noqa: E402

from cpsat_tour.web.server import TimedRequests, application, is_local  # noqa: E402


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[subprocess.Popen[str], str]]:
    with watching() as (run, url):
        yield run, url


@pytest.fixture
def url(server: tuple[subprocess.Popen[str], str]) -> str:
    return server[1]


@pytest.fixture
def line(url: str) -> Iterator[Line]:
    with Line(url) as line:
        yield line


# --- what the page shows is what the engine does ---


STREAMS: dict[str, dict[str, Any]] = {
    "5x5": {"rows": 5, "cols": 5},
    "6x6 --closed --start d4": {"rows": 6, "cols": 6, "closed": True, "start": "d4"},
    "8x8 --start a8 --end g1": {"start": "a8", "end": "g1"},
    "6x6 --hole a6 --hole f1 -O prune=all": {"rows": 6, "cols": 6, "holes": ["a6", "f1"], "prune": "all"},
    "10x10 --closed --leaper 2,3": {"rows": 10, "cols": 10, "closed": True, "leaper": "2,3"},
    "5x5 --moves king": {"rows": 5, "cols": 5, "leaper": "king"},
    "4x4 -O prune=none": {"rows": 4, "cols": 4, "prune": "none"},
    "5x5 --closed -O prune=degree": {"rows": 5, "cols": 5, "closed": True, "prune": "degree"},
    "8x8 -O order=fixed:12345678 -O prune=none -O backtrack=no --start e3": {
        **{"order": "fixed:12345678", "prune": "none", "backtrack": False, "start": "e3"}
    },
    "8x8 --closed -O order=random --seed 2": {"closed": True, "order": "random", "seed": 2},
}
"""Searches on the command line, and as settings of the page."""


@pytest.mark.parametrize("call", STREAMS)
def test_the_stream_of_the_page_is_that_of_trace(call: str, line: Line, capsys: pytest.CaptureFixture[str]) -> None:
    """Byte by byte, to the end or for the first 5000 events."""
    lines = [json.dumps(line.ask(**STREAMS[call])), *line.more(5000)]
    status(["trace", *call.split(), "--json-stream"])
    traced = capsys.readouterr().out.splitlines()
    assert lines[:5000] == traced[:5000]
    assert len(lines) > 5000 or len(lines) == len(traced)


# --- credits ---


def test_nothing_is_sent_without_credits(line: Line) -> None:
    assert line.ask(rows=8, cols=8)["event"] == "problem"
    with pytest.raises(TimeoutError):
        line.socket.recv(timeout=0.1)
    assert len(line.more(1)) == 1
    assert len(line.more(3)) == 3
    with pytest.raises(TimeoutError):
        line.socket.recv(timeout=0.1)


def test_each_ask_has_one_answer_however_fast_they_come(line: Line) -> None:
    for side in range(3, 11):
        line.send({"do": "ask", "setting": {"rows": side, "cols": side, "backend": "proof" if side % 2 else "dfs"}})
        line.send({"do": "more", "events": 1000})
    answers: list[int] = []
    while answers[-1:] != [10]:
        answers += [json.loads(text)["rows"] for text in line.receive() if '"event": "problem"' in text]
    assert answers == list(range(3, 11))


@pytest.mark.parametrize(
    ("backend", "closed", "kind"),
    [
        ("sat:lazy", True, "two_factor_found"),
        ("sat:lazy", False, "two_factor_found"),  # which marks the universal vertex by -1
        ("sat", True, "progress"),
        ("cpsat", True, "log_line"),
    ],
)
def test_solvers_send_their_events_and_end_with_the_answer(backend: str, closed: bool, kind: str, line: Line) -> None:
    assert line.ask(rows=8, cols=8, closed=closed, backend=backend)["backend"] == backend
    events = [json.loads(text) for text in line.more(10_000)]
    assert (events[-1]["status"], len(events[-1]["tour"])) == ("tour", 64)
    assert kind in {event["event"] for event in events}
    for event in events:
        if event["event"] == "two_factor_found":
            assert sorted(vertex for cycle in event["members"] for vertex in cycle) == list(range(-1 + closed, 64))
        if event["event"] == "cut_set_added" and closed:
            assert len(event["shore"]) in ((event["vertices"],) if backend == "sat:lazy" else (0, event["vertices"]))


def test_the_certificate_has_its_multipliers_by_square_and_its_sentence(line: Line) -> None:
    line.ask(rows=4, cols=6, closed=True, backend="proof")
    certificate = json.loads(line.more(10_000)[-1])
    assert certificate["event"] == "certificate"
    assert sorted(value for _, value in certificate["multipliers"]) == ["+1"] * 6 + ["-1"] * 6
    assert {vertex // 6 for vertex, value in certificate["multipliers"] if value == "+1"} == {0, 3}
    assert len(certificate["cut_sets"][0]) == 12
    assert "inner rows" in certificate["sentence"]


@pytest.mark.parametrize(
    ("setting", "vertices", "squares"),
    [({"space": "torus:5x6"}, 30, True), ({"space": "Q(4)"}, 16, False), ({"rows": 5, "holes": ["c3"]}, 39, True)],
)
def test_the_plan_of_a_space_has_its_vertices_and_their_neighbours(
    setting: dict[str, Any], vertices: int, squares: bool, line: Line
) -> None:
    plan = line.question("plan", setting, 5)
    assert {len(plan[what]) for what in ("x", "y", "names")} == {vertices + len(setting.get("holes", []))}
    assert plan["names"][vertices:] == setting.get("holes", [])
    assert (plan["order"], plan["squares"]) == (vertices, squares)
    assert plan["labels"]
    graph = decode(json.dumps(setting), Setting).graph
    assert plan["neighbours"] == [graph.neighbours(vertex).tolist() for vertex in range(vertices)]
    assert bool(plan["pieces"]) is ("space" in setting), "over the borders of the torus, round vertices in the way"


def test_a_walk_is_judged_and_its_number_comes_back(line: Line) -> None:
    # The first walk may take a busy machine longer than the judge has.
    answers = (line.question("walk", {"rows": 6, "cols": 6, "closed": True}, 7, walk=[0, 8]) for _ in range(50))
    answer = next(answer for answer in answers if "tour" in answer["closed"])
    assert [answer["event"], answer["length"], answer["final"]] == ["walk", 2, True]
    assert answer["closed"]["tour"][:2] == [0, 8]
    assert sorted(answer["open"]["tour"]) == list(range(36))
    first = line.question("walk", {"rows": 5, "cols": 5, "closed": True}, 8, walk=[1])
    last = json.loads(line.receive()[0])
    assert [first["final"], last["final"]] == [False, True]
    assert [last["closed"]["keep"], last["open"]["keep"]] == [-1, 0]


def test_a_puzzle_is_made_and_its_walks_are_judged(line: Line) -> None:
    made = line.question("puzzle", {"rows": 5, "cols": 5}, 4, seed=3, grade=2)
    givens = [[Board(5).name(vertex), number] for vertex, number in made["givens"]]
    tour = line.question("walk", {"rows": 5, "cols": 5, "givens": givens}, walk=[])["open"]["tour"]
    assert [[vertex, tour.index(vertex) + 1] for vertex, _ in made["givens"]] == made["givens"]
    assert "no tour here" in line.question("puzzle", {"rows": 3, "cols": 3}, seed=3, grade=2)["reason"]


FILES = {
    "mine.txt": ("1 . 3\n. 9 .\n7 . .\n", "link", "#board=3x3&leaper=king&open=1&at=a3:1,c3:3,a1:7,b2:9&play=1"),
    "ring.edges": ("a b\nb c\nc a\n", "link", "#space=%7B%22vertices%22:%5B%22a%22,%22b%22,%22c%22%5D,%22edges%22:"),
    "lists.json": ("[[1,0,0],[0,0,0],[0,0,9]]", "link", "#board=3x3&leaper=king&open=1&at=a3:1,c1:9&play=1"),
    "bad.txt": ("what is this", "reason", "bad.txt is not a puzzle (bad.txt is not a grid"),
    "walls.txt": ("1 . .\n. . .\nforbid a1-b2\n", "reason", "the page can't show walls.txt: it has walls"),
    "../a": ("1 . .\n", "reason", "name: expected str"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_opened_by_a_link_or_refused_in_a_sentence(name: str, line: Line) -> None:
    text, part, words = FILES[name]
    answer = line.question("file", {"leaper": "king"}, name=name, text=text)
    assert words.lower() in answer[part].lower()
    if "space=" in answer.get("link", ""):
        space = parse_qs(answer["link"][1:])["space"][0]
        assert line.question("plan", {"space": space})["names"] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("setting", "part", "words"),
    [
        ({"rows": 7, "cols": 7, "closed": True}, "reason", "25 dark and 24 light"),
        ({"rows": 4, "cols": 5, "closed": True}, "reason", "Schwenk 1991"),
        ({"rows": 3, "cols": 3}, "reason", "b2 has no move at all."),
        ({"closed": True, "symmetry": "rot90"}, "reason", "an odd multiple of 16 moves"),
        ({"closed": True, "symmetry": "rot90"}, "theorem", "needs a side that is 2 modulo 4"),
        ({"closed": True}, "reason", "None"),
        ({"rows": 6, "cols": 6, "closed": True, "symmetry": "any"}, "reason", "None"),
    ],
)
def test_a_board_is_judged_without_a_search(setting: dict[str, Any], part: str, words: str, line: Line) -> None:
    assert words in str(line.question("judge", setting)[part])


# --- bad input: one sentence, and the server goes on ---


def ask(setting: str) -> str:
    return f'{{"do": "ask", "setting": {setting}}}'


def question(do: str, setting: str, more: str = "") -> str:
    return f'{{"do": "{do}", "setting": {setting}, "number": 1{more}}}'


def walk(setting: str, vertices: str) -> str:
    return question("walk", setting, f', "walk": {vertices}')


def export(more: str, form: str = "svg", setting: str = "{}") -> str:
    return question("export", setting, f', "form": "{form}"{more}')


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
    ("a walk below the board", walk("{}", "[-1]"), "0 to 63"),
    ("a walk that is no list", walk("{}", "{}"), "walk: expected array"),
    ("a walk of jumps", walk("{}", "[0, 1]"), "a8-b8 is not a move here."),
    ("a walk over itself", walk("{}", "[0, 10, 0]"), "twice"),
    ("a walk over a vertex twice", walk('{"space": "Petersen"}', "[0, 1, 0]"), "enters no vertex twice"),
    ("a walk without a number", '{"do": "walk", "setting": {}, "walk": [0]}', "number"),
    ("the plan of a file", question("plan", '{"space": "/etc/passwd"}'), "is not a space"),
    ("standard input", question("plan", '{"space": "-"}'), "is not a space"),
    ("a huge torus", question("plan", '{"space": "torus:4000x4000"}'), "at most"),
    ("a huge family", question("plan", '{"space": "Kneser(41,20)"}'), "too large"),
    ("a family of larger numbers", question("plan", '{"space": "GP(99999999,2)"}'), "too large"),
    ("a graph without vertices", question("plan", '{"space": "{\\"vertices\\": [], \\"edges\\": []}"}'), "1 or more"),
    ("a graph that is no JSON", question("plan", '{"space": "{"}'), "JSON object"),
    ("many edges", question("plan", '{"space": "Kneser(11,4)"}'), "edges"),
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
    ("a leaper that stays", ask('{"leaper": "0,0"}'), "leaper"),
    ("a closed end without a start", ask('{"closed": true, "end": "a1"}'), "start"),
    ("no such backend", ask('{"backend": "py:os:system"}'), "backend: invalid enum value 'py:os:system'"),
    ("no such order", ask('{"order": "sideways"}'), "sideways"),
    ("no such pruning", ask('{"prune": "roses"}'), "roses"),
    ("an order that is not for this", ask('{"order": "centre", "space": "Q(3)"}'), "no layout"),
    ("a long name", ask('{"order": "' + "x" * 5000 + '"}'), "order"),
    ("markup", ask('{"order": "<script>"}'), "<script>"),
    ("a symmetry in a file", question("judge", '{"symmetry": "/etc/passwd"}'), "choose one of none, rot180"),
    (
        "a symmetry that is none",
        ask('{"rows": 6, "backend": "sat", "symmetry": "rot90"}'),
        "which has rot180, axial-rows",
    ),
    ("a symmetric walk", walk('{"symmetry": "rot180"}', "[0]"), "leave it out"),
    ("a walk from elsewhere", walk('{"start": "h1"}', "[0]"), "starts at h1"),
    ("an export of nothing", export(""), "required field path"),
    ("a path over itself", export(', "path": [0, 0]'), "twice"),
    ("a path off the board", export(', "path": [64]'), "0 to 63"),
    ("a path of no vertices", export(', "path": []'), "a vertex"),
    ("a path of names", export(', "path": ["a1"]'), "path[0]: expected int"),
    ("a path of truths", export(', "path": [true, 10]'), "path[0]: expected int"),
    ("a path of lists", export(', "path": [[0, 0]]'), "path[0]: expected int"),
    ("a long path", export(f', "path": {[0] * 2501}'), "path: expected array"),
    ("a path of jumps", export(', "path": [0, 1]'), "not a move"),
    ("a path on a huge board", export(', "path": [0]', setting='{"rows": 9999999}'), "rows: expected int <= 50"),
    ("a path in a file", export(', "path": [0]', setting='{"space": "/etc/passwd"}'), "is not a space"),
    ("a proof of 1", export(', "path": [], "proof": 1'), "proof: expected bool"),
    ("no proof", export(', "path": [], "proof": true'), "no picture of a proof"),
    ("no such form", export(', "path": [0, 10]', "pdf"), "form: invalid enum value"),
    ("half a tour", export(', "path": [0, 10]', "json"), "this walk has 2 of 64 squares"),
    ("a seed below 0", ask('{"seed": -1}'), "setting.seed: expected int >= 0"),
]


@pytest.mark.parametrize(("text", "word"), [bad[1:] for bad in BAD_MESSAGES], ids=[bad[0] for bad in BAD_MESSAGES])
def test_a_bad_message_is_refused_in_one_sentence_and_the_line_goes_on(text: str, word: str, line: Line) -> None:
    line.send(text)
    refused = json.loads(line.receive()[0])
    assert (refused["event"], refused["to"]) == ("refused", (re.findall(r'^\{"do": "(\w+)"', text) or [None])[0])
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
    "origin",
    [
        *("http://evil.example", "null", "", "http://127.0.0.1:1", "https://127.0.0.1.evil.example", "http://["),
        *("x://HERE", "https://HERE", "ws://HERE", "//HERE", "HERE", "http://HERE/", "http://evil.example@HERE"),
    ],
)
def test_other_origins_are_turned_away(origin: str, url: str) -> None:
    from websockets.exceptions import InvalidStatus

    with pytest.raises(InvalidStatus) as refusal:
        Line(url, origin=origin.replace("HERE", urlsplit(url).netloc))
    assert refusal.value.response.status_code == 403


@pytest.mark.filterwarnings("ignore:Using .httpx. with")
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::", "tours.example"])
def test_the_names_that_a_server_answers_to(host: str) -> None:
    """No foreign page can reach the server by a name of its own that it lets point here."""
    from starlette.testclient import TestClient

    client, machine = TestClient(application(host)), socket.gethostname()
    own = {"tours.example"} & {host}
    known = {
        "localhost",
        "LOCALHOST:8064",
        "127.0.0.1",
        "[::1]:8064",
        "192.0.2.7:80",
        machine,
        f"{machine}.local",
        *own,
    }
    foreign = {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "[", "*", "tours.example"} - own
    for name in known | foreign:
        answer = client.get("/", headers={"Host": name})
        expected = (200, False) if name in known else (400, True)
        assert (answer.status_code, "open it by" in answer.text) == expected, name


def test_fifty_lines_opened_and_dropped_leave_nothing_behind(server: tuple[subprocess.Popen[str], str]) -> None:
    """In the end the server has no more threads than before, but for its own few, and is idle."""
    run, url = server
    program = psutil.Process(run.pid)
    threads = program.num_threads()
    for number in range(50):
        line = Line(url)
        search = {"closed": True, "backend": "sat:lazy"} if number % 2 else {"prune": "none", "order": "plain"}
        line.send({"do": "ask", "setting": {"rows": 40, "cols": 40, **search}})
        line.send({"do": "more", "events": 1_000_000})
        # Dropped without a word, as a browser that is killed does.
        line.socket.socket.shutdown(socket.SHUT_RDWR)
    end = time.monotonic() + PATIENCE
    while program.num_threads() > threads + 16 or program.cpu_percent(0.3) > 5:
        assert time.monotonic() < end
    assert_well(url)
    assert run.poll() is None


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
    for name in ["", "knight.svg", *[entry.name for entry in (files("cpsat_tour.web") / "static").iterdir()]]:
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


def test_exports_are_what_the_commands_write(line: Line) -> None:
    for form, media_type, begins in (("gif", "image/gif", b"GIF89a"), ("svg", "image/svg+xml", b"<svg ")):
        answer = line.question("export", {}, form=form, path=[0, 10])
        assert (answer["event"], answer["type"]) == ("file", media_type)
        assert b64decode(answer["data"]).startswith(begins)
    no_tour = {"rows": 4, "cols": 6, "closed": True}
    answer = line.question("export", no_tour, form="svg", path=[], proof=True)
    found = prove(Problem(Board(4, 6).graph, closed=True))
    assert isinstance(found, Certificate)
    assert b64decode(answer["data"]).decode() == picture(found.cycle, found.proof, lambda: None)


def test_a_request_that_does_not_come_whole_ends() -> None:
    """Its clock starts with the connection and does not begin anew with each byte; a whole request ends it."""

    async def ends(*parts: bytes) -> tuple[bool, bool]:
        """Whether the clock still runs after these parts of a request, and what it does when it is over."""
        transport = MagicMock(spec=asyncio.Transport)
        transport.get_extra_info.return_value, transport.is_closing.return_value = None, False
        protocol = TimedRequests(uvicorn.Config(application("localhost"), lifespan="off"), ServerState(), {})
        protocol.connection_made(transport)
        clock = needed(protocol.timeout_keep_alive_task)
        for part in parts:
            protocol.data_received(part)
        if runs := not clock.cancelled():
            protocol.timeout_keep_alive_handler()
        return runs, transport.close.called

    for parts, expected in (
        ((), (True, True)),
        ((b"GET / HT", b"TP/1.1\r\n", b"Host: localhost\r\n"), (True, True)),
        ((b"GET / HT", b"TP/1.1\r\nHost: localhost\r\n\r\n"), (False, False)),
    ):
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(asyncio.run, ends(*parts)).result(PATIENCE) == expected


# --- names and addresses ---


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("192.0.2.7", False), ("::", False)],
)
def test_only_a_server_of_this_machine_alone_is_local(host: str, local: bool) -> None:
    assert is_local(host) is local


@pytest.mark.parametrize(
    ("options", "number", "said"),
    [(("--host", "0.0.0.0"), signal.SIGTERM, "everyone who can reach"), ((), signal.SIGINT, "")],
    ids=["all addresses", "this machine"],
)
def test_watch_says_where_it_can_be_reached_and_ends_at_a_signal(
    options: tuple[str, ...], number: signal.Signals, said: str
) -> None:
    with watching(*options) as (run, url):
        assert urlsplit(url).hostname not in ("0.0.0.0", "")
        assert httpx.get(url).status_code == 200
        assert httpx.post(url, json={}).status_code == 405
        assert httpx.get(url, headers={"Host": "evil.example"}).status_code == 400
        run.send_signal(number)
        _, err = run.communicate(timeout=PATIENCE)
    assert run.returncode == 128 + number
    assert said in err
    assert "Traceback" not in err


def test_a_port_that_is_taken_is_one_sentence(url: str, command: Command) -> None:
    err = command(f"watch --port {urlsplit(url).port}", 2).err
    assert "already in use" in err
    assert err.count("\n") == 1


def test_watch_without_its_libraries_says_what_to_install(monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    monkeypatch.setattr("cpsat_tour.core.errors.find_spec", lambda _: None)
    assert "pip install starlette" in command("watch", 2).err


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
