"""Certificates as theorems for Rocq: the kernel accepts them, assumes nothing, and refuses what is changed."""

import csv
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cpsat_tour import BadInput, Board, Certificate, Graph, Problem, problem_of, prove
from cpsat_tour.core.space import Named
from cpsat_tour.proofs.write.prove import Method
from cpsat_tour.proofs.write.rocq import THEORY, theorem, theorem_name, theory

needs_rocq = pytest.mark.skipif(shutil.which("coqc") is None, reason="coqc is not installed: apt-get install coq")

STAR = Graph.from_edges(36, [(0, leaf) for leaf in range(1, 36)] + [(1, 2), (3, 4)])
ARCS = Graph.from_edges(4, [(0, 2), (1, 2), (2, 0), (2, 1), (2, 3), (3, 2)], directed=True)


def with_a_leaf(where: str) -> Problem:
    """Return the closed problem that forbids all moves of vertex 0 but one."""
    neighbours = problem_of(where).graph.neighbours(0)
    return problem_of(where, closed=True, forbid=[(0, int(vertex)) for vertex in neighbours[1:]])


CLAIMS: dict[str, tuple[Problem, Method]] = {
    "closed 5x5": (problem_of("5x5", closed=True), "auto"),
    "open 4x4": (problem_of("4x4"), "auto"),
    "closed 4x8": (problem_of("4x8", closed=True), "auto"),
    "closed 4x6 by clauses": (problem_of("4x6", closed=True), "sat"),
    "giraffe": (problem_of(Board(11, 11, leaper=(1, 4))), "auto"),
    "zebra": (problem_of(Board(6, 6, leaper=(2, 3))), "auto"),
    "wazir": (problem_of("0,1:3x5", closed=True), "auto"),
    "1,6 leaper": (problem_of(Board(8, 9, leaper=(1, 6)), closed=True), "auto"),
    "3,4 leaper": (problem_of(Board(7, 9, leaper=(3, 4))), "auto"),
    "holes": (problem_of(Board(5, 5, holes=["a1", "b1"]), closed=True), "auto"),
    "open 3x5 by clauses": (problem_of("3x5"), "sat"),
    "Petersen": (problem_of("Petersen", closed=True), "auto"),
    "GP(11,2)": (problem_of("GP(11,2)", closed=True), "auto"),
    "torus": (with_a_leaf("torus:4x5"), "auto"),
    "king": (with_a_leaf("king:3x3"), "auto"),
    "a vertex of degree 35 by clauses": (problem_of(STAR), "sat"),
    "directed": (problem_of(ARCS, closed=True), "auto"),
    "directed and open by clauses": (problem_of(ARCS), "sat"),
    "directed from an end": (problem_of(Graph.from_edges(3, [(0, 1), (1, 2)], directed=True), start=1), "auto"),
    "required moves": (problem_of("4x5", require=[("a1", "c2"), ("a1", "b3")], start="a1"), "auto"),
    "ends": (problem_of("5x5", start="a2", end="b1"), "sat"),
    "a closing move": (problem_of("5x6", closed=True, start="a1", end="b3", require=[("c1", "b3")]), "sat"),
}
"""Problems without a tour, each with the method of its proof."""


def certificate_of(problem: Problem, method: Method = "auto") -> Certificate:
    """Return the certificate that the problem has no tour."""
    found = prove(problem, method=method)
    assert isinstance(found, Certificate)
    return found


def text_of(certificate: Certificate) -> str:
    """Return the text of ``proof.v``."""
    return "\n".join(theorem(certificate.cycle, certificate.proof, certificate.formula))


def in_modules(texts: list[str]) -> str:
    """Return one file with the theorems of several, each in a module of its own, and the question what they assume."""
    bodies = []
    for number, text in enumerate(texts):
        body, _, name = text.partition("Open Scope Z_scope.\n")[2].rpartition("Print Assumptions ")
        bodies.append((f"Module Claim{number}.\n{body}\nEnd Claim{number}.\n", f"Claim{number}.{name.strip('.')}"))
    head = "Require Import Tours Steps Theorems.\nFrom Coq Require Import ZArith List.\nImport ListNotations.\n"
    modules, names = zip(*bodies, strict=True)
    asked = f"Definition all := ({', '.join(names)}).\nPrint Assumptions all.\n"
    return f"{head}Open Scope Z_scope.\n{''.join(modules)}{asked if len(names) > 1 else ''}"


def with_proof_that_fails(text: str) -> str:
    """Return the text of a theorem in which the evaluation of the checker has to fail."""
    text = re.sub(r"Proof\. (apply no_.*)\. Qed\.", r"Proof. Fail (\1). Abort.", text)
    text = text.replace("vm_compute. reflexivity.\nQed.", "vm_compute. Fail reflexivity.\nAbort.")
    return text.rpartition("Print Assumptions")[0]


