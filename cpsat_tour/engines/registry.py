"""The registry of backends: a table of names and classes, which are imported when the name is used; and the protocols
that a backend meets, a frozen dataclass whose fields are its options.

A *search* takes the problem itself and answers it. A *formulation* takes the cycle problem to which the runner has
reduced the problem, and yields Hamiltonian cycles, which the runner maps back; without ``directed`` it gets undirected
problems. ``takes`` names those `FEATURES` that it can handle, and ``unit`` the counter of its work that the limit on
work bounds, whatever its rounds, restarts and pieces. A backend that never refutes, as local search, has ``refutes =
False``; one for knight's boards without holes, fixed ends, required or forbidden moves has ``boards_only = True``, and
one only for tours with given numbers ``givens_only = True``.

A new backend is a row here. Other distributions add theirs by the entry-point group ``cpsat_tour.backends``, and a
class of one's own is named as ``py:package.module:Class``.
"""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable, Generator, Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.errors import BadInput, not_installed, suggest
from cpsat_tour.core.problem import Problem, Refutation
from cpsat_tour.core.reduction import CycleProblem
from cpsat_tour.core.runs import NO_LIMIT, Heartbeat, Limits, OnEvent, Run, no_heartbeat
from cpsat_tour.core.space import Ints
from cpsat_tour.formats.formula import Formula, Sizes
from cpsat_tour.tour import Answer

Features: TypeAlias = frozenset[str]

FEATURES: Mapping[str, str] = {
    "directed": "directed graphs",
    "every": "lists of all tours",
    "symmetry": "symmetric tours",
    "givens": "given numbers",
    "waypoints": "waypoints",
}
"""The features of problems that not every backend takes, in words."""


@runtime_checkable
class Search(Protocol):
    """A backend that takes the problem itself."""

    takes: ClassVar[Features]

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:
        """Return the `Answer` to a problem that `decide_degenerate` leaves open: a tour, a refutation, or
        ``unknown``."""


@runtime_checkable
class ListingSearch(Search, Protocol):
    """A search that lists tours in batches and counts its calls, such as `cpsat_tour.native.dfs.Dfs`."""

    def batches(
        self, problem: Problem, limits: Limits, on_event: OnEvent | None = None, most: int = NO_LIMIT
    ) -> Generator[tuple[Ints, NDArray[np.int64]], None, int]:
        """Yield the first ``most`` tours, each once, as pairs of arrays: some tours, a row each, and the calls made
        when each was found; return the calls of the whole list.

        `StoppedEarly` names the limit that ends the list before.
        """


@runtime_checkable
class Formulation(Protocol):
    """A backend that takes the cycle problem."""

    takes: ClassVar[Features]

    def cycles(self, run: Run) -> Generator[Ints, None, Refutation]:
        """Yield the Hamiltonian cycles, each once in either direction, in arrays with a row of vertices for each cycle;
        return the `Refutation` when there are no more.

        A formulation that does not take ``every`` is asked for one. `StoppedEarly` names the limit that ends the run.
        """


@runtime_checkable
class Formulated(Formulation, Protocol):
    """A formulation whose formula can be written to a file, and counted without being kept."""

    def formula(self, cycle: CycleProblem, seed: int = 0, heartbeat: Heartbeat = no_heartbeat) -> Formula:
        """Return the formula of a cycle problem, stated while ``heartbeat`` is called; `BadInput` if it is too large to
        be built."""

    def sizes(self, cycle: CycleProblem) -> Sizes:
        """Return the numbers of variables, clauses and literals of the formula of a cycle problem."""
        return self.formula(cycle).sizes


Backend: TypeAlias = Search | Formulation


def unsupported_features(backend: Backend | type[Backend], features: Features) -> Features:
    """Return the features that the backend does not take.

    Any formulation takes directed problems without givens and waypoints, on split vertices.
    """
    splits = hasattr(backend, "cycles") and features.isdisjoint({"givens", "waypoints"})
    return features - backend.takes - ({"directed"} if splits else set())


@dataclasses.dataclass(frozen=True)
class Entry:
    """A backend: its class as ``package.module:Class``, a summary, and the modules that it needs."""

    target: str
    summary: str
    needs: tuple[str, ...] = ()


