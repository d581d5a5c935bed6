"""``compare agree``: its verdicts, the evidence for a ``none``, and the printed matrix."""

from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import Command, Printed

from cpsat_tour import Board, Problem, run
from cpsat_tour.cli.compare import study_keys
from cpsat_tour.compare.agree import cell_words, count_verdicts, decided_by_theorem, judge, questions_to_certify
from cpsat_tour.compare.perform import perform
from cpsat_tour.compare.record import (
    CERTIFIED,
    BoardQuestion,
    Job,
    RecordedRun,
    Results,
    Status,
    load,
    problem_of,
)
from cpsat_tour.compare.study import study_of
from cpsat_tour.core.errors import BadInput
from cpsat_tour.engines.registry import load as load_backend


def said(
    backend: str,
    status: Status,
    refutation: str | None = None,
    board: str = "5x5",
    kind: str = "open",
) -> RecordedRun:
    """A run with this outcome."""
    return RecordedRun(backend, board, kind, status=status, refutation=refutation)


CLAIM = said("sat", "none", "claimed", kind="closed")

VERDICTS: list[tuple[list[RecordedRun], str]] = [
    # a verified tour stands against every none
    *(([said("a", "tour"), said("b", "none", kind)], "tour DISAGREE") for kind in ("exhausted", "condition", "lp")),
    ([said("b", "none", "claimed", "cubic(10,1)"), said("a", "tour", board="cubic(10,1)")], "DISAGREE tour"),
    # so does a theorem, which may say that there is none
    ([said("a", "none", "exhausted"), said("b", "none", "exhausted")], "DISAGREE DISAGREE"),
    ([said("a", "tour", kind="closed")], "DISAGREE"),
    ([said("dfs", "none", "exhausted", board="4x4")], "none"),
    # a claim counts as none only if another run backs it
    ([CLAIM], "claimed"),
    ([CLAIM, said("dfs", "unknown", kind="closed")], "claimed unknown"),
    *(([CLAIM, said("dfs", "none", kind, kind="closed")], "none none") for kind in ("exhausted", "condition")),
    ([CLAIM, said("dfs order=pohl", "none", "exhausted", kind="closed")], "none none"),
    ([CLAIM, said(CERTIFIED, "none", "lp", kind="closed")], "none none"),
    ([CLAIM, said("dfs", "none", "exhausted", board="7x7", kind="closed")], "claimed none"),
    ([CLAIM, said("other", "none", "lp", kind="closed")], "claimed claimed"),
    ([CLAIM, said("py:somewhere:Class", "none", "exhausted", kind="closed")], "claimed claimed"),
    ([CLAIM, said("a-plug-in", "none", "exhausted", kind="closed")], "claimed claimed"),
]  # fmt: skip


@pytest.mark.parametrize(("runs", "verdicts"), VERDICTS)
def test_runs_are_judged_by_tours_theorems_and_evidence(runs: list[RecordedRun], verdicts: str) -> None:
    assert [entry.verdict for entry in judge(runs)] == verdicts.split()


def test_claims_that_nobody_disputes_need_a_certificate() -> None:
    assert questions_to_certify(judge([CLAIM, said("dfs", "none", "exhausted", kind="closed")])) == [
        BoardQuestion("5x5", "closed")
    ]
    assert questions_to_certify(judge([said("sat", "none", "claimed"), said("dfs", "tour")])) == []


@pytest.mark.parametrize(
    ("question", "known"),
    [
        (("5x5", "open"), True), (("4x4", "open"), False), (("6x6", "closed"), True),
        (("some.hcp", "closed"), None), (("GP(11,2)", "closed"), False), (("GP(12,2)", "closed"), True),
        (("GP(11,2)", "open"), None), (("cubic(10,1)", "closed"), None),
        (("6x6", "closed rot90"), None), (("8x8", "closed rot90"), False), (("5x5", "closed rot90"), False),
    ],
)  # fmt: skip
def test_theorems_decide_some_questions(question: tuple[str, ...], known: bool | None) -> None:
    assert decided_by_theorem(BoardQuestion(*question)) is known


def test_a_kind_may_name_a_symmetry(tmp_path: Path) -> None:
    problem = problem_of(BoardQuestion("6x7", "closed rot180-bergholtian"))
    assert problem.symmetry is not None
    assert problem.symmetry.turning == "over"
    made = perform(Job("sat", "6x6", "closed rot90", time_limit=300))
    assert made.status == "tour"
    path = tmp_path / "runs.jsonl"
    with Results(path, resume=False) as results:
        results.append(made)
    assert load(path) == [made]
    for kind in ("closed spin", "closed ", "shut", "closed rot90 any"):
        with pytest.raises(BadInput, match="is not a kind of tour: write open, closed, or one of them and a symmetry"):
            study_of("kinds", {"boards": ["6x6"], "backends": ["dfs"], "kinds": [kind]})
    for kinds, asked in (["closed"], ["closed rot90"]), ([], ["open rot90", "closed rot90"]):
        args = SimpleNamespace(kinds=kinds, closed=False, symmetry="rot90")
        assert study_keys(args, ["6x6"])["kinds"] == asked


