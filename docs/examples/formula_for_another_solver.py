"""A formula for another SAT solver, here one of PySAT, and its answer as a tour."""

from pathlib import Path

from pysat.formula import CNF
from pysat.solvers import Solver

from cpsat_tour import decode, draw, export

sizes = export("6x6", "formula.cnf", closed=True)
with Solver("cadical153", bootstrap_with=CNF(from_file="formula.cnf").clauses) as solver:
    solver.solve()
    values = " ".join(map(str, solver.get_model()))
Path("answer.txt").write_text(f"s SATISFIABLE\nv {values} 0\n", encoding="utf-8")
tour = decode("answer.txt", "formula.cnf").tour
assert tour is not None
draw(tour, "decoded.svg")
print(sizes.variables, tour.closed, len(tour))
# 804 True 36