BACKENDS: dict[str, Entry] = {
    "auto": Entry(
        "cpsat_tour.engines.auto:Auto",
        "a portfolio: what fits the graph, in turns or side by side",
        ("pysat", "ortools"),
    ),
    "dfs": Entry("cpsat_tour.native.dfs:Dfs", "native depth-first search by Warnsdorff's rule with pruning"),
    "edges": Entry("cpsat_tour.native.edges:Edges", "native depth-first search over edges, with restarts"),
    "numbers": Entry("cpsat_tour.native.numbers:Numbers", "native search over numbers, where some are given"),
    "rotations": Entry(
        "cpsat_tour.native.local_search:Rotations", "native local search by rotations, which never refutes"
    ),
    "frontier": Entry("cpsat_tour.frontier.search:Frontier", "the frontier method along a tree, on narrow graphs"),
    "construct": Entry("cpsat_tour.native.construct:Construct", "knight's boards, joined from small tours"),
    "cpsat": Entry(
        "cpsat_tour.models.circuit:Circuit", "CP-SAT with a circuit constraint over arc literals", ("ortools",)
    ),
    "sat": Entry("cpsat_tour.models.propagated:Propagated", "SAT, subtours cut off while solving", ("pysat",)),
    "sat:lazy": Entry(
        "cpsat_tour.models.lazy:Lazy",
        "SAT, cut sets added between solves",
        ("pysat",),
    ),
    "sat:arcs": Entry(
        "cpsat_tour.models.lazy_arcs:LazyArcs",
        "SAT over arcs, cut sets added between solves",
        ("pysat",),
    ),
    "sat:gadgets": Entry(
        "cpsat_tour.models.gadgets:SatGadgets",
        "SAT over modes of gadgets, symmetric cycles first; sat:arcs elsewhere",
        ("pysat",),
    ),
    "sat:onehot": Entry("cpsat_tour.models.onehot:OneHot", "SAT, absolute positions", ("pysat",)),
    "sat:relative": Entry("cpsat_tour.models.relative:Relative", "SAT, relative order of the vertices", ("pysat",)),
    "sat:adder": Entry("cpsat_tour.models.adder:Adder", "SAT, positions counted in binary", ("pysat",)),
    "sat:lfsr": Entry("cpsat_tour.models.lfsr:Lfsr", "SAT, positions counted by a shift register", ("pysat",)),
    "sat:crt": Entry("cpsat_tour.models.crt:Crt", "SAT, positions counted by remainders", ("pysat",)),
    "sat:elimination": Entry(
        "cpsat_tour.models.elimination:Elimination", "SAT, reachability by vertex elimination", ("pysat",)
    ),
    "sat:order": Entry("cpsat_tour.models.order:Order", "SAT, positions in order encoding", ("pysat",)),
    "sat:leaf": Entry("cpsat_tour.models.leaf:Leaf", "SAT, acyclicity by leaf elimination", ("pysat",)),
    "sat:permutation": Entry(
        "cpsat_tour.models.permutation:Permutation", "SAT, a permutation of the vertices without arcs", ("pysat",)
    ),
    "sat:hybrid": Entry(
        "cpsat_tour.models.hybrid:Hybrid", "SAT, sparse vertices eliminated, distances in binary", ("pysat",)
    ),
    "cpsat:positions": Entry(
        "cpsat_tour.models.positions:Positions", "CP-SAT, a position for each vertex", ("ortools",)
    ),
    "cpsat:successor": Entry(
        "cpsat_tour.models.successor:Successor", "CP-SAT, the successor of each vertex and their order", ("ortools",)
    ),
    "cpsat:lazy": Entry(
        "cpsat_tour.models.lazy_cpsat:LazyCpSat",
        "CP-SAT, cut sets added between solves",
        ("ortools",),
    ),
    "proof": Entry(
        "cpsat_tour.proofs.write.prove:Proof",
        "a linear program, then clauses: no tour, with a certificate",
        ("pysat", "ortools"),
    ),
    "milp": Entry(
        "cpsat_tour.models.milp:Milp",
        "mixed-integer program, cut sets added between solves, by HiGHS",
        ("highspy",),
    ),
    "milp:mtz": Entry(
        "cpsat_tour.models.mtz:Mtz",
        "mixed-integer program, positions of Miller, Tucker & Zemlin, by HiGHS",
        ("highspy",),
    ),
    "milp:flow": Entry(
        "cpsat_tour.models.flow:Flow", "mixed-integer program, a flow of one commodity, by HiGHS", ("highspy",)
    ),
    "milp:flows": Entry(
        "cpsat_tour.models.flows:Flows",
        "mixed-integer program, a flow of one commodity to each vertex, by HiGHS",
        ("highspy",),
    ),
    "milp:twoflows": Entry(
        "cpsat_tour.models.twoflows:TwoFlows",
        "mixed-integer program, a flow of two commodities, by HiGHS",
        ("highspy",),
    ),
    "milp:stages": Entry(
        "cpsat_tour.models.stages:Stages", "mixed-integer program, the step of each arc, by HiGHS", ("highspy",)
    ),
    "pb": Entry(
        "cpsat_tour.models.pb:PseudoBoolean",
        "pseudo-Boolean, cut sets added between solves, by exact (AGPL-3.0)",
        ("exact",),
    ),
    "asp": Entry(
        "cpsat_tour.models.answer_set:AnswerSet", "answer-set program with acyclic edges, by clingo", ("clingo",)
    ),
    "asp:reach": Entry(
        "cpsat_tour.models.reach:Reach", "answer-set program, vertices reached from the root, by clingo", ("clingo",)
    ),
    "smt": Entry(
        "cpsat_tour.models.smt:Smt",
        "satisfiability modulo theories, a position for each vertex, by Z3",
        ("pysat", "z3"),
    ),
}


