"""Answers of outside solvers are decoded to verified tours; what is not a tour is a fault or adds cut sets."""

import re
from pathlib import Path

import pytest
from commands import Command, solved_inside

from cpsat_tour.cli.main import status
from cpsat_tour.core.errors import BadInput
from cpsat_tour.engines.decoding import read_answer, tour_of
from cpsat_tour.formats.formula import NotATour, read_map, with_letter

RELAXED = ("sat", "sat:lazy")


@pytest.mark.parametrize("suffix", ["cnf", "opb"])
def test_cut_sets_are_added_to_the_file_and_its_header(suffix: str, tmp_path: Path, command: Command) -> None:
    formula, answer = tmp_path / f"tour.{suffix}", tmp_path / "answer.txt"
    command(f"export 4x4 --leaper 0,1 --closed --backend sat:lazy -o {formula}")
    edges = read_map(str(formula))
    squares = [[0, 1, 5, 4], [2, 3, 7, 6], [8, 9, 13, 12], [10, 11, 15, 14]]
    chosen = {frozenset(pair) for cycle in squares for pair in zip(cycle, [*cycle[1:], cycle[0]], strict=True)}
    ends = zip(edges.variables, edges.cycle.tails.tolist(), edges.cycle.heads.tolist(), strict=True)
    answer.write_text(
        "s SATISFIABLE\nv " + " ".join(variable for variable, *pair in ends if frozenset(pair) in chosen) + "\n"
    )
    before = formula.read_text().splitlines()
    assert "added 4 cut sets" in command(f"decode {answer} {formula} --append", 1).err
    after = formula.read_text().splitlines()
    mended = [(old, new) for old, new in zip(before, after, strict=False) if old != new]
    assert len(after) == len(before) + 4
    assert len(mended) == 1
    assert int(mended[0][1].split()[-1]) == int(mended[0][0].split()[-1]) + 4


@pytest.mark.parametrize("backend", RELAXED)
def test_decode_append_in_a_loop_finds_a_tour_of_a_relaxation(backend: str, tmp_path: Path) -> None:
    formula, answer = tmp_path / "tour.cnf", tmp_path / "answer.txt"
    assert status(["export", "8x8", "--closed", "--backend", backend, "-o", str(formula)]) == 0
    assert any(line.startswith("c relaxation") for line in formula.read_text().splitlines())
    codes: list[int] = []
    while not codes or codes[-1] == 1:
        assert solved_inside(formula, answer)
        codes.append(status(["decode", "--append", str(answer), str(formula), "-o", str(tmp_path / "tour.txt")]))
    assert codes[-1] == 0
    assert len(codes) > 1 or backend != "sat:lazy"
    assert (tmp_path / "tour.txt").exists()


def test_a_wrong_answer_adds_nothing_to_the_file(tmp_path: Path, command: Command) -> None:
    formula, answer = tmp_path / "tour.cnf", tmp_path / "answer.txt"
    command(f"export 6x6 --closed -o {formula}")
    before = formula.read_bytes()
    answer.write_text("s SATISFIABLE\nv 1 2 0\n")
    assert "chosen at " in command(f"decode --append {answer} {formula}", 2).err
    assert formula.read_bytes() == before


def test_several_cycles_are_a_fault_of_a_full_encoding_alone(tmp_path: Path, command: Command) -> None:
    lazy, full = tmp_path / "lazy.cnf", tmp_path / "full.cnf"
    for name, path in (("sat:lazy", lazy), ("sat:adder", full)):
        command(f"export 8x8 --closed --backend {name} -o {path}")
    assert solved_inside(lazy, tmp_path / "answer.txt")
    _, true = read_answer(str(tmp_path / "answer.txt"))
    whole = read_map(str(full))
    in_full = zip(read_map(str(lazy)).variables, whole.variables, strict=True)  # the same edges come last
    translated = {with_letter(variable) for name, variable in in_full if with_letter(name) in true}
    with pytest.raises(NotATour, match="has none but tours") as fault:
        tour_of(whole, translated)
    assert not fault.value.cuts
    with pytest.raises(NotATour, match=r"[0-9] cycles of .* is a relaxation") as fault:
        tour_of(read_map(str(lazy)), true)
    assert fault.value.cuts


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        ("s UNSATISFIABLE\n", 20, "There is no closed tour of the 6x6 board."),
        ("UNSAT\n", 20, "claimed"),
        ("s UNKNOWN\n", 3, "did not find out"),
        ("INDET\n", 3, "did not find out"),
        ("s SATISFIABLE\nv " + " ".join(f"-{k}" for k in range(1, 805)) + " 0\n", 1, "chosen at "),
        ("SAT\n" + " ".join(map(str, range(1, 805))) + " 0\n", 1, "chosen at "),
        ("s SATISFIABLE\nv 1 2 0\n", 2, "not in a known form"),
        ("s SATISFIABLE\n", 2, "not in a known form"),
        ("s SATISFIABLE\nv -750 751 0\n", 2, "is cut short or belongs to another formula"),
        ("s SATISFIABLE\nv 1 two 0\n", 2, "line 2: 'two' is not the value"),
        (f"s SATISFIABLE\nv 1 -{'9' * 5000} 0\n", 2, "of at most 12 digits"),
        ("s SATISFIABLE\nv 1 99999 0\n", 2, "variable x99999 is not in the formula"),
        ("s MAYBE\n", 2, "'MAYBE' is not a verdict"),
        ("c nothing\n", 2, "is not in a known form: "),
    ],
)
def test_answers_without_a_tour_are_reported(
    answer: str, code: int, said: str, tmp_path: Path, command: Command
) -> None:
    formula = tmp_path / "tour.cnf"
    command(f"export 6x6 --closed -o {formula}")
    (tmp_path / "answer.txt").write_text(answer)
    assert said in "".join(command(f"decode {tmp_path / 'answer.txt'} {formula}", code))


def test_the_last_variable_of_an_opb_formula(tmp_path: Path, command: Command) -> None:
    command(f"export 6x6 --closed --format opb -o {tmp_path / 'tour.opb'}")
    formula = read_map(str(tmp_path / "tour.opb"))
    assert formula.last == 780
    with pytest.raises(BadInput, match="variable x781 is not in the formula"):
        tour_of(formula, {"x1", "x781"})


def test_a_file_without_a_map_or_with_a_damaged_one(tmp_path: Path, command: Command) -> None:
    formula, answer = tmp_path / "tour.cnf", tmp_path / "answer.txt"
    answer.write_text("s SATISFIABLE\nv 1 0\n")
    formula.write_text("p cnf 1 1\n1 0\n")
    assert "has no map" in command(f"decode {answer} {formula}", 2).err
    formula.unlink()
    command(f"export 6x6 --closed -o {formula}")
    whole = formula.read_text()
    damaged = [re.sub("c edge -\\d+ ", f"c edge {damage} ", whole, count=1) for damage in ("five", "-" + "9" * 20)]
    for text in (*damaged, re.sub("c problem .*", "c problem []", whole)):
        formula.write_text(text)
        assert "is damaged" in command(f"decode {answer} {formula}", 2).err
