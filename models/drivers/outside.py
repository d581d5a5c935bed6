"""Programs from outside as solvers: they are given the file of a formulation, and what they answer is decoded.

``sat:crt@kissat`` has kissat solve the formula of `sat:crt`, ``milp@cbc`` has CBC solve the program of `milp`, round by
round with the cut sets that it violates, ``cpsat:successor@minizinc:gecode`` has MiniZinc run Gecode; ``NAME@/path/to
/solver:opb`` runs a program of your own on a file of this form, by default the first that the formulation has. A row
of `PROGRAMS` says what a program is called with. Arguments of yours follow its name, and stand before these: in
``sat:crt@cadical --seed={seed} -t {seconds}`` the words in braces are those of the run (`Outside`).

Nothing that it says or leaves is trusted. It ends, with all that it has started, before its answer is read, at the
time limit, at Ctrl-C, and when this process ends (`outside_worker`). Its answer is read from ordinary files alone,
within the time limit; a program that writes more than an answer to its formula can take is ended. Its tours are
verified as any other; that there is none is its claim. It counts no work. The formulation has the seed, too.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from tempfile import TemporaryDirectory

from cpsat_tour.core.errors import BackendFault, BadInput, NoAnswer, StoppedEarly, suggest
from cpsat_tour.core.problem import Refutation
from cpsat_tour.core.processes import Child
from cpsat_tour.core.runs import HEARTBEAT, MAX_SECONDS, Run, run_detached, with_heartbeats
from cpsat_tour.core.space import Ints
from cpsat_tour.engines.decoding import read_answer
from cpsat_tour.engines.registry import Features, Formulated
from cpsat_tour.formats.files import read_lines
from cpsat_tour.formats.formula import MappedFormula, NotATour, RelaxedFormula
from cpsat_tour.models.loop.subtours import CutSet, EdgeNumbers, hamiltonian_cycles


@dataclass(frozen=True)
class Program:
    """The way in which a program is called: the form of its file, and its arguments.

    ``{formula}`` stands for that file, ``{answer}`` for the one that it writes, without which it prints its answer, and
    ``{variant}`` for what follows its name and a colon, or else the ``variant`` here.
    """

    form: str
    arguments: str
    variant: str = ""


PROGRAMS = {
    "cadical": Program("cnf", "-q {formula}"),
    "cbc": Program("mps", "{formula} solve solution {answer}"),
    "clasp": Program("opb", "{formula}"),
    "clingo": Program("asp", "{formula}"),
    "glpsol": Program("mps", "--freemps {formula} -o {answer}"),
    "glucose": Program("cnf", "-model {formula}"),
    "gurobi_cl": Program("mps", "ResultFile={answer} {formula}"),
    "highs": Program("mps", "--solution_file {answer} {formula}"),
    "kissat": Program("cnf", "-q {formula}"),
    "minisat": Program("cnf", "{formula} {answer}"),
    "minizinc": Program("mzn", "--solver {variant} {formula}", "gecode"),
    "roundingsat": Program("opb", "--print-sol=1 {formula}"),
    "scip": Program("mps", "-c 'read {formula}' -c optimize -c 'write solution {answer}' -c quit"),
    "z3": Program("smt2", "{formula}"),
}
"""The programs by name."""

PLACEHOLDERS = ("formula", "answer", "variant", "seed", "threads", "seconds", "milliseconds")
"""The words that stand in braces in arguments; see `Program` and `Outside`."""

LEAST_BOUND, BYTES_OF_ANSWER = 1 << 24, 8
"""The bytes that a program may write to each of its files: so many, and so many more for each byte of its formula."""

STEPS_OF_LINE = 512
"""The steps between two heartbeats that reading a line takes."""

PATIENCE = 5.0
"""Seconds in which a worker kills what a program has started, before it is killed itself."""


def split_command(program: str) -> tuple[str, str, str]:
    """Return the name or path of a program, its variant, and its arguments: ``minizinc:gecode -r 7``."""
    called, dash, arguments = program.partition(" -")
    return *called.partition(":")[::2], (dash + arguments).strip().removeprefix("-- ")


def version_of(program: str) -> str:
    """Return the first line with a number that a program of `PROGRAMS` prints when it is called with ``--version``; ""
    for others, and if there is none."""
    if os.path.basename(program) in PROGRAMS:
        with suppress(OSError, subprocess.SubprocessError, UnicodeDecodeError):
            told = subprocess.check_output([program, "--version"], stderr=subprocess.DEVNULL, timeout=PATIENCE)
            return next((line.strip() for line in told.decode().splitlines() if re.search(r"\d", line)), "")
    return ""


@dataclass(frozen=True)
class Outside:
    """A ``formulation``, called ``name``, whose formula an external ``program`` solves; `BadInput` if the program is
    not there.

    Its arguments are the words from the first that begins with ``-``, but ``--``. In them ``{seed}``, ``{threads}``,
    ``{seconds}`` and ``{milliseconds}`` stand for the seed and the threads of the run and for the time that is left of
    it, rounded up, or 23 days. With ``{formula}`` among them they are all; else those of `PROGRAMS` follow.
    """

    formulation: Formulated
    name: str
    program: str

    @staticmethod
    def names(written: str) -> bool:
        """Return True if the text, up to its arguments, names a program of `PROGRAMS`, or is a path."""
        called = split_command(written)[0]
        return called in PROGRAMS or os.sep in called

    def __post_init__(self) -> None:
        called, _, arguments = split_command(self.program)
        if not self.names(called):
            raise BadInput(f"there is no program {called!r:.80}: {suggest(called, PROGRAMS)}, or give a path")
        if unknown := [name for name in re.findall(r"{(\w+)}", arguments) if name not in PLACEHOLDERS]:
            known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
            raise BadInput(f"{called:.200} can't be given {{{unknown[0]:.40}}}: arguments may have {known}")
        if shutil.which(called) is None:
            remedy = f"install it, or give its path, such as {self.name}@/opt/bin/{os.path.basename(called)}"
            raise BadInput(f"the program {called:.200} is not there: {remedy}")

    @property
    def takes(self) -> Features:
        """The features that the formulation takes, without lists of tours."""
        return self.formulation.takes - {"every"}

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Run the program and yield the Hamiltonian cycle that it finds; return the `Refutation` if it says that there
        is none.

        If the formula is a relaxation it is run in rounds.
        """
        called, variant, arguments = split_command(self.program)
        if run.limits.work is not None:
            raise BadInput(f"{called} counts no work: limit its time")
        with run.timed("build"):
            formula = self.formulation.formula(run.cycle, run.limits.seed, run.heartbeat)
        row = PROGRAMS.get(os.path.basename(called)) or Program(variant or next(iter(formula.forms)), "{formula}")
        if row.form not in formula.forms or not isinstance(formula, MappedFormula):
            forms = ", ".join(formula.forms) if isinstance(formula, MappedFormula) else "none that can be decoded"
            raise BadInput(f"{called} reads .{row.form} files, and of {self.name} there are: {forms}")
        words = arguments.split() + shlex.split(row.arguments) * ("{formula}" not in arguments)
        rounds = _Rounds(formula, called, replace(row, variant=variant or row.variant), words, run)
        yield from hamiltonian_cycles(rounds, run.cycle, run)
        return Refutation("claimed", f"{called} reports that the formula of {self.name} has no solution")


