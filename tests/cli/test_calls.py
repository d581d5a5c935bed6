"""Commands, their exit statuses, and words of what they print."""

from pathlib import Path

import pytest
from commands import Command

BROKEN = Path(__file__).parents[1] / "support" / "broken_backends.py"
RAISED = 1 + BROKEN.read_text().split("raise ZeroDivisionError")[0].count("\n")
"""The line of the plug-in that raises an error."""

HOLED = "2x3x3 --hole b2.2 --hole b1.2"

CALLS: list[tuple[str, int, str, str]] = [
    ("solve 5x5 --closed", 20,
     "There is no closed tour of the 5x5 board.\ncondition: every move changes colour, and the 25 squares are 13 "
     "dark and 12 light: a closed tour visits equally many of both.\nSchwenk 1991: ", ""),
    ("solve torus:1x3 --closed -o -", 0, "   a b c\n1  1 2 3  1\n   a b c\n", "by"),
    ("solve 4x4 --backend cpsat --json", 20, '"kind": "claimed"', ""),
    ("solve 8x8 --backend dfs -O order=fixed:12345678 -O prune=none -O backtrack=false --start 5,4", 3, "",
     "dead end after 60 squares"),
    ("solve 4x8 --closed --backend construct -o {0}/tour.npy", 3, "", "Schwenk 1991"),
    ("solve 99x99 --closed --backend construct -o {0}/tour.npy", 3, "", "both sides are odd"),
    ("solve 6x7 --closed --symmetry rot180-eulerian", 0, "",
     "Eulerian closed tour of the 6x7 board with symmetry rot180-eulerian"),
    ("solve 6x6 --closed --at a1=1 --at b2=2", 20, "1 move can't lead from a1, number 1, to b2", ""),
    ("solve 2x3x4 --closed --json", 0, '"tour": [[', ""),
    ("solve 4x4x3 --closed --start a1.1 --require a1.1-b3.1 -o {0}/tour.png", 0, "", "wrote"),
    ("solve mobius:3x5 --closed -o {0}/tour.png", 0, "", "wrote"),
    ("solve klein:4 --hole a1 --hole b1 --leaper 0,1 -o {0}/tour.gif", 0, "", "wrote"),
    ("solve torus:1x3 --closed", 0, "   a b c\n1  1 2 3  1\n   a b c\n", ""),
    ("solve 5x5 --backend py:broken_backends:Raises", 1, "",
     f"broken_backends.py, line {RAISED}: ZeroDivisionError: a tour of no squares\n"),
    ("solve Torus:3X3 --closed", 0, "", "closed tour of the 3x3 torus"),
    ("tours 3x4 -n 1", 0, "", "1 open tour of"),
    ("tours 3x4 -n 2", 0, "", "2 open tours of"),
    ("tours 3x4 -n 1 -o -", 0, "", "1 open tour of"),
    ("tours 6x6 --closed --symmetry rot90 --all --distinct --json", 0, '"distinct": true', ""),
    (f"tours {HOLED} --closed --all --distinct --json", 0, '"distinct": true', ""),
    ("tours torus:3x3 --closed --all --distinct --json", 0, '"distinct": true', ""),
    ("count 1x1", 0, "1\n", "open tour of the 1x1"),
    (f"count {HOLED}", 0, "5152\n", ""),
    ("count 6x7 --closed --symmetry axial", 0, "530\n", ""),
    ("count 8x8 --closed --estimate --samples 5000", 0, "±", "unreliable"),
    ("count 5x5 --estimate --samples 1000", 0, "±", "effective sample size"),
    ("count 60x60 --estimate --samples 2", 3, "unknown\n", "nothing is known"),
    (f"trace {HOLED} --closed", 0, "", ""),
    ("trace klein:3x3 --closed", 0, "tour found", ""),
    (f"export {HOLED} --closed --backend sat", 0, "p cnf", ""),
    ("export 6x6 --closed --symmetry rot180 --backend sat -o {0}/formula.opb", 0, "", "wrote"),
    ("export torus:5x5 --closed --backend sat", 0, "p cnf", ""),
    ("backends sat 4x4x3 --closed", 0, "4x4x3", ""),
    ("prove 1x1+2 --closed", 0, "Vertex *1 has only the move a1-*1", ""),
    ("prove 3x3x3 --closed", 0, "DeMaio & Mathew 2011", ""),
    ("prove cylinder:4x6 --closed", 0, "Watkins 2000", ""),
    ("decompose torus:3x4 -o {0}/tours.png", 0, "", "closed tours with all moves of the 3x4 torus"),
    ("decompose Z(3,2)", 0, "0,0 ", "2 closed tours with all moves of the directed graph Z(3,2)"),
    ("decompose 8x8", 20, "There is no decomposition into closed tours of the 8x8 board.\ncondition: a8 has 2", ""),
    ("decompose 8x8 --most", 0, "a8 c7", "there are no more (condition: a8 has 2 moves"),
    ("decompose 5x5 --most", 20, "There is no closed tour of the 5x5 board.\ncondition: ", ""),
    ("best 4x4 --closed --minimize paths --certificate proof", 3, "4 closed tours, the fewest (claimed",
     "Nothing is written to proof: only the fewest paths, and the longest route in an undirected graph"),
    ("decompose Z(6,4) --time-limit 0.01", 3, "", "Stopped at the time limit"),
    ("best 5x6 --closed --minimize turns", 0,
     "28 turns, the fewest, which 2 tours attain (exhausted: all 8 tours were listed", ""),
    ("best 3x3 --maximize crossings", 20, "There is no open tour of the 3x3 board", ""),
    ("best 1x1 --minimize turns", 0, "0 turns, the fewest, which 1 tour attains", ""),
    ("best 5x5 --closed --minimize turns", 20, "condition: ", ""),
    ("best 100x100 --leaper 1000,1200 --minimize crossings", 20, "no move at all", ""),
    *((f"best {asked} --minimize turns --backend {way}", 20, "\ncondition: ", "")
      for way in ("edges", "cpsat:lazy", "bounds")
      for asked in (
          "5x6 --closed --symmetry axial-cols --start b4 --require d4-b3 --require d4-c2 --forbid c4-e3",
          "3x3 --leaper 0,1 --symmetry rot90 --start c3 --forbid b3-c3",
      )),
    ("puzzle 4x4 --closed", 20, "There is no closed tour of the 4x4 board.", ""),
    ("solve 5x5 --moves wazir", 0, "", "open tour of the 5x5 board by a wazir (0,1) by"),
    ("prove 3x3 --moves alfil", 0, "open tour of the 3x3 board by an alfil (2,2).", ""),
    ("count Q(3)", 0, "72\n", "open tours of the graph Q(3) (frontier, "),
]  # fmt: skip

LIMITS: list[tuple[str, str]] = [
    ("solve 9x9 --closed --backend dfs -O prune=none --time-limit 0.2", "unknown"),
    ("count 6x7 --memory 0.0001 --time-limit 1", "so the tours are listed"),
    ("best 20x20 --closed --minimize turns --time-limit 0.2 --backend cpsat:lazy", ""),
    ("puzzle 12x12 --time-limit 0.01", "Stopped at the time limit before a puzzle was found"),
]
"""Calls that end at their limit, and words of what is said then."""


@pytest.mark.parametrize(("call", "status", "out", "err"), CALLS, ids=[call for call, *_ in CALLS])
def test_a_call_has_its_status_and_says_these_words(
    call: str, status: int, out: str, err: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = command(call.format(tmp_path), status)
    assert out in printed.out
    assert err in printed.err
    assert "GiB" not in printed.err  # nothing here needs much
    assert not (tmp_path / "-").exists()


@pytest.mark.usefixtures("reading_takes_no_time")
@pytest.mark.parametrize(("call", "words"), LIMITS)
def test_a_limit_is_status_3(call: str, words: str, tmp_path: Path, command: Command) -> None:
    assert words in command(call.format(tmp_path), 3).err
