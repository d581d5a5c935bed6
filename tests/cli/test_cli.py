"""The command line: what it prints where, and its exit statuses."""

import ast
import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from commands import Command

from cpsat_tour import BackendFault, BadInput, Board, Problem, StoppedEarly, __version__, cli as cli_room, verify
from cpsat_tour.cli import main
from cpsat_tour.cli.main import cli
from cpsat_tour.engines.registry import missing_modules, names
from cpsat_tour.engines.runner import Listing

BROKEN = {
    "syntax": "class Odd(:",
    "division": "1 / 0",
    "lines": "raise RuntimeError('no\\nlicence')",
    "exit": "raise SystemExit(0)",
    "library": "import odd_library",
    "made": "class Odd:\n    takes = solve = frozenset()\n    def __init__(self): raise OSError('no\\nlicence')",
}
"""Modules with the class of a backend that can't be loaded."""


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("plugin", [False, True], ids=["py", "plug-in"])
def test_a_backend_that_can_not_be_loaded_is_one_sentence(
    name: str, plugin: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    module = f"odd_{name}_{plugin}"
    (tmp_path / f"{module}.py").write_text(BROKEN[name])
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("cpsat_tour.engines.registry._plugin_targets", lambda: {"odd": f"{module}:Odd"})
    told = command(f"solve 5x5 --backend {'odd' if plugin else f'py:{module}:Odd'}", 2)
    assert f"can't load the backend class '{module}:Odd'" in told.err
    assert (told.out, told.err.count("\n")) == ("", 1)


@pytest.mark.parametrize("backend", ["dfs", "cpsat", "sat", "sat:lazy", "auto"])
def test_solve_prints_the_board_and_nothing_else_on_stdout(backend: str, command: Command) -> None:
    out, err = command(f"solve 6x6 --closed --backend {backend}")
    assert sorted(int(word) for word in out.split() if word.isdigit() and int(word) > 6) == list(range(7, 37))
    assert "closed tour of the 6x6 board by " + backend in err


@pytest.mark.parametrize("holes", [(), ("a1", "a2")], ids=["whole", "holes"])
def test_json_holds_a_tour_that_verifies(holes: tuple[str, ...], command: Command) -> None:
    answer = json.loads(command(f"solve 5x6 --closed --start c3 --json {' '.join(map('--hole={}'.format, holes))}").out)
    board = Board(5, 6, holes=holes)
    tour = [board.vertex((row, col)) for row, col in answer["tour"]]
    verify(Problem(board.graph, True, start=board.vertex("c3")), tour)
    assert answer["problem"] | {"rows": 5, "cols": 6, "start": [2, 2]} == answer["problem"]
    assert (len(answer["problem"]["holes"]), answer["status"], answer["refutation"]) == (len(holes), "tour", None)


def test_a_graph_is_solved_by_name(tmp_path: Path, command: Command) -> None:
    six = tmp_path / "six.edges"
    six.write_text("A -> B\nA -> D\nB -> C\nB -> D\nD -> E\nE -> F\nF -> C\n")
    for asked in ("--start A --backend dfs", "--backend sat"):
        assert json.loads(command(f"solve {six} {asked} --json").out)["tour"] == ["A", "B", "D", "E", "F", "C"]
    assert "does not take directed graphs" in command(f"solve {six} --backend construct", 2).err
    assert "condition: A can't be entered" in command(f"solve {six} --start B", 20).out


def test_the_size_of_a_formula_depends_on_its_options(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.status(["backends", "milp:mtz lifted=true", "8x8"]) == 0
    assert capsys.readouterr().out.startswith("milp:mtz lifted=true on 8x8, open tours: 528 variables, 716 constraints")
    assert " clauses, " in command("backends sat 8x8").out


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            "sat:lfsr",
            ["shift register", "Johnson 2014", "gives: one tour, all tours, a formula", "colours=true | false"],
        ),
        ("auto", ["given  ", "numbers, dfs, sat:onehot, cpsat:positions"]),
        ("cpsat --json", ['"takes": ["directed graphs", "symmetric tours", "waypoints"]']),
        ("py:cpsat_tour.models.lfsr:Lfsr", ["py:cpsat_tour.models.lfsr:Lfsr: a class of your own\n"]),
        *((name, [f"{name}: ", "takes: "]) for name in names() if not missing_modules(name)),
        ("--json", [f'"{name}": {{' for name in names()]),
    ],
)
def test_the_command_backends_describes_one_backend(call: str, words: list[str], command: Command) -> None:
    out = command(f"backends {call}").out
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


