from cpsat_tour.api import (
    best as best,
    check as check,
    compare_backends as compare_backends,
    count as count,
    decode as decode,
    decompose as decompose,
    draw as draw,
    estimate as estimate,
    export as export,
    fewest_paths as fewest_paths,
    filter_graphs as filter_graphs,
    hamiltonian_cycle as hamiltonian_cycle,
    hamiltonian_path as hamiltonian_path,
    longest_cycle as longest_cycle,
    longest_path as longest_path,
    problem_of as problem_of,
    prove as prove,
    puzzle as puzzle,
    solve as solve,
    tours as tours,
)
from cpsat_tour.compare.report import Comparison as Comparison
from cpsat_tour.core.errors import (
    BackendFault as BackendFault,
    BadInput as BadInput,
    StoppedEarly as StoppedEarly,
    TourFault as TourFault,
    __version__ as __version__,
)
from cpsat_tour.core.graph import Graph as Graph
from cpsat_tour.core.problem import Problem as Problem
from cpsat_tour.core.runs import Limits as Limits
from cpsat_tour.core.verify import verify as verify
from cpsat_tour.engines.best import Best as Best, BestRoutes as BestRoutes
from cpsat_tour.engines.counts import Estimate as Estimate
from cpsat_tour.engines.decompose import Decomposition as Decomposition
from cpsat_tour.engines.puzzles import Puzzle as Puzzle
from cpsat_tour.engines.registry import load as load
from cpsat_tour.engines.runner import run as run
from cpsat_tour.formats.formula import NotATour as NotATour
from cpsat_tour.formats.graph_files import read_graph as read_graph
from cpsat_tour.formats.tour_files import load_puzzle as load_puzzle
from cpsat_tour.formats.typed import graph_of as graph_of
from cpsat_tour.proofs.check.folder import Verdict as Verdict
from cpsat_tour.proofs.write.certificate import Certificate as Certificate
from cpsat_tour.spaces.board import Board as Board, Box as Box, Wrapped as Wrapped
from cpsat_tour.tour import (
    Answer as Answer,
    NotProved as NotProved,
    Routes as Routes,
    Tour as Tour,
    answer_data as answer_data,
)

__all__: list[str]