class Registered:
    """A backend with the ``name`` of its row; a class without a row has its own."""

    name: ClassVar[str]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name, row in BACKENDS.items():
            if row.target == f"{cls.__module__}:{cls.__name__}":
                cls.name = name


OUTSIDE = "cpsat_tour.models.drivers.outside:Outside"
"""The class by which an external program solves a formulation: ``name@program``."""

DISJOINT = "cpsat_tour.models.disjoint:DisjointCycles"
"""The class that finds disjoint cycles."""

SOLVERS = frozenset({"clingo", "exact", "highspy", "z3"})
"""The modules that only solve a formula; without them it can still be written, counted and given to external
programs."""

ENTRY_POINTS = "cpsat_tour.backends"


def names() -> list[str]:
    """Return the names of all backends, ours first."""
    return [*BACKENDS, *sorted(_plugin_targets().keys() - BACKENDS.keys())]


def entry(name: str) -> Entry:
    """Return the registry's entry for a backend, or one made for a class ``py:package.module:Class``; `BadInput` for an
    unknown name."""
    if name.startswith("py:"):
        return Entry(name.removeprefix("py:"), "a class of your own")
    if name in BACKENDS:
        return BACKENDS[name]
    if name in (plugins := _plugin_targets()):
        return Entry(plugins[name], "from another distribution")
    near = [known for known in names() if ":" not in known or known.startswith(name.partition(":")[0])]
    raise BadInput(f"there is no backend {name!r}: {suggest(name, near)}")


def missing_modules(name: str) -> list[str]:
    """Return the modules that a backend needs and that are not installed."""
    return [module for module in entry(name).needs if not _found(module)]


_found = cache(find_spec)
"""Finds an installed module, or None; kept, since looking for one takes longer than to answer a small graph."""


def restriction_of(name: str) -> str | None:
    """Return, in words, the kind of problems to which an installed backend is restricted; None if it takes any
    undirected graph."""
    backend_class = load_class(entry(name).target)
    if getattr(backend_class, "boards_only", False):
        return "knight's boards"
    return "tours with given numbers" if getattr(backend_class, "givens_only", False) else None


def backends_where(able: Callable[[Any], bool], *, solving: bool = True) -> list[str]:
    """Return the names of our installed backends whose class satisfies the predicate; if they are not ``solving``, also
    of those that lack but one of the `SOLVERS`."""
    absent = {name: {*missing_modules(name)} - (set() if solving else SOLVERS) for name in BACKENDS}
    return [name for name, row in BACKENDS.items() if not absent[name] and able(load_class(row.target))]