def test_the_program_alone_shows_commands_that_work(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    title, *rows, help_line = command("").out.splitlines()
    assert __version__ in title
    calls = [row.split("  ")[1].removeprefix("cpsat-tour ") for row in rows if row]
    assert [call.split()[0] for call in calls] == ["solve", "prove", "check", "count", "watch"]
    for call in calls[:-1]:
        assert command(call).out
    assert "--help" in help_line
    assert max(map(len, (title, *rows, help_line))) < 80
    assert command("compare").out == command("compare --help").out


def test_quiet_hides_messages_but_not_errors(command: Command) -> None:
    assert command("solve 5x6 --quiet").err == ""
    assert "z9" in command("solve 5x6 -q --start z9", 2).err
    assert "open tour" in command("solve 5x6").err


NOT_LOADED = {
    "import cpsat_tour": "numpy ortools cpsat_tour.core.graph cpsat_tour.spaces cpsat_tour.engines",
    "import cpsat_tour; cpsat_tour.read_graph('a.edges')": "networkx ortools pysat",
    **{
        f"from cpsat_tour.cli.main import status; status('{call}'.split())": modules
        for call, modules in (
            ("--help", "numpy ortools pysat rich"),
            ("watch --help", "starlette"),
            ("solve 8x8 --closed", "ortools networkx scipy matplotlib"),
            ("solve 8x8 --closed -o tour.npy", "ortools"),
            ("prove 5x5 --closed -o proof", "ortools pysat"),
        )
    },
}


@pytest.mark.parametrize("program", NOT_LOADED)
def test_heavy_modules_are_not_loaded_if_they_are_not_used(program: str, tmp_path: Path) -> None:
    (tmp_path / "a.edges").write_text("a b\nb c\n")
    unused = set(NOT_LOADED[program].split())
    call = [sys.executable, "-c", f"import sys; {program}; assert not {unused} & sys.modules.keys()"]
    subprocess.run(call, cwd=tmp_path, stdout=subprocess.DEVNULL, check=True)


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
    "solve 7x7 --closed --backend dfs -O prune=none": ("status", "unknown"),
    "solve 90x90 --closed --backend cpsat": ("status", "unknown"),
    "solve 9x9 --closed --backend sat": ("status", "unknown"),
    "solve 9x9 --closed --backend sat:lazy": ("status", "unknown"),
    "trace 7x7 --closed -O prune=none": ("by", "interrupt"),
    **{
        f"tours 8x8 --closed --all --backend {name} -o tours.npy": ("stopped_by", "interrupt")
        for name in ("dfs", "sat", "cpsat")
    },
}
"""Commands, and what the last line of their JSON says when Ctrl-C has ended them."""


