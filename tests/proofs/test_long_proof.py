"""A clausal proof of over 50,000 steps, and one of ten million made by hand: the checker's memory does not grow with
their length."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from certificate_samples import bowtie

from cpsat_tour.core.events import Event, Progress
from cpsat_tour.core.problem import Problem
from cpsat_tour.proofs.check.folder import check
from cpsat_tour.proofs.write.certificate import Certificate
from cpsat_tour.proofs.write.prove import prove
from cpsat_tour.spaces.board import Board

MORE_MEMORY = 32
"""Megabytes that the last nine tenths of the proof may take; the process itself, with Numba, takes some 160."""


def resident_megabytes() -> int:
    """The memory of this process as the kernel counts it."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) // 1024


@pytest.mark.slow
def test_memory_does_not_grow_with_the_length_of_a_proof(tmp_path: Path) -> None:
    board = Board(6, 7)
    proof = prove(Problem(board.graph, False, board.vertex("a1"), board.vertex("e1")), "sat")
    assert isinstance(proof, Certificate)
    proof.write(tmp_path)
    lines = sum(1 for _ in (tmp_path / "proof.pbp").open())
    at_a_tenth: list[int] = []

    def listen(event: Event) -> None:
        if isinstance(event, Progress) and event.work["lines"] >= lines / 10 and not at_a_tenth:
            at_a_tenth.append(resident_megabytes())

    began = time.process_time()
    verdict = check(tmp_path, listen)
    seconds = time.process_time() - began
    assert verdict.valid
    assert verdict.steps >= 50_000
    memory = f"{at_a_tenth[0]} MB at a tenth, {resident_megabytes()} MB at the end"
    print(f"{verdict.steps} steps, {verdict.steps / seconds:.0f} a CPU second; {memory}")
    assert resident_megabytes() < at_a_tenth[0] + MORE_MEMORY


STEPS, STEPS_AT_ONCE = 10_000_000, 40


@pytest.mark.slow
def test_ten_million_steps_in_constant_memory(tmp_path: Path) -> None:
    """Copies of a row, sums and clauses by hints, from the rows of two triangles; all are deleted again."""
    made = bowtie()
    made.description["method"] = "clausal"
    made.write(tmp_path)
    lines = made.proof
    several = ["pol 1 2 + 3 + ;", "rup +1 x1 +1 x5 >= 1 : 3 ;", "rup +1 x2 +1 x5 >= 1 : 5 ;", "pol 3 2 * s ;"]
    several += ["pol 1 ;"] * (STEPS_AT_ONCE - len(several))
    first = int(lines[1].split()[1]) + 1
    with (tmp_path / "proof.pbp").open("w") as file:
        file.write("\n".join(lines[:2]) + "\n")
        for begin in range(first, first + STEPS, STEPS_AT_ONCE):
            gone = " ".join(map(str, range(begin, begin + STEPS_AT_ONCE)))
            file.write("\n".join([*several, f"del id {gone} ;", ""]))
        contradiction = first - 1 + STEPS
        file.write(
            f"pol 11 12 + ;\npol {contradiction + 1} 2 + ;\noutput NONE ;\n"
            f"conclusion UNSAT : {contradiction + 2} ;\nend pseudo-Boolean proof ;\n"
        )
    memory: list[int] = []
    began = time.process_time()
    verdict = check(tmp_path, lambda _event: memory.append(resident_megabytes()))
    assert verdict.valid, verdict.fault
    assert verdict.steps == STEPS + 2
    print(
        f"{verdict.steps} steps, {verdict.steps / (time.process_time() - began):.0f} a CPU second; "
        f"{memory[9]} to {max(memory)} MB"
    )
    assert max(memory) < memory[9] + MORE_MEMORY