class _Rounds:
    """A relaxation that an external program solves: the program is called once in each round, with files in a new
    folder."""

    def __init__(self, formula: MappedFormula, called: str, row: Program, words: Sequence[str], run: Run) -> None:
        self._formula, self._called, self._row, self._words, self._run = formula, called, row, words, run
        self._map = formula.map(row.form)

    def solve(self) -> EdgeNumbers | None:
        """Run the program and return the edges of its solution, None if it says that there is none; `BackendFault` if
        its answer can't be read, `StoppedEarly` at the time limit, or if it doesn't know."""
        with TemporaryDirectory(prefix="cpsat-tour-", ignore_cleanup_errors=True) as folder:
            formula, answer, printed = f"{folder}/formula.{self._row.form}", f"{folder}/answer.sol", f"{folder}/printed"
            with self._run.timed("write"), open(formula, "wb") as file:
                run_detached(partial(self._formula.write, self._row.form, file), self._run.heartbeat)
            most = LEAST_BOUND + BYTES_OF_ANSWER * os.path.getsize(formula)
            limits, left = self._run.limits, self._run.clock.left or MAX_SECONDS
            known = (formula, answer, self._row.variant, limits.seed, limits.threads or 1, ceil(left), ceil(1e3 * left))
            values = dict(zip(PLACEHOLDERS, map(str, known), strict=True))
            arguments = [re.sub(r"{(\w+)}", lambda name: values[name[1]], word) for word in self._words]
            failed = self._call(arguments, (answer, printed), most)
            try:
                for path in filter(_is_ordinary, (answer, printed)):
                    with suppress(BadInput), self._run.timed("decode"):
                        lines = with_heartbeats(read_lines(path, most), self._run.heartbeat, STEPS_OF_LINE)
                        verdict, true = read_answer(path, lines)
                        if verdict == "none":
                            return None
                        if verdict == "tour":
                            return self._map.moves[self._map.chosen(true)] % self._run.cycle.size
                        failed = StoppedEarly("solver")
            except NotATour as fault:
                raise BackendFault(f"{self._called} gave a wrong answer: {fault}") from None
            raise failed

    def _call(self, arguments: Sequence[str], written: Sequence[str], most: int) -> Exception:
        """Run the program to its end and return the exception to be raised if the files it wrote have no answer.

        The last of the ``written`` files has what it prints. `NoAnswer` if it can't be run, or the files, or its
        stderr, have more than ``most`` bytes.
        """
        child = Child("-m", "cpsat_tour.models.drivers.outside_worker", written[-1], self._called, *arguments)
        group = None
        try:
            group = child.connection.recv()
            with self._run.timed("solve"):
                while not child.connection.poll(HEARTBEAT):
                    self._run.heartbeat()
                    with suppress(FileNotFoundError):  # where the program removes one
                        sizes = [os.path.getsize(path) for path in filter(_is_ordinary, written)]
                        if max([*sizes, os.path.getsize(child.stderr.fileno())]) > most:
                            raise NoAnswer(f"{self._called} wrote more than {most >> 20} MB: no answer is so long")
                status, words = child.connection.recv()
        except EOFError:
            child.end()
            if group is not None:  # the program has killed the worker
                with suppress(ProcessLookupError):
                    os.killpg(group, signal.SIGKILL)
            raise NoAnswer(f"{self._called} can't be run{child.last_words}") from None
        finally:
            child.end(PATIENCE)
        words = child.last_words or words
        return NoAnswer(f"{self._called} ended with status {status} and without an answer{words}")

    def cut(self, cut_sets: Sequence[CutSet]) -> None:
        """Add cut sets to the formula; `BackendFault` if the formula is complete, so that a solution with several
        cycles is wrong."""
        if not self._map.relaxed:
            raise BackendFault(f"{self._called} gave a wrong answer: more than one cycle")
        assert isinstance(self._formula, RelaxedFormula)
        self._formula.cut([cut_set.edges for cut_set in cut_sets])

    def block(self, edges: EdgeNumbers) -> None:
        """Do nothing: only one cycle is asked for."""


def _is_ordinary(path: str) -> bool:
    """Return True if there is an ordinary file at the path, no link, pipe, device or folder."""
    return os.path.isfile(path) and not os.path.islink(path)