def load(spec: str, options: Mapping[str, object] | None = None, *, solving: bool = True) -> Backend:
    """Return the backend of this name, such as ``load("sat@glucose4")``, for `run`; `BadInput` if it, an option or a
    module is missing.

    - ``spec`` (str, needed): ``name``, ``name@solver`` or ``py:package.module:Class``.
    - ``options`` (a dict, default None): the backend's options, values or their text.
    - ``solving`` (bool, default True): False for a backend that only states its formula, which needs none of the
      `SOLVERS`.
    """
    if not isinstance(spec, str):
        raise BadInput(f"{spec!r:.80} is not a backend: give its name, such as sat")
    if options is not None and not isinstance(options, Mapping):
        raise BadInput(
            f"the options of backend {spec} can't be {options!r:.80}: give a dictionary, such as "
            "{'solver': 'cadical153'}"
        )
    name, at, solver = spec.partition("@")
    row = BACKENDS.get(name) or entry(name)
    if absent := [m for m in row.needs if not _found(m) and (m not in SOLVERS or (solving and not at))]:
        raise not_installed(f"backend {name}", *absent)
    backend_class = load_class(row.target)
    if not (hasattr(backend_class, "takes") and (hasattr(backend_class, "solve") or hasattr(backend_class, "cycles"))):
        raise BadInput(
            f"{row.target!r} is not a backend: its class needs the attribute takes and a method solve or cycles"
        )
    given = dict(options or {})
    ours = getattr(backend_class, "solvers", ())
    outside = load_class(OUTSIDE) if at and solver not in ours and hasattr(backend_class, "formula") else None
    if at and (outside is None or (ours and not outside.names(solver))):
        given, outside = given | {"solver": solver}, None
    try:
        backend = backend_class(**(_typed_options(name, backend_class, given) if given else {}))
        return typing.cast("Backend", outside(backend, name, solver) if outside else backend)
    except BadInput:
        raise
    except (Exception, SystemExit) as fault:
        raise _not_loaded(row.target, fault) from fault


def parse_options(pairs: Iterable[str]) -> dict[str, str]:
    """Return the values, as text, of options written ``key=value``, by their keys; `BadInput` for one written
    otherwise."""
    options = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (equals and key):
            raise BadInput(f"{pair!r} is not an option of a backend: write key=value, such as linearization=0")
        options[key] = value
    return options


@dataclasses.dataclass(frozen=True)
class Option:
    """An option of a backend: its type, its values in words, and its default."""

    name: str
    type: Any
    values: tuple[str, ...]
    default: str


def options_of(backend_class: Any) -> list[Option]:
    """Return the options of a backend's class, one for each field of the dataclass; an empty list if it is no
    dataclass."""
    if not dataclasses.is_dataclass(backend_class):
        return []
    hints = typing.get_type_hints(backend_class)
    words = {bool: ("true", "false"), int: ("a whole number",), float: ("a number",)}
    found = []
    for field in dataclasses.fields(backend_class):
        hint, default = hints[field.name], str(field.default)
        values = (
            typing.get_args(hint)
            if typing.get_origin(hint) is Literal
            else words.get(hint, field.metadata.get("values", ()))
        )
        if field.name == "solver":
            values = getattr(backend_class, "solvers", values)
        found.append(Option(field.name, hint, tuple(map(str, values)), default.lower() if hint is bool else default))
    return found


def _typed_options(name: str, backend_class: Any, given: Mapping[str, object]) -> dict[str, Any]:
    """Return the given options converted to the types that the class declares; `BadInput` if one is unknown or
    wrong."""
    import msgspec  # only for options

    known = {option.name: option for option in options_of(backend_class)}
    values = {}
    for key, value in given.items():
        if key not in known:
            raise BadInput(f"backend {name} has no option {key!r}: it has {', '.join(sorted(known)) or 'none'}")
        option, text = known[key], str(value)
        if option.type is bool:
            text = {"yes": "true", "no": "false"}.get(text, text)
        try:
            values[key] = msgspec.convert(text, option.type, strict=False)
        except msgspec.ValidationError:
            wanted = " or ".join(option.values)
            raise BadInput(f"option {key} of backend {name} can't be {text!r}: write {wanted}") from None
    return values


def load_class(target: str) -> Any:
    """Return the class written as ``package.module:Class``; `BadInput` if there is none."""
    try:
        backend_class = resolve_name(target)
    except (Exception, SystemExit) as fault:
        raise _not_loaded(target, fault) from fault
    if not inspect.isclass(backend_class):
        raise BadInput(f"{target!r} is not a class: write package.module:Class")
    return backend_class


def _not_loaded(target: str, fault: BaseException) -> BadInput:
    """Return the `BadInput` that says why a backend's class could not be loaded."""
    here = "; for a module in this folder, set PYTHONPATH=." if isinstance(fault, ModuleNotFoundError) else ""
    what = " ".join(f"{type(fault).__name__}: {fault}".split())
    return BadInput(f"can't load the backend class {target!r} (write package.module:Class): {what}{here}")


def _plugin_targets() -> dict[str, str]:
    """Return the backends of other distributions: a dictionary from each name to its class, as
    ``package.module:Class``."""
    from importlib.metadata import entry_points

    return {entry.name: entry.value for entry in entry_points(group=ENTRY_POINTS)}