Compile = Callable[[str], subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def coqc(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """Return a function that compiles a text beside the theory, which is compiled once."""
    folder = tmp_path_factory.mktemp("rocq")

    def run(name: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["coqc", name], cwd=folder, capture_output=True, text=True, timeout=600, check=False)

    for name, lines in theory().items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        assert (ended := run(name)).returncode == 0, ended.stderr

    def compiled(text: str) -> subprocess.CompletedProcess[str]:
        (folder / "proof.v").write_text(text, encoding="utf-8")
        return run("proof.v")

    return compiled


@needs_rocq
def test_the_kernel_accepts_each_theorem_and_it_assumes_nothing(coqc: Compile) -> None:
    texts = [text_of(certificate_of(*claim)) for claim in CLAIMS.values()]
    ended = coqc(in_modules(texts))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "Closed under the global context\n"
    ended = coqc(texts[0])
    assert ended.stdout == "Closed under the global context\n"


FORGERIES: dict[str, tuple[str, str, str]] = {
    "a multiplier": ("closed 5x5", r"\(12, 1\)", "(12, -1)"),
    "a multiplier left out": ("giraffe", r"\(0, 1\); ", ""),
    "a cut set with a vertex less": ("giraffe", r"\(1, \[0; 2;", "(1, [2;"),
    "a cut set of all vertices": (
        "closed 5x5",
        r"of_cut_sets := \[\]",
        f"of_cut_sets := [(1, [{'; '.join(map(str, range(25)))}])]",
    ),
    "a cut set with a negative multiplier": ("giraffe", r"of_cut_sets := \[\(1, \[0", "of_cut_sets := [(-1, [0"),
    "a larger board": ("closed 5x5", r"board 5 5 \[\]", "board 6 6 []"),
    "another leaper": ("giraffe", r"leaper 1 4", "leaper 1 2"),
    "a hole less": ("holes", r"\[\(4, 0\); \(4, 1\)\]", "[(4, 0)]"),
    "an edge more": ("Petersen", r"moves : list \(Z \* Z\) := \[", "moves : list (Z * Z) := [(0, 2); "),
    "a vertex less": ("Petersen", r"below 10(.*)graph false 10", r"below 9\1graph false 9"),
    "a lemma that does not follow": ("Petersen", r"Follows \[\(true, ([0-9]+)", r"Follows [(false, \1"),
    "a hint left out": ("Petersen", r"(Follows .*\[)[0-9]+%positive; ", r"\1"),
    "a clause that no row states": ("Petersen", r"Sum \[\(true, 1%positive\); ", "Sum ["),
    "an arc more": ("directed", r":= \[\(0, 2\)", ":= [(0, 3); (3, 1); (0, 2)"),
    "a required move less": ("required moves", r"\[\(6, 15\); (.*)\[\(6, 15\); ", r"[\1["),
}
"""Changes to a theorem's evidence or to what it says: which claim, a pattern, and what stands there instead."""


@needs_rocq
def test_the_kernel_refuses_every_forgery(coqc: Compile) -> None:
    forged = []
    for label, (claim, pattern, instead) in FORGERIES.items():
        text = text_of(certificate_of(*CLAIMS[claim]))
        changed = re.sub(pattern, instead, text, count=1, flags=re.DOTALL)
        assert changed != text, label
        forged.append(changed)
    modules = [
        f"Module Forgery{number}.\n{with_proof_that_fails(text).partition('Z_scope.')[2]}\nEnd Forgery{number}.\n"
        for number, text in enumerate(forged)
    ]
    head = forged[0].partition("Z_scope.")[0] + "Z_scope.\n"
    ended = coqc(head + "".join(modules))
    assert ended.returncode == 0, ended.stderr
    for claim in ("closed 5x5", "Petersen"):
        assert coqc(with_proof_that_fails(text_of(certificate_of(*CLAIMS[claim])))).returncode == 1


def test_the_theory_is_short_enough_to_be_read() -> None:
    lines = theory()
    assert list(lines) == [*THEORY]
    assert len(lines["Tours.v"]) <= 60
    assert not any(re.search(r"\b(Axiom|Parameter|Admitted|admit)\b", line) for name in THEORY for line in lines[name])


@pytest.mark.parametrize(
    ("problem", "name"),
    [
        (problem_of(Board(11, 11, leaper=(1, 4))), "no_open_tour_11x11_leaper_1_4"),
        (problem_of("GP(11,2)", closed=True), "no_closed_tour_GP_11_2"),
        (problem_of(STAR), "no_open_tour"),
    ],
)
def test_a_theorem_is_named_by_what_it_says(problem: Problem, name: str) -> None:
    assert theorem_name(problem) == name


def test_what_no_theorem_says_is_refused_before_the_proof(tmp_path: Path) -> None:
    for problem, word in ((problem_of("5x5", closed=True, symmetry="rot180"), "symmetric"), (problem_of("1x2"), "2")):
        with pytest.raises(BadInput, match=word):
            text_of(certificate_of(problem))
    with pytest.raises(BadInput, match="leave --rocq out"):
        prove("5x6", closed=True, counted=True).write(tmp_path / "proof", rocq=True)  # type: ignore[union-attr]


def test_names_of_vertices_cannot_leave_their_comment() -> None:
    names = ['*) Axiom wrong : False. (* "', "(*", '"', "d"]
    graph = Graph.from_edges(4, [(0, 1), (0, 2), (0, 3)], space=Named(names, "a graph"))
    comments = [
        line for line in text_of(certificate_of(problem_of(graph, closed=True))).splitlines() if "vertex" in line
    ]
    assert len(comments) == 4
    assert all(re.fullmatch(r"\(\* [^*\"]* \*\)", line) for line in comments)


@pytest.mark.slow
def test_every_sum_of_rows_of_the_atlas_to_20x20_is_a_theorem(coqc: Compile) -> None:
    with (Path(__file__).parents[2] / "lab" / "leapers.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["answer"] == "none" and row["reason"] == "lp"]
    texts = []
    for row in rows:
        board = Board.parse(row["board"], leaper=row["leaper"])
        if max(board.rows, board.cols) <= 20 and board.graph.order > 2:
            texts.append(text_of(certificate_of(problem_of(board, closed=row["kind"] == "closed"))))
    assert len(texts) > 2_000
    for first in range(0, len(texts), 200):
        some = texts[first : first + 200]
        ended = coqc(in_modules(some))
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout == "Closed under the global context\n"
