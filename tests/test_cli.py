"""The command line: what it prints where, its exit statuses, and one sentence for each bad call."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cpsat_tour.backends.registry import missing, names
from cpsat_tour.cli.main import cli, status
from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import verify
from cpsat_tour.spaces.board import Board

BAD_CALLS: list[tuple[str, str]] = [
    ("solve", "no board"),
    ("solve 0x5", "at least 1"),
    ("solve 5x0", "at least 1"),
    ("solve -3", "there is no option -3"),
    ("solve -- -3", "'-3' is not a board"),
    ("solve -- -3x5", "'-3x5' is not a board"),
    ("solve 8y8", "'8y8' is not a board"),
    ("solve 8x", "'8x' is not a board"),
    ("solve x8", "'x8' is not a board"),
    ("solve 8x8x8x8", "'8x8x8x8' is not a board"),
    ("solve 8.5", "'8.5' is not a board"),
    ("solve ²", "is not a board"),
    ("solve ٣x٣", "is not a board"),
    ("solve 1e9x1e9", "'1e9x1e9' is not a board"),
    ("solve 1000000000x1000000000", "too large"),
    ("solve 99999999999999999999", "too large"),
    ("solve 100000x100000", "too large"),
    ("solve 8x8 9x9", "9x9"),
    ("solve 8x8 --hole z9", "files a to h"),
    ("solve 8x8 --hole a9", "ranks 1 to 8"),
    ("solve 8x8 --hole 8,0", "0,0 to 7,7"),
    ("solve 8x8 --hole a0", "ranks 1 to 8"),
    ("solve 8x8 --hole what?", "not a square"),
    ("solve 8x8 --hole a99999999999999999999", "ranks 1 to 8"),
    ("solve 1x1 --hole a1", "at least one square"),
    ("solve 8x8 --hole a1 --start a1", "is a hole"),
    ("solve 8x8 --start i1", "files a to h"),
    ("solve 8x8 --start -1,0", "not a square"),
    ("solve 8x8 --end 9,9", "not on the 8x8 board"),
    ("solve 8x8 --closed --end a1", "give the start too"),
    ("solve 8x8 --leaper 0,0", "doesn't move"),
    ("solve 8x8 --leaper 1", "not a leaper"),
    ("solve 8x8 --leaper=-1,2", "not a leaper"),
    ("solve 8x8 --leaper knight", "not a leaper"),
    ("solve 8x8 --require a1", "not a move"),
    ("solve 8x8 --require a1-a2", "a1-a2"),
    ("solve 8x8 --forbid a1-h8", "a1-h8"),
    ("solve 8x8 --forbid a1-z99", "z99"),
    ("solve 8x8 --backend gurobi", "no backend 'gurobi'"),
    ("solve 8x8 --backend sat@what", "'what'"),
    ("solve 8x8 --backend cpsat@what", "no option 'solver'"),
    ("solve 8x8 --backend py:nowhere:Class", "can't load"),
    ("solve 8x8 --backend py:json:Nothing", "can't load"),
    ("solve 8x8 --backend py:.foo:Bar", "can't load"),
    ("solve 8x8 --backend py:os:getcwd", "'os:getcwd' is not a class"),
    ("solve 8x8 --backend py:os:kill", "is not a class"),
    ("solve 8x8 --backend py:subprocess:Popen", "is not a backend"),
    ("backends py:subprocess:Popen", "is not a backend"),
    ("prove 4x6 --closed -o why.svg", "a certificate is a folder"),
    ("solve 8x8 --backend cpsat -O linearization=9", "choose 0, 1 or 2"),
    ("solve 8x8 --backend cpsat -O linearization=high", "whole number"),
    ("solve 8x8 --backend cpsat -O log=perhaps", "true or false"),
    ("solve 8x8 --backend cpsat -O colour=red", "no option 'colour'"),
    ("solve 8x8 --backend cpsat -O log", "key=value"),
    ("solve 8x8 --backend cpsat -O order=pohl", "no option 'order'"),
    ("solve 8x8 --backend dfs -O order=fixed:123", "123"),
    ("solve 8x8 --backend dfs -O order=fixed:11111111", "11111111"),
    ("solve 8x8 --backend dfs -O order=sideways", "sideways"),
    ("solve 8x8 --backend dfs -O prune=roses", "roses"),
    ("solve 8x8 --seed -1", "-1"),
    ("solve 8x8 --seed x", "'x'"),
    ("solve 8x8 --threads 0", "0"),
    ("solve 8x8 --time-limit 0", "x>0"),
    ("solve 8x8 --time-limit nan", "can't be nan: give seconds"),
    ("solve 8x8 --time-limit inf", "can't be inf: give seconds"),
    ("solve 8x8 --time-limit soon", "'soon'"),
    ("solve 8x8 -o tour.doc", ".svg"),
    ("solve 8x8 -o tour", ".svg"),
    ("solve 8x8 -o /nowhere/at/all/tour.svg", "/nowhere/at/all"),
    ("solve /nowhere/at/all.edges", "/nowhere/at/all.edges"),
    ("solve /", "/"),
    ("solve tests/examples.py --leaper 1,2", "can't have a leaper 1,2: these are for boards"),
    ("solve 8x8 -o a.svg -o b.svg", "-o is given twice: give it once; see cpsat-tour solve --help"),
    ("count 6x6 --time-limit 3 --closed --time-limit=4", "--time-limit is given twice"),
    ("solve 8x8 -q -v", "--quiet can't go with --verbose"),
    ("solve 8x8 --json --json-stream", "--json can't go with --json-stream: give one or the other"),
    ("solve 8x8 --sideways", "--sideways"),
    ("count 5x5 --memory inf", "--memory can't be inf"),
    ("count 5x5 --memory nan", "--memory can't be nan"),
    ("compare agree 3x4 --starts A1,Z9", "Z9"),
    ("export 200x200 --backend sat:onehot", "at most 8,192 vertices"),
    ("dance 8x8", "dance"),
    ("slove 8x8", "did you mean solve?"),
    ("8x8 --closed", "did you mean solve 8x8?"),
    ("compare argee 8x8", "did you mean agree?"),
    ("solve 8x8 --backend cpst", "did you mean cpsat?"),
    ("solve 8x8 --closd", "there is no option --closd: did you mean --closed?"),
    ("solve petersen", "did you mean Petersen?"),
    ("solve GP(99999999,2)", "is too large"),
    ("compare run -o x", "see cpsat-tour compare run --help"),
    ("solve 8x8 9x9", "see cpsat-tour solve --help"),
    ("backends 8x8", "8x8"),
]


@pytest.mark.parametrize(("call", "word"), BAD_CALLS, ids=[call for call, _ in BAD_CALLS])
def test_bad_input_is_one_sentence_and_exit_status_2(call: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(call.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("cpsat-tour: ")
    assert err.count("\n") == 1
    assert len(err) < 400
    assert word in err


def test_a_module_with_a_syntax_error_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "odd_module.py").write_text("class Odd(:\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert status(["solve", "5x5", "--backend", "py:odd_module:Odd"]) == 2
    assert "can't load the backend class 'odd_module:Odd'" in capsys.readouterr().err


@pytest.mark.parametrize("backend", ["dfs", "cpsat", "sat", "sat:lazy", "auto"])
def test_solve_prints_the_board_and_nothing_else_on_stdout(backend: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["solve", "6x6", "--closed", "--backend", backend]) == 0
    out, err = capsys.readouterr()
    assert sorted(int(word) for word in out.split() if word.isdigit() and int(word) > 6) == list(range(7, 37))
    assert "closed tour of the 6x6 board by " + backend in err


@pytest.mark.parametrize("holes", [(), ("a1", "a2")], ids=["whole", "holes"])
def test_json_holds_a_tour_that_verifies(holes: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["solve", "5x6", "--closed", "--start", "c3", *(f"--hole={hole}" for hole in holes), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    board = Board(5, 6, holes=holes)
    tour = [board.vertex((row, col)) for row, col in answer["tour"]]
    verify(Problem(board.graph, True, start=board.vertex("c3")), tour)
    stated = {"rows": 5, "cols": 6, "start": [2, 2]}
    assert answer["problem"] | stated == answer["problem"]
    assert (len(answer["problem"]["holes"]), answer["status"], answer["refutation"]) == (len(holes), "tour", None)


def test_none_says_how_it_is_known_and_what_the_theorem_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["solve", "5x5", "--closed"]) == 20
    out = capsys.readouterr().out
    assert "There is no closed tour of the 5x5 board." in out
    assert "13 of one colour and 12 of the other" in out
    assert "Schwenk 1991" in out
    assert status(["solve", "4x4", "--backend", "cpsat", "--json"]) == 20
    assert json.loads(capsys.readouterr().out)["refutation"]["kind"] == "claimed"


@pytest.mark.usefixtures("reading_takes_no_time")
def test_unknown_at_the_time_limit_is_exit_status_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["solve", "9x9", "--closed", "--backend", "dfs", "-O", "prune=none", "--time-limit", "0.2"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "unknown" in err
    assert "positions" in err


def test_no_backtrack_stops_at_the_dead_end(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["-O", "order=fixed:12345678", "-O", "prune=none", "-O", "backtrack=false"]
    call = ["solve", "8x8", "--backend", "dfs", *options, "--start", "5,4"]
    assert status(call) == 3
    assert "dead end after 60 squares" in capsys.readouterr().err


@pytest.mark.parametrize("suffix", [".svg", ".png", ".txt", ".json"])
def test_a_tour_is_written_by_suffix(suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"tour{suffix}"
    assert status(["solve", "6x6", "--closed", "-o", str(path)]) == 0
    assert path.stat().st_size > 100
    assert capsys.readouterr().out == ""
    assert list(tmp_path.iterdir()) == [path]


def test_a_graph_is_solved_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    six = tmp_path / "six.edges"
    six.write_text("A -> B\nA -> D\nB -> C\nB -> D\nD -> E\nE -> F\nF -> C\n")
    assert status(["solve", str(six), "--start", "A", "--backend", "dfs", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tour"] == ["A", "B", "D", "E", "F", "C"]
    assert status(["solve", str(six), "--backend", "sat", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tour"] == ["A", "B", "D", "E", "F", "C"]
    assert status(["solve", str(six), "--backend", "construct"]) == 2
    assert "does not take directed graphs" in capsys.readouterr().err
    assert status(["solve", str(six), "--start", "B"]) == 20
    assert "condition: A can't be entered" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            "sat:lfsr",
            ["shift register", "Johnson 2014", "gives: one tour, all tours, a formula", "colours=true | false"],
        ),
        ("auto", ["given  ", "numbers, dfs, sat:onehot, cpsat:positions"]),
        ("cpsat --json", ['"takes": ["directed graphs", "symmetric tours"]']),
        ("py:cpsat_tour.models.lfsr:Lfsr", ["py:cpsat_tour.models.lfsr:Lfsr: a class of your own\n"]),
        *((name, [f"{name}: ", "takes: "]) for name in names() if not missing(name)),
        ("--json", [f'"{name}": {{' for name in names()]),
    ],
)
def test_backends_tells_all_of_one(call: str, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["backends", *call.split()]) == 0
    out = capsys.readouterr().out
    assert [word for word in words if word not in out] == []
    assert len(out) > 200


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("so", "solve"),
        ("compare r", "run"),
        ("solve 8x8 --backend sat:l", "sat:lazy"),
        ("solve 8x8 --backend sat:lfsr -O col", "colours=true"),
        ("tours 8x8 -O back", "backtrack=true"),
        ("solve 8x8 -O pa", "parts="),
        ("count 8x8 -O pa", None),
        ("compare agree --backend cps", "cpsat"),
        ("backends as", "asp"),
    ],
)
def test_shells_complete_commands_backends_and_their_options(line: str, completed: str | None) -> None:
    from click.shell_completion import BashComplete

    *arguments, begun = line.split()
    found = BashComplete(cli, {}, "cpsat-tour", "_CPSAT_TOUR_COMPLETE").get_completions(arguments, begun)
    values = [item.value for item in found]
    assert completed in values or (completed is None and not values)


def test_a_hyphen_is_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert status(["solve", "5x6", "-o", "-"]) == 0
    printed = capsys.readouterr().out
    assert status(["solve", "5x6"]) == 0
    assert capsys.readouterr().out == printed != ""
    assert list(tmp_path.iterdir()) == []


def test_quiet_is_for_messages_and_not_for_errors(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["solve", "5x6", "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    assert status(["solve", "5x6", "-q", "--start", "z9"]) == 2
    assert "z9" in capsys.readouterr().err
    assert status(["solve", "5x6"]) == 0
    assert "open tour" in capsys.readouterr().err


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys; from cpsat_tour.cli.main import status; status(['--help']);"
        "print([name for name in ('numpy', 'ortools', 'pysat', 'numba', 'rich') if name in sys.modules], "
        "file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "solve" in run.stdout
    assert run.stderr.strip() == "[]"


def test_output_that_is_not_utf_8_has_escapes() -> None:
    call = [sys.executable, "-m", "cpsat_tour", "count", "5x5", "--estimate", "--samples", "100"]
    run = subprocess.run(call, capture_output=True, check=False, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert run.returncode == 0
    assert rb" \xb1 " in run.stdout


@pytest.mark.parametrize(
    "command", ["solve 5x6 --json", "solve 5x6 --json-stream", "backends", "--help", "solve --help"]
)
def test_a_pipe_that_nobody_reads_is_no_fault(command: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run(
        [sys.executable, "-m", "cpsat_tour", *command.split()], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (run.returncode, run.stderr) == (0, b"")


LONG_RUNS = {
    "dfs": ["solve", "7x7", "--closed", "--backend", "dfs", "-O", "prune=none"],
    "cpsat": ["solve", "90x90", "--closed", "--backend", "cpsat"],
    "sat": ["solve", "9x9", "--closed", "--backend", "sat"],
    "sat:lazy": ["solve", "9x9", "--closed", "--backend", "sat:lazy"],
}


@pytest.mark.parametrize(
    ("backend", "number"), [*((name, signal.SIGINT) for name in LONG_RUNS), ("dfs", signal.SIGTERM)]
)
def test_a_signal_ends_a_run_with_its_status_and_what_is_known(backend: str, number: signal.Signals) -> None:
    """The signal is sent when the first event has come, so the search is under way."""
    call = [sys.executable, "-m", "cpsat_tour", *LONG_RUNS[backend], "--json-stream"]
    with subprocess.Popen(
        call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONUNBUFFERED": "1"}
    ) as run:
        assert run.stdout is not None
        assert json.loads(run.stdout.readline())["event"]
        run.send_signal(number)
        out, err = run.communicate(timeout=300)
    assert run.returncode == 128 + number
    assert "Traceback" not in err
    assert "; interrupted (" in err
    assert json.loads(out.splitlines()[-1])["status"] == "unknown"


def test_ctrl_c_in_a_destructor_is_not_lost() -> None:
    call = [sys.executable, "-m", "cpsat_tour", "solve", "5x5", "--backend", "py:broken_backends:InterruptsADestructor"]
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(call, capture_output=True, text=True, check=False, env=paths, timeout=300)
    assert ended.returncode == 130
    assert "; interrupted (" in ended.stderr


LOADING = """
import os, signal, sys
from importlib.abc import MetaPathFinder