@pytest.mark.parametrize(
    ("call", "number"),
    [
        *((call, signal.SIGINT) for call in LONG_RUNS),
        (next(iter(LONG_RUNS)), signal.SIGTERM),
        (next(call for call in LONG_RUNS if "dfs -o" in call), signal.SIGHUP),
    ],
)
def test_a_signal_ends_a_run_with_its_status_and_what_is_known(
    call: str, number: signal.Signals, tmp_path: Path
) -> None:
    """The signal is sent when the first events have come, so the search is under way."""
    with subprocess.Popen(
        [sys.executable, "-m", "cpsat_tour", *call.split(), "--json-stream"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    ) as run:
        assert run.stdout is not None
        for _ in range(1 if call.startswith("solve") else 100):
            assert json.loads(run.stdout.readline())["event"]
        run.send_signal(number)
        out, err = run.communicate(timeout=300)
    key, value = LONG_RUNS[call]
    last = json.loads(out.splitlines()[-1])
    assert (run.returncode, last[key]) == (128 + number, value)
    assert "Traceback" not in err
    assert "Interrupted" in err or call.startswith("trace")
    if call.startswith("tours"):
        assert last["count"] == len(np.load(tmp_path / "tours.npy")) > 50


def test_a_terminal_that_is_closed_leaves_the_results(tmp_path: Path) -> None:
    """Nothing can be said any more, on the terminal that was there."""
    ours, theirs = pty.openpty()

    def begin_session() -> None:
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    call = "tours 8x8 --closed --all --backend dfs -o tours.json --json-stream"
    with subprocess.Popen(
        [sys.executable, "-m", "cpsat_tour", *call.split()],
        cwd=tmp_path,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        preexec_fn=begin_session,  # noqa: PLW1509
    ) as run:
        os.close(theirs)
        assert run.stdout is not None
        printed = b""
        while printed.count(b"\n") < 10:
            ready, _, _ = select.select([run.stdout.fileno(), ours], [], [], 120)
            assert ready
            read = {descriptor: os.read(descriptor, 1 << 16) for descriptor in ready}
            printed += read.get(run.stdout.fileno(), b"")
        os.close(ours)
        run.communicate(timeout=300)
    assert run.returncode == 128 + signal.SIGHUP
    assert os.listdir(tmp_path) == ["tours.json"]
    saved = json.loads((tmp_path / "tours.json").read_text())
    assert 0 < saved["count"] <= len(saved["tours"])


@pytest.mark.parametrize(
    ("stop", "status"), [(StoppedEarly("time"), 3), (KeyboardInterrupt(), 130), (BackendFault("broken"), 1), (None, 0)]
)
@pytest.mark.parametrize("name", ["tours.json", "tours.npy"])
def test_a_file_is_replaced_only_by_a_result(
    stop: BaseException | None,
    status: int,
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: Command,
) -> None:
    """That a board has no tours is one."""

    class Stopped(Listing):
        def __iter__(self) -> Iterator[Any]:
            if stop is not None:
                raise stop
            return super().__iter__()

    monkeypatch.setattr("cpsat_tour.cli.tours.Listing", Stopped)
    path = tmp_path / name
    for place in (path, Path(f"{path}.json")):
        place.write_text("old")
    told = command(f"tours 4x4 --closed --all --backend dfs -o {path} --force", status)
    assert (path.read_bytes() != b"old") == (stop is None)
    assert ("so nothing is written to" in told.err) == (status in (3, 130))
    assert sorted(os.listdir(tmp_path)) == [name, f"{name}.json"]


@pytest.mark.parametrize("name", ["\x1b]0;a\x07.edges", "\x9b2J\u202e", "a\nb\r"])
@pytest.mark.parametrize(
    "call", ["solve", "check", "verify", "draw -o a.svg", "filter", "decode f.cnf", "compare report"]
)
def test_nothing_that_others_wrote_commands_the_terminal(
    call: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.status([*call.split(), name]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.rstrip("\n").replace("a\nb", "").isprintable()
    assert "\\x1b]0;a\\x07" in told.err or "\\x9b2J\\u202e" in told.err or "b\\r" in told.err


def test_words_are_printed_in_one_place() -> None:
    """`messages` escapes what a terminal would obey."""
    for path in Path(cli_room.__file__).parent.glob("*.py"):
        called = {
            ast.unparse(node.func) for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
        }
        if path.name != "messages.py":
            assert not called & {"print", "click.echo", "click.secho", "sys.stdout.write", "sys.stderr.write"}, path


def test_ctrl_c_in_a_destructor_is_not_lost() -> None:
    call = [sys.executable, "-m", "cpsat_tour", "solve", "5x5", "--backend", "py:broken_backends:InterruptsADestructor"]
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(call, capture_output=True, text=True, check=False, env=paths, timeout=300)
    assert ended.returncode == 130
    assert "Interrupted: whether there is " in ended.stderr


def test_ctrl_c_while_another_is_to_be_repeated_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first timer interrupts before it has begun, as one may where others keep the processor busy."""
    timer = Mock(side_effect=[Mock(start=Mock(side_effect=KeyboardInterrupt)), begun := Mock()])
    monkeypatch.setattr("threading.Timer", timer)
    dropped: Any = SimpleNamespace(exc_type=KeyboardInterrupt)
    main._interrupt_again(dropped)
    begun.start.assert_called_once_with()


LOADING = """
import os, signal, sys
from importlib.abc import MetaPathFinder

class Interrupts(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name not in ("cpsat_tour", "cpsat_tour.__main__", "signal"):
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupts())
from cpsat_tour.__main__ import main
main()
"""


def test_ctrl_c_while_the_command_line_is_loaded_leaves_no_traceback() -> None:
    """Nothing but these three modules is loaded before Ctrl-C is handled."""
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run([sys.executable, "-c", LOADING], capture_output=True, check=False, env=paths)
    assert (ended.returncode, ended.stderr) == (130, b"")


def test_garbage_is_collected_again_when_the_command_is_loaded() -> None:
    """What is loaded by then is not looked at."""
    at_exit = "atexit.register(lambda: print(gc.isenabled(), gc.get_freeze_count() > 10_000, file=sys.stderr))"
    program = f"import atexit, gc, sys; {at_exit}; from cpsat_tour.__main__ import main; main()"
    ended = subprocess.run([sys.executable, "-c", program, "backends"], capture_output=True, text=True, check=True)
    assert ended.stderr == "True True\n"


@pytest.mark.parametrize(
    "fault",
    [RuntimeError("Error calling __set_name__"), BadInput("can't load the backend class: initialization failed")],
)
def test_ctrl_c_while_a_module_or_a_class_is_made_is_no_fault(
    fault: Exception, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    def load(*_: object) -> None:
        try:
            raise ImportError("initialization failed") from KeyboardInterrupt()
        except ImportError as behind:
            raise fault from behind

    monkeypatch.setattr("cpsat_tour.engines.registry.load", load)
    assert command("solve 5x5 --backend dfs", 130).err == "cpsat-tour: interrupted\n"


def test_tours_that_a_slow_reader_took_before_ctrl_c_are_counted(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed: list[str] = []

    def write(text: str) -> None:
        if len(printed) == 2:
            raise KeyboardInterrupt
        printed.append(text)

    monkeypatch.setattr("cpsat_tour.cli.tours.write_at_once", write)
    assert "At least 2,000 closed tours of the 6x6 board" in command("tours 6x6 --closed --all", 130).err
    assert "".join(printed).count("\n\n") == 2000
