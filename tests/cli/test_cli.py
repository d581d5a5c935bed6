"""The command line: what it prints where, and its exit statuses."""

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
