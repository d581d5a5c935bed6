"""Answers as other programs print and write them: verdicts, and the variables that are true."""

import re
from pathlib import Path

import pytest

from cpsat_tour.core.errors import BadInput
from cpsat_tour.engines.decoding import read_answer

ANSWERS = {
    "SAT": ("c hello\ns SATISFIABLE\nv 1 -2\nv 3 0\n", "tour", "x1 -x2 x3"),
    "pseudo-Boolean": ("o 3\ns OPTIMUM FOUND\nv x1 -x2 +x3\n", "tour", "x1 -x2 x3"),
    "MiniSat": ("SAT\n1 -2 3 0\n", "tour", "x1 -x2 x3"),
    "HiGHS": (
        "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 0\n# Columns 3\n"
        "x_a1_b3 0.9999999\nx_a1_c2 1e-09\np_2 0.25\n# Rows 1\nr1 2\n",
        "tour",
        "x_a1_b3 r1",
    ),
    "HiGHS, none": ("Model status\nInfeasible\n\n# Primal solution values\nNone\n", "none", ""),
    "HiGHS, stopped": ("Model status\nTime limit reached\n\n# Primal solution values\nInfeasible\n", "unknown", ""),
    "CBC": ("Optimal - objective value 0\n      0 x1      1       0\n** 12 x_2.5_3   1.0  0\n", "tour", "x1 x_2.5_3"),
    "CBC, none": ("Integer infeasible - objective value 0\n      0 x1      0.75       0\n", "none", "x1"),
    "CBC, stopped": ("Stopped on time - objective value 0\n", "unknown", ""),
    "SCIP": ("solution status: optimal solution found\nobjective value:    0\nx1      1 \t(obj:0)\n", "tour", "x1"),
    "SCIP, none": ("solution status: infeasible\nno solution available\n", "none", ""),
    "Gurobi": ("# Solution for model obj\n# Objective value = 0\nx1 1\nx2 0\n", "tour", "x1"),
    "Gurobi, none": ("Solved in 0 iterations and 0.01 seconds\nInfeasible model\n", "none", ""),
    "glpsol": (
        "Status:     INTEGER OPTIMAL\n   No. Column name       Activity     Lower bound   Upper bound\n"
        "------ ------------    ------------- ------------- -------------\n"
        "     1 x1           *              1             0             1\n"
        "     2 x_a10_b12_13\n                    *              1             0             1\n"
        "     3 x3           *              0             0             1\n",
        "tour",
        "x1 x_a10_b12_13",
    ),
    "glpsol, none": ("Status:     INTEGER EMPTY\n     1 x1           *              0             0\n", "none", ""),
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
    "clingo, none": ('  "Result": "UNSATISFIABLE",\n', "none", ""),
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
    assert read_answer(str(tmp_path / "answer")) == (status, set(true.split()))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<instantiation> <list> x[0] x[1] </list> <values> 1 </values> </instantiation>", "2 variables have 1 values"),
        ("<instantiation> <list> x[] </list>", "in the middle of an answer, which begins with '<instantiation>"),
        ("TOUR_SECTION\n1\n2\n", "in the middle of an answer, which begins with 'TOUR_SECTION'"),
        ("next = [2, , 'x'];\n", "has no answer"),
        ("x1 one\n", "has no answer"),
        ("next[1] = 2\n", "has no answer"),
        ("1 2 1234567890123 0\n", "line 1: '1234567890123' is not the value of a variable"),
    ],
)
def test_damaged_answers_are_refused_in_one_sentence(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "answer").write_text(text)
    with pytest.raises(BadInput, match=re.escape(said)):
        read_answer(str(tmp_path / "answer"))
