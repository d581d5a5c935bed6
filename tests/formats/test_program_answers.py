"""Answers as other programs print and write them: verdicts, and the variables that are true; cut short, and to other
formulas."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from commands import needed

from cpsat_tour import export, solve
from cpsat_tour.core.errors import BadInput
from cpsat_tour.engines.decoding import FORMS, answer_of, read_answer
from cpsat_tour.formats.formula import FormulaMap, NotATour, read_map

ANSWERS = {
    "SAT": ("c hello\ns SATISFIABLE\nv 1 -2\nv 3 0\n", "tour", "x1 -x2 x3"),
    "pseudo-Boolean": ("o 3\ns OPTIMUM FOUND\nv x1 -x2 +x3\n", "tour", "x1 -x2 x3"),
    "MiniSat": ("SAT\n1 -2 3 0\n", "tour", "x1 -x2 x3"),
    "HiGHS": (
        "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 0\n# Columns 3\n"
        "x_a1_b3 0.9999999\nx_a1_c2 1e-09\np_2 0.25\n# Rows 1\nr1 2\n",
        "tour",
        "-Objective x_a1_b3 -x_a1_c2 r1",
    ),
    "HiGHS, none": ("Model status\nInfeasible\n\n# Primal solution values\nNone\n", "none", ""),
    "HiGHS, stopped": ("Model status\nTime limit reached\n\n# Primal solution values\nInfeasible\n", "unknown", ""),
    "CBC": ("Optimal - objective value 0\n      0 x1      1       0\n** 12 x_2.5_3   1.0  0\n", "tour", "x1 x_2.5_3"),
    "CBC, none": ("Integer infeasible - objective value 0\n      0 x1      0.75       0\n", "none", ""),
    "CBC, stopped": ("Stopped on time - objective value 0\n", "unknown", ""),
    "SCIP": ("solution status: optimal solution found\nobjective value:    0\nx1      1 \t(obj:0)\n", "tour", "x1"),
    "SCIP, none": ("solution status: infeasible\nno solution available\n", "none", ""),
    "Gurobi": ("# Solution for model obj\n# Objective value = 0\nx1 1\nx2 0\n", "tour", "x1 -x2"),
    "Gurobi, none": ("Solved in 0 iterations and 0.01 seconds\nInfeasible model\n", "none", ""),
    "glpsol": (
        "Status:     INTEGER OPTIMAL\n   No. Column name       Activity     Lower bound   Upper bound\n"
        "------ ------------    ------------- ------------- -------------\n"
        "     1 x1           *              1             0             1\n"
        "     2 x_a10_b12_13\n                    *              1             0             1\n"
        "     3 x3           *              0             0             1\n",
        "tour",
        "x1 x_a10_b12_13 -x3",
    ),
    "glpsol, none": ("Status:     INTEGER EMPTY\n     1 x1           *              0             0\n", "none", "-x1"),
    "glpsol, unknown": ("Status:     INTEGER UNDEFINED\n", "unknown", ""),
    "glpsol, printed": ("2 rows, 4 columns, 4 non-zeros\nPROBLEM HAS NO PRIMAL FEASIBLE SOLUTION\n", "none", ""),
    "MiniZinc": ("next = [2, 3, 1];\n----------\n", "tour", "next[1]=2 next[2]=3 next[3]=1"),
    "MiniZinc, two": (
        "next = [2, 3, 1];\n----------\nnext = array1d(1..3, [3, 1, 2]);\n----------\n==========\n",
        "tour",
        "next[1]=3 next[2]=1 next[3]=2",
    ),
    "MiniZinc, JSON": ('{\n  "next" : [2, 1]\n}\n----------\n', "tour", "next[1]=2 next[2]=1"),
    "MiniZinc, lines": (
        '{"type": "solution", "output": {"json": {"next": [2, 1]}}}\n',
        "tour",
        "next[1]=2 next[2]=1",
    ),
    "MiniZinc, none": ("=====UNSATISFIABLE=====\n", "none", ""),
    "MiniZinc, unknown": ("=====UNKNOWN=====\n", "unknown", ""),
    "XCSP3": (
        "\x1b[92ms SATISFIABLE\x1b[0m\nv <instantiation type='solution'>\nv  <list> next[] </list>\n"
        "v  <values> 1 2 0 </values>\nv </instantiation>\n",
        "tour",
        "next[0]=1 next[1]=2 next[2]=0",
    ),
    "XCSP3, names": (
        "<instantiation> <list> x[0] x[1] </list> <values> 1 0 </values> </instantiation>\n",
        "tour",
        "x[0]=1 x[1]=0",
    ),
    "clingo": (
        "clingo version 5.4.1\nAnswer: 1\ngo(0,1) go(1,0)\nAnswer: 2\ngo(0,2)\nSATISFIABLE\n",
        "tour",
        "go(0,2)",
    ),
    "clingo, JSON": (
        '{\n  "Call": [ {\n "Witnesses": [\n {\n "Value": [\n "go(0,1)", "go(1,0)"\n ] } ] } ],\n'
        '  "Result": "SATISFIABLE",\n',
        "tour",
        "go(0,1) go(1,0)",
    ),
    "Z3": ("sat\n((arc_0_1 true)\n (arc_1_0 false))\n", "tour", "arc_0_1 -arc_1_0"),
    "Z3, none": ('unsat\n(error "line 9 column 7: model is not available")\n', "none", ""),
    "Z3, stopped": ("timeout\n", "unknown", ""),
    "clingo, none": ('  "Result": "UNSATISFIABLE",\n', "none", ""),
    "clingo, --outf=1": (
        "% clingo version 5.4.1\n% Answer: 1\nANSWER\ngo(0,1). go(1,0).\n% Answer: 2\nANSWER\ngo(0,2).\n% \n",
        "tour",
        "go(0,2)",
    ),
    "clingo, --outf=1, none": ("% Solving...\nINCONSISTENT\n% \n", "none", ""),
    "wasp": ("{go(0,1), go(1,0)}\n{go(0,2), start(1)}\n", "tour", "go(0,2) start(1)"),
    "wasp, none": ("INCOHERENT\n", "none", ""),
    "PySAT": ("True\n[1, -2, 3]\n", "tour", "x1 -x2 x3"),
    "PySAT, lines": ("[1,\n -2,\n 3]\n", "tour", "x1 -x2 x3"),
    "PySAT, none": ("False\nNone\n", "none", ""),
    "MaxSAT": ("c hello\no 3\ns OPTIMUM FOUND\nv 0101\n", "tour", "-x1 x2 -x3 x4"),
    "MaxSAT, 1 first": (
        "s OPTIMUM FOUND\nv 1000000000001\n",
        "tour",
        f"x1 {' '.join(f'-x{k}' for k in range(2, 13))} x13",
    ),
    "CPLEX": (
        '<?xml version = "1.0" encoding="UTF-8" standalone="yes"?>\n<CPLEXSolution version="1.2">\n'
        ' <header problemName="m.lp" objectiveValue="0"/>\n <linearConstraints>\n'
        '  <constraint name="r1" index="0" slack="0"/>\n </linearConstraints>\n <variables>\n'
        '  <variable name="x_a5_b3" index="0" value="1"/>\n  <variable name="x1" index="1" status="BS" value="-0"/>\n',
        "tour",
        "x_a5_b3 -x1",
    ),
    "CPLEX, two": (
        '<CPLEXSolutions version="1.2">\n<CPLEXSolution version="1.2">\n<variable name="x1" index="0" value="1"/>\n'
        '<CPLEXSolution version="1.2">\n<variable name="x2" index="0" value="1"/>\n',
        "tour",
        "x2",
    ),
    "CPLEX, none": ("MIP - Integer infeasible.\n", "none", ""),
    "Gurobi, JSON": (
        '{ "SolutionInfo": { "Status": 2, "ObjVal": 0}, "Vars": [ { "VarName": "x1", "X": 1},\n'
        '{ "VarName": "x_2", "VTag": ["VTag7"], "X": 9.999e-01}]}\n',
        "tour",
        "x1 x_2",
    ),
    "lp_solve": (
        "\nValue of objective function: 0\n\nActual values of the variables:\nx_a1_b3                         1\n"
        "x_a1_c2                         0\n",
        "tour",
        "x_a1_b3 -x_a1_c2",
    ),
    "lp_solve, none": ("\nThis problem is infeasible\n", "none", ""),
    "glpsol -w": (
        "c Status:     INTEGER OPTIMAL\nc\ns mip 2 3 o 0\ni 1 2\ni 2 1\nj 1 1\nj 2 0\nj 3 0.5\ne o f\n",
        "tour",
        "-j_2 j_1",
    ),
    "glpsol -w, basic": ("s bas 1 2 f f 0\ni 1 b 2 0\nj 1 u 1 0\nj 2 b 0 0\ne o f\n", "tour", "j_1 -j_2"),
    "glpsol -w, none": ("s mip 1 1 n 0\ni 1 0\nj 1 0\ne o f\n", "none", "-j_1"),
    "glpsol -w, unknown": ("s mip 1 1 u 0\ni 1 0\nj 1 0\ne o f\n", "unknown", "-j_1"),
    "Concorde": ("3\n0 2\n1 \n", "tour", "1>3 1-3 3-1 3>2 3-2 2-3 2>1 2-1 1-2"),
    "linkern": ("3 3\n0 2 5\n1 0 7\n2 1 1\n", "tour", "1>3 1-3 3-1 2>1 2-1 1-2 3>2 3-2 2-3"),
    "elkai": ("[0, 2, 1]\n", "tour", "1>3 1-3 3-1 3>2 3-2 2-3 2>1 2-1 1-2"),
    "TSPLIB": (
        "NAME : a.10.tour\nTYPE : TOUR\nDIMENSION : 3\nTOUR_SECTION\n1\n3\n2\n-1\nEOF\n",
        "tour",
        "1>3 1-3 3-1 3>2 3-2 2-3 2>1 2-1 1-2",
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_of_every_form(name: str, tmp_path: Path) -> None:
    text, status, true = ANSWERS[name]
    (tmp_path / "answer").write_text(text)
    assert read_answer(str(tmp_path / "answer")) == (status, {name.replace("j_", "j ") for name in true.split()})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<instantiation> <list> x[0] x[1] </list> <values> 1 </values> </instantiation>", "2 variables have 1 values"),
        ("<instantiation> <list> x[] </list>", "in the middle of an answer, which begins with '<instantiation>"),
        ("TOUR_SECTION\n1\n2\n", "in the middle of an answer, which begins with 'TOUR_SECTION'"),
        ("next = [2, , 'x'];\n", "is not in a known form: "),
        ("x1 one\n", "is not in a known form: "),
        ("next[1] = 2\n", "is not in a known form: "),
        ("", "is not in a known form: "),
        ("hello\n", ", ".join(form.name for form in FORMS)),
        ("[1, -2,\n3\n", "in the middle of an answer, which begins with '[1, -2,'"),
        ("[1, two]\n", "'two' is not the value"),
        ("3\n0 2\n", "3 vertices are announced, 2 follow"),
        ("3\n0 2 1 4\n", "3 vertices are announced, 4 follow"),
        ("3 3\n0 2 5\n1 0 7\n", "3 vertices are announced, 2 follow"),
        ("s mip 1 1 o 0\ni 1 2\nj 1 1\n", "in the middle of an answer, which begins with 's mip 1 1 o 0'"),
        ("1 2 1234567890123 0\n", "line 1: '1234567890123' is not the value of a variable"),
    ],
)
def test_damaged_answers_are_refused_in_one_sentence(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "answer").write_text(text)
    with pytest.raises(BadInput, match=re.escape(said)):
        read_answer(str(tmp_path / "answer"))


# --- each form, whole and damaged ---

TOUR = [*(0, 8, 19, 6, 2, 10, 23, 27, 14, 1, 12, 25, 21, 29, 16, 5, 9, 22, 11, 3, 7, 18, 26, 15, 4, 17, 28, 20, 24, 13)]
"""A closed tour of the 5x6 board."""

SQUARES = "a5 c4 b2 a4 c5 e4 f2 d1 c3 b5 a3 b1 d2 f1 e3 f5 d4 e2 f4 d5 b4 a2 c1 d3 e5 f3 e1 c2 a1 b3"
"""The same tour."""

BACKENDS = {
    **{"cnf": "sat:adder", "opb": "sat:adder", "lp": "milp:mtz", "mps": "milp:mtz", "smt2": "smt"},
    **{"mzn": "cpsat", "dzn": "cpsat:successor", "xml": "cpsat", "asp": "asp", "hcp": "sat"},
}


def lines_of(words: Iterable[str], width: int, begin: str = "", end: str = "") -> str:
    """Return the words in lines."""
    words = list(words)
    rows = [words[k : k + width] for k in range(0, len(words), width)]
    return "".join(f"{begin}{' '.join(row)}{end}\n" for row in rows)


def answers_of(formula: FormulaMap, suffix: str, tour: list[int]) -> Iterator[tuple[str, str]]:
    """Yield the names of forms, each with an answer that chooses the tour."""
    order, arcs = len(tour), dict(pairwise([*tour, tour[0]]))
    tails, heads = (part.tolist() for part in formula.ends)
    used = [arcs[u] == v or (not formula.arcs and arcs[v] == u) for u, v in zip(tails, heads, strict=True)]
    values = {name.lstrip("-"): one ^ (name[0] == "-") for name, one in zip(formula.variables, used, strict=True)}
    if suffix in ("cnf", "opb"):
        numbered = [(k, values.get(f"{'x' * (suffix == 'opb')}{k}", False)) for k in range(1, formula.last + 1)]
        literals = [f"{'-' * (not one)}{'x' * (suffix == 'opb')}{k}" for k, one in numbered]
        yield "v lines", "c hello\ns SATISFIABLE\n" + lines_of([*literals, *["0"] * (suffix == "cnf")], 20, "v ")
        if suffix != "opb":
            yield "MiniSat", f"SAT\n{' '.join(literals)} 0\n"
            yield "PySAT", "[" + lines_of(literals, 20, end=",").replace(" ", ", ").rstrip(",\n") + "]\n"
            yield "MaxSAT", "s OPTIMUM FOUND\nv " + "".join(str(int(one)) for _, one in numbered) + "\n"
    if suffix in ("lp", "mps"):
        columns = [*((name, int(one)) for name, one in values.items()), *((f"p_{k}", 2) for k in range(1, order))]
        true = [(k, name) for k, (name, value) in enumerate(columns) if value == 1]
        named = "".join(f"{name} {value}\n" for name, value in columns)
        yield "HiGHS", f"Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 0\n# Columns\n{named}"
        yield "Gurobi", f"# Objective value = 0\n{named}"
        yield "CBC", "Optimal - objective value 0.0\n" + "".join(f"  {k} {name}   1   0\n" for k, name in true)
        yield "SCIP", "objective value: 0\n" + "".join(f"{name}   1 \t(obj:0)\n" for _, name in true)
        rows = (f"  {k} {name}\n  * {value} 0 1\n" for k, (name, value) in enumerate(columns, start=1))
        yield "glpsol -o", "Status:     INTEGER OPTIMAL\n" + "".join(rows)
        rows = (f"j {k} {value}\n" for k, (_, value) in enumerate(columns, start=1))
        yield "glpsol -w", f"c Status: INTEGER OPTIMAL\ns mip 1 {len(columns)} o 0\ni 1 2\n{''.join(rows)}e o f\n"
        rows = (f'  <variable name="{name}" index="0" value="{value}"/>\n' for name, value in columns)
        yield "CPLEX", f"<CPLEXSolution>\n <variables>\n{''.join(rows)} </variables>\n</CPLEXSolution>\n"
        rows = (f'{{ "VarName": "{name}", "X": 1}},\n' for _, name in true)
        yield "Gurobi's JSON", f'{{ "SolutionInfo": {{ "Status": 2}}, "Vars": [\n{"".join(rows)}]}}\n'
    if suffix in ("mzn", "dzn"):
        array = ", ".join(str(arcs[v] + 1) for v in range(order))
        yield "MiniZinc", f"next = [{array}];\ntour: a5 c4 b2\n----------\n"
        yield "MiniZinc's JSON", f'{{\n  "next" : [{array}]\n}}\n----------\n'
    if suffix == "xml":
        array = " ".join(str(arcs[v]) for v in range(order))
        yield "XCSP3", f"v <instantiation>\nv <list> next[] </list>\nv <values> {array} </values>\nv </instantiation>\n"
    if suffix == "asp":
        atoms = [f"go({u},{v})" for u, v in arcs.items()]
        yield "clingo", f"Answer: 1\n{' '.join(atoms)}\nSATISFIABLE\n"
        yield "clingo --outf=1", f"ANSWER\n{' '.join(f'{atom}.' for atom in atoms)}\n%\n"
        quoted = ",\n".join(f'"{atom}"' for atom in atoms)
        yield "clingo --outf=2", f'{{\n"Witnesses": [\n{{\n"Value": [\n{quoted}\n]}}],\n"Result": "SATISFIABLE"\n}}\n'
        yield "wasp", "{" + ", ".join(atoms) + "}\n"
    if suffix == "smt2":
        pairs = [f"(arc_{u}_{v} {'true' if arcs[u] == v else 'false'})" for u, v in zip(tails, heads, strict=True)]
        yield "Z3", "sat\n(" + "\n ".join(pairs) + ")\n"
        yield "cvc5", f"sat\n({' '.join(pairs)})\n"
    if suffix == "hcp":
        yield "LKH", f"TYPE : TOUR\nTOUR_SECTION\n{lines_of((str(v + 1) for v in tour), 1)}-1\nEOF\n"
        yield "Concorde", f"{order}\n{lines_of(map(str, tour), 10)}"
        yield "linkern", f"{order} {order}\n" + "".join(f"{u} {v} 1\n" for u, v in sorted(arcs.items()))
        yield "elkai", f"{tour}\n".replace(", 2", ",\n2")


@pytest.fixture(scope="module")
def formulas(tmp_path_factory: pytest.TempPathFactory) -> dict[str, FormulaMap]:
    """The maps of formulas of the closed tours of the 5x6 board, by suffix."""
    folder = tmp_path_factory.mktemp("formulas")
    paths = {suffix: folder / f"f.{suffix}" for suffix in BACKENDS}
    for suffix, path in paths.items():
        export("5x6", path, closed=True, backend=BACKENDS[suffix])
    return {suffix: read_map(str(path)) for suffix, path in paths.items()}


def outcome(answer: Path, text: str, formula: FormulaMap) -> str:
    """Return the tour that is decoded, or the sentence by which the answer is refused; what says that a complete answer
    is no tour fails the test."""
    answer.write_text(text)
    try:
        return str(answer_of(formula, str(answer)).tour)
    except BadInput as fault:
        return f"refused: {fault}"


@pytest.mark.parametrize("suffix", [suffix for suffix in BACKENDS if suffix != "mps"])
def test_each_form_whole_and_cut_short(suffix: str, formulas: dict[str, FormulaMap], tmp_path: Path) -> None:
    formula, answer = formulas[suffix], tmp_path / "answer"
    for name, text in answers_of(formula, suffix, TOUR):
        whole = outcome(answer, text, formula)
        assert whole == SQUARES, name
        lines = text.splitlines(keepends=True)
        cut = ["".join(lines[:k]) for k in range(len(lines))] + [text[:k] for k in range(0, len(text), 97)]
        results = {outcome(answer, piece, formula) for piece in cut} - {whole}
        assert all(result.startswith("refused: ") for result in results), name
        assert results, name


@pytest.mark.parametrize(("where", "closed"), [("3x4", False), ("6x6", True), ("5x5", False)])
@pytest.mark.parametrize("suffix", BACKENDS)
def test_answers_to_another_board_are_refused(
    suffix: str, where: str, closed: bool, formulas: dict[str, FormulaMap], tmp_path: Path
) -> None:
    other, answer = tmp_path / f"other.{suffix}", tmp_path / "answer"
    export(where, other, closed=closed, backend=BACKENDS[suffix])
    mapped = read_map(str(other))
    tour = needed(solve(where, closed=closed).tour)
    for name, text in answers_of(mapped, suffix, [*tour, *([] if closed else [mapped.cycle.order - 1])]):
        assert outcome(answer, text, formulas[suffix]).startswith("refused: the answer"), name
    for name, text in answers_of(formulas[suffix], suffix, TOUR):
        assert outcome(answer, text, mapped).startswith("refused: the answer"), name


def test_answers_to_a_formula_of_another_form_are_refused(formulas: dict[str, FormulaMap], tmp_path: Path) -> None:
    alike = [{"lp", "mps"}, {"mzn", "dzn"}]
    for suffix, formula in formulas.items():
        for name, text in answers_of(formula, suffix, TOUR):
            for other in BACKENDS.keys() - {suffix}:
                result = outcome(tmp_path / "answer", text, formulas[other])
                assert result.startswith("refused: the answer") != ({suffix, other} in alike), (name, other, result)


def test_values_that_are_complete_and_no_tour_are_a_fault(formulas: dict[str, FormulaMap], tmp_path: Path) -> None:
    wrong = [*TOUR[:5], TOUR[6], TOUR[5], *TOUR[7:]]
    for suffix, formula in formulas.items():
        for name, text in answers_of(formula, suffix, wrong):
            (tmp_path / "answer").write_text(text)
            with pytest.raises((NotATour, BadInput)) as fault:
                answer_of(formula, str(tmp_path / "answer"))
            sparse = name in ("CBC", "SCIP", "Gurobi's JSON")
            assert fault.type is (BadInput if sparse else NotATour), (name, suffix, str(fault.value))