def test_a_cell_shows_a_disagreement_first_and_counts_the_other_runs() -> None:
    runs = [said("a", "tour"), said("b", "none", "exhausted"), said("c", "unknown"), said("d", "timeout")]
    assert cell_words(count_verdicts(judge(runs))["open", "5x5"]).plain == "DISAGREE 1+3"
    assert cell_words(count_verdicts(judge([runs[0], runs[2]]))["open", "5x5"]).plain == "tour 1+1"


def test_a_claim_is_proved_and_the_certificate_checked() -> None:
    run = perform(Job(CERTIFIED, "4x4", "closed", time_limit=300))
    assert run.status == "none"
    assert run.refutation in ("lp", "clausal")
    assert run.reason is not None
    assert "checked" in run.reason
    assert perform(Job(CERTIFIED, "6x6", "closed", time_limit=300)).status == "tour"


def agree(command: Command, asked: str, *broken: str, status: int = 0) -> Printed:
    """What ``compare agree`` prints for these backends of `broken_backends` and others."""
    backends = " ".join(f"--backend py:broken_backends:{name}" for name in broken)
    return command(f"compare agree {asked} {backends}", status)


def test_agree_from_end_to_end(command: Command) -> None:
    """An honest backend and one that claims where there is no tour: a certificate backs the claim."""
    out, err = agree(command, "3x5 1..2x4 --backend dfs", "Claims")
    for words in ("open tours", "closed tours", "none 3", "certificate"):
        assert words in out
    assert "no disagreement" in err


def test_a_comparison_of_nothing_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    (tmp_path / "directed.edges").write_text("A -> B\nB -> C\nC -> A\n")
    nothing = agree(command, f"{tmp_path / 'directed.edges'} --backend construct --time-limit 300", status=2)
    late = agree(command, "5x5 --kind open --time-limit 0.1", "Hangs", status=3)
    assert all("nothing was compared" in printed.err for printed in (nothing, late))
    monkeypatch.setattr("cpsat_tour.engines.registry.missing_modules", lambda _: ["ortools"])
    assert "nothing can be compared" in agree(command, "3x4", status=2).err


def test_agree_finds_broken_backends_and_goes_on(command: Command) -> None:
    asked = "5x5 3x4 --kind open --time-limit 60"
    out, err = agree(command, asked, "Honest", "WrongTour", "FalseNone", "Crashes", "Raises", status=1)
    assert "DISAGREE 1+4" in out
    assert "tour 5" in out
    for words in ("DISAGREE: py:broken_backends:WrongTour", "DISAGREE: py:broken_backends:FalseNone", "crash: py:"):
        assert words in out
    assert (
        "10 runs of 5 backends on 2 questions: 2 disagreements, but 2 runs crashed or gave no answer: "
        "py:broken_backends:Crashes, "
    ) in err


def test_a_backend_that_raises_is_named_at_the_end(command: Command) -> None:
    """Also if there is no disagreement, and if no other run came to an answer."""
    asked = "5x5 --kind open --time-limit 300"
    crash = "but one run crashed: py:broken_backends:Raises, open 5x5: ZeroDivisionError: a tour of no squares\n"
    both = agree(command, asked, "Raises", "Honest", status=1).err
    assert f"2 runs of 2 backends on 1 question: no disagreement, {crash}" in both
    alone = agree(command, asked, "Raises", status=1).err
    assert f"nothing was compared: none of 1 run reached an answer, {crash}" in alone


def test_agree_on_a_board_and_on_a_graph_file(tmp_path: Path, command: Command) -> None:
    graph = tmp_path / "triangle.edges"
    graph.write_text("x y\ny z\nz x\n")
    out = agree(command, f"3x4 {graph} --backend dfs --backend edges --kind open").out
    assert "tour 2" in out
    assert "triangle.edges: tour 2" in out


@pytest.mark.slow
def test_backends_agree_on_small_boards(command: Command) -> None:
    """All of them on every board up to 8x8."""
    assert "no disagreement" in command("compare agree").err


@pytest.mark.slow
def test_backends_agree_on_every_start_square() -> None:
    """Three families on boards up to 5x5."""
    for rows, cols, closed in product(range(1, 6), range(1, 6), (False, True)):
        for start in range(rows * cols):
            problem = Problem(Board(rows, cols).graph, closed, start)
            statuses = {run(problem, load_backend(name)).status for name in ("dfs", "cpsat", "sat")}
            assert len(statuses) == 1, (rows, cols, closed, start)