class Interrupts(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "cpsat_tour.cli.main":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
from cpsat_tour.__main__ import main
main()
"""


def test_ctrl_c_while_the_command_line_is_loaded_leaves_no_traceback() -> None:
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run([sys.executable, "-c", LOADING], capture_output=True, check=False, env=paths)
    assert (ended.returncode, ended.stderr) == (130, b"")


@pytest.mark.parametrize(
    "fault",
    [RuntimeError("Error calling __set_name__"), BadInput("can't load the backend class: initialization failed")],
)
def test_ctrl_c_while_a_module_or_a_class_is_made_is_no_fault(
    fault: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def load(*_: object) -> None:
        try:
            raise ImportError("initialization failed") from KeyboardInterrupt()
        except ImportError as behind:
            raise fault from behind

    monkeypatch.setattr("cpsat_tour.backends.registry.load", load)
    assert status(["solve", "5x5", "--backend", "dfs"]) == 130
    assert capsys.readouterr().err == "cpsat-tour: interrupted\n"


def test_a_full_disk_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", no_space)
    assert status(["solve", "6x6", "--closed", "-o", str(tmp_path / "tour.svg")]) == 2
    out, err = capsys.readouterr()
    assert "36" in out
    assert "no space left on device" in err
    assert list(tmp_path.iterdir()) == []
