"""A certificate: a problem and the proof that it has no tour, exactly so many, or none better; as a folder anyone can
check it.

The folder has the rows (``problem.opb``), the move of each variable (``variables.txt``), the proof in the format of
VeriPB (``proof.pbp``), the problem (``certificate.json``), and the argument for people (``why.txt``, ``why.svg``); with
a clausal proof also ``problem.cnf``, ``proof.drup`` and ``proof.lrat`` for checkers of clausal proofs; and if asked for
the claim as a theorem for Rocq (`rocq`). The files get their names only after the independent checker has accepted
them.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from html import escape
from pathlib import Path
from typing import Any, Literal

from cpsat_tour.core.errors import PICTURES, BackendFault, BadInput, versions_of
from cpsat_tour.core.problem import Problem, Refutation, RefutationKind
from cpsat_tour.core.runs import Clock, OnEvent, no_heartbeat, with_heartbeats
from cpsat_tour.drawing.svg import small_html
from cpsat_tour.formats.describe import plural
from cpsat_tour.formats.files import check_folder, write, writing, writing_folder
from cpsat_tour.proofs.check.claim import CLAIM, sentence_of
from cpsat_tour.proofs.check.folder import Verdict, check
from cpsat_tour.proofs.write.rocq import THEOREM, THEORY, theorem, theory
from cpsat_tour.proofs.write.veripb import FORMS, ClausalProof, CycleRows, RowFormula, Version
from cpsat_tour.proofs.write.why import Proved, in_a_sentence, in_words, picture, wrapped
from cpsat_tour.spaces.joined import Joined
from cpsat_tour.spaces.problem_data import asked_data, graph_data

CLAUSAL = ("problem.cnf", "proof.drup", "proof.lrat")

FILES = (
    *("problem.opb", "variables.txt", "proof.pbp", "proof-1.2.pbp", "problem-1.2.opb"),
    *("why.txt", "why.svg", *CLAUSAL, CLAIM, THEOREM, *THEORY),
)
"""The files of a certificate; `CLAUSAL` are of clausal proofs alone, those with ``1.2`` and those of Rocq are written
if asked for."""

MAX_NAMED = 1_000_000
"""The most variables of a formula whose folder has the file ``variables.txt``."""


def check_certificate_folder(folder: str, *, force: bool) -> None:
    """Raise `BadInput` if it is clear beforehand that no certificate can be written into the folder."""
    if Path(folder).suffix in (*PICTURES, ".txt", ".json", ".opb", ".pbp"):
        raise BadInput(
            f"{folder} is the name of a file, and a certificate is a folder: write proof, and the picture is "
            "proof/why.svg"
        )
    check_folder(Path(folder), FILES, force=force)


@dataclass(frozen=True, eq=False)
class Certificate:
    """A problem and the proof that it has no tour, exactly so many tours, or no better one."""

    cycle: CycleRows
    proof: Proved

    @property
    def problem(self) -> Problem:
        """The problem that the proof is about."""
        return self.cycle.source

    def about(self, source: Problem) -> Certificate:
        """Return this proof's certificate about the directed problem ``source``, whose undirected problem on split
        vertices the proof is about."""
        return Certificate(CycleRows(source), self.proof)

    @property
    def tours(self) -> int | None:
        """The number of tours that is proved, if it is."""
        return self.proof.tours

    @property
    def method(self) -> RefutationKind:
        """The kind of proof: ``lp``, a sum of rows, or ``clausal``."""
        return self.proof.method

    @cached_property
    def formula(self) -> RowFormula:
        """The rows that the proof starts from."""
        return RowFormula(self.cycle, tuple(self.proof.cut_sets), self.proof.tours is not None)

    @property
    def steps(self) -> int:
        """The number of constraints that the proof derives."""
        return self.proof.length

    @property
    def refutation(self) -> Refutation:
        """The refutation as an `Answer` has it."""
        return Refutation(self.method, in_a_sentence(self.cycle, self.proof), self)

    def __bool__(self) -> Literal[True]:
        return True

    def __repr__(self) -> str:
        claim = sentence_of(self.problem, self.tours, self.proof.best)
        return f"<Certificate: {claim}, {self.method}, {plural(self.steps, 'step')}>"

    def _repr_html_(self) -> str:
        """Return the argument and the picture, as notebooks show them."""
        drawn = None if self.tours is not None else picture(self.cycle, self.proof, no_heartbeat)
        return f"<pre style='white-space: pre-wrap'>{escape(self.words())}</pre>{small_html(drawn) if drawn else ''}"

    def words(self) -> str:
        """Return the argument in words, as paragraphs."""
        return in_words(self.cycle, self.proof)

    def proof_lines(self, version: Version) -> Iterator[str]:
        """Yield the lines of the proof file in this version of the format."""
        formula, best, forms = self.formula, self.proof.best, FORMS[version]
        concluded, upper = "UNSAT" if self.proof.tours is None else f"ENUMERATION_COMPLETE {self.proof.tours}", ""
        if best is not None:
            concluded = f"BOUNDS {best.sign * best.value}"
            upper = f" {best.sign * best.value}" if best.shown else " INF"
        yield f"pseudo-Boolean proof version {version}"
        yield forms["f"].format(formula.ids)
        for step in self.proof.steps(formula):
            yield forms[step.rule].format(*step.words)
        yield from forms["end"].format(concluded, formula.ids + self.proof.length, upper).splitlines()

    def write(
        self,
        folder: str | Path,
        clock: Clock | None = None,
        on_event: OnEvent | None = None,
        version: Version = "3.0",
        *,
        rocq: bool = False,
        force: bool = False,
    ) -> list[Path]:
        """Write the certificate into a folder and return the paths of its files; the checker accepts it first.

        The ``version`` 1.2 of VeriPB's format, which the checker does not read, goes to files of its own beside those
        of 3.0; with ``rocq`` the claim is written as a theorem too; ``force`` replaces files. ``on_event`` gets the
        checker's progress. `StoppedEarly` when the ``clock`` runs out.
        """
        folder = Path(folder)
        check_folder(folder, FILES, force=force)
        clock = clock or Clock(None)
        with writing_folder(folder, CLAIM, retired=FILES) as staged:
            formula, proof = self.formula, self.proof
            files: dict[str, Iterable[str]] = {}
            steps, clauses = f"their sum{'s' * (self.steps > 1)}", ""
            if version == "1.2":
                files["proof-1.2.pbp"] = self.proof_lines(version)
                if self.tours is not None or proof.best is not None:
                    files["problem-1.2.opb"] = formula.opb(plain=True)
            if formula.cycle.stated.variables <= MAX_NAMED:
                names = enumerate(self.cycle.stated.variable_names(), start=1)
                files["variables.txt"] = (f"x{number} = {name}" for number, name in names)
            if isinstance(proof, ClausalProof):
                files |= {"problem.cnf": proof.dimacs(formula), "proof.drup": proof.drup(), "proof.lrat": proof.lrat()}
                steps = "the steps"
                clauses = "; problem.cnf, proof.drup and, with hints, proof.lrat are the same as clauses"
            if rocq:
                files |= {THEOREM: theorem(self.cycle, proof, formula), **theory()}
            self._write_and_check(staged, files, writing, clock, on_event)
            parts = f"problem.opb has the rows, proof.pbp {steps} in the format of VeriPB, variables.txt the moves"
            write(staged / "why.txt", f"{self.words()}\n{wrapped(f'{parts}{clauses}.')}")
            none = self.tours is None and proof.best is None
            if none and (drawn := picture(self.cycle, proof, clock.check)) is not None:
                write(staged / "why.svg", drawn)
            return [folder / path.name for path in sorted(staged.iterdir())]

    def check(self, clock: Clock | None = None, on_event: OnEvent | None = None) -> Verdict:
        """Run the checker on the certificate and return its verdict; `BackendFault` if it refuses it, `StoppedEarly`
        when the time is over.

        The files are in a temporary folder meanwhile.
        """
        with tempfile.TemporaryDirectory(prefix="cpsat-tour-") as folder:
            opened = partial(Path.open, mode="wb")
            return self._write_and_check(Path(folder), {}, opened, clock or Clock(None), on_event)

    def _claim(self) -> dict[str, Any]:
        """Return the members of ``certificate.json`` as a dictionary."""
        problem, proof, best, more = self.cycle.source, self.proof, self.proof.best, {}
        base, space = problem.graph, problem.graph.space
        if isinstance(space, Joined):
            base, more = space.base, {"universal": space.universal}
        data = base.space.data() if base.space.layout else None
        where = {"graph": graph_data(base)} if data is None else {"board": data | {"holes": base.space.hole_names()}}
        return {
            "format": "cpsat-tour certificate 1",
            "method": proof.method,
            "problem": where | more | asked_data(problem, problem.graph.name),
            **({} if proof.tours is None else {"tours": proof.tours}),
            **({} if best is None else {"best": {name: given for name, given in asdict(best).items() if given != ()}}),
            "cut_sets": [[self.cycle.name(vertex) for vertex in shore] for shore in proof.cut_sets],
            "versions": versions_of("ortools", "python-sat"),
        }

    def _write_and_check(
        self,
        folder: Path,
        others: Mapping[str, Iterable[str]],
        opened: Callable[[Path], Any],
        clock: Clock,
        on_event: OnEvent | None,
    ) -> Verdict:
        """Write the files of the certificate, and the others, run the checker and return its verdict; `BackendFault` if
        it refuses them, `StoppedEarly` when the time is over."""
        members = (f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in self._claim().items())
        checked = {
            "problem.opb": self.formula.opb(),
            "proof.pbp": self.proof_lines("3.0"),
            CLAIM: ("{", ",\n".join(members), "}"),
        }
        for name, lines in {**others, **checked}.items():
            with opened(folder / name) as file:
                file.writelines(f"{line}\n".encode() for line in with_heartbeats(lines, clock.check))
        verdict = check(folder, on_event, clock=clock)
        if not verdict.valid:
            raise BackendFault(f"the checker refuses the proof that was written, so there is none: {verdict.fault}")
        return verdict
