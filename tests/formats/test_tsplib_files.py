"""Problems in TSPLIB: read again as the graph that they are about, and tours of programs that read them decoded."""

from pathlib import Path

import numpy as np
import pytest
from commands import Command, needed

from cpsat_tour import Graph, decode, read_graph, solve


def a_tour_of(path: Path, form: str | None = None) -> str:
    """Return a file with a tour of the graph in a file, as programs for TSPLIB write it."""
    graph = read_graph(path, form)
    tour = needed(solve(graph, closed=True, require=graph.required, backend="cpsat").tour)
    lines = "".join(f"{vertex + 1}\n" for vertex in tour)
    return f"NAME : tour\nTYPE : TOUR\nDIMENSION : {graph.order}\nTOUR_SECTION\n{lines}-1\nEOF\n"


@pytest.mark.parametrize("asked", ["6x6 --closed", "5x5", "5x6 --start a1 --end b3", "6x6 --closed --require a1-b3"])
@pytest.mark.parametrize("suffix", ["hcp", "tsp"])
def test_a_tour_of_the_file_is_one_of_the_problem(suffix: str, asked: str, tmp_path: Path, command: Command) -> None:
    path, answer = tmp_path / f"a.{suffix}", tmp_path / "a.tour"
    said = command(f"export {asked} -o {path}").err
    answer.write_text(a_tour_of(path, None if suffix == "hcp" else "tsplib:finite"))
    assert command(f"decode {answer} {path}").out
    graph = read_graph(path, None if suffix == "hcp" else "tsplib:finite")
    assert f"{graph.order} vertices, {graph.size} edges" in said
    assert graph.order == {"5x5": 26}.get(asked, 36 if "6x6" in asked else 30)


def test_required_edges_make_the_lightest_tours(tmp_path: Path, command: Command) -> None:
    path, answer = tmp_path / "a.tsp", tmp_path / "a.tour"
    command(f"export 5x6 --closed --require b1-c3 --require c1-b3 -o {path}")
    text = path.read_text()
    assert "has the weight 28" in text
    other = needed(solve("5x6", closed=True, forbid=[("b1", "c3")], backend="cpsat").tour)
    answer.write_text(f"TOUR_SECTION {' '.join(str(vertex + 1) for vertex in other)} -1\n")
    assert (
        "the chosen edges are not a tour as it is asked for" in command(f"decode {tmp_path / 'a.tour'} {path}", 1).err
    )
    weights = np.array(text.partition("SECTION\n")[2].partition("EOF")[0].split(), dtype=int).reshape(30, 30)
    assert np.array_equal(weights, weights.T)
    assert [(weights == weight).sum() // 2 for weight in (0, 1)] == [2, read_graph(path, "tsplib:finite").size - 2]


def test_a_directed_graph_is_one_of_arcs(tmp_path: Path, command: Command) -> None:
    (tmp_path / "g.csv").write_text("a,b\nb,c\nc,d\nd,a\nc,a\nb,a\n")
    path = tmp_path / "g.tsp"
    command(f"export {tmp_path / 'g.csv'} --input edges:directed --closed -o {path}")
    read = read_graph(path, "tsplib:0:directed")
    assert isinstance(read, Graph)
    assert (read.directed, read.size) == (True, 6)
    (tmp_path / "a.tour").write_text("TOUR_SECTION\n1 2 3 4 -1\n")
    assert str(decode(tmp_path / "a.tour", path).tour) == "a b c d"
    (tmp_path / "a.tour").write_text("TOUR_SECTION\n1 4 3 2 -1\n")
    assert "arcs are chosen" in command(f"decode {tmp_path / 'a.tour'} {path}", 1).err
    refused = command(f"export {tmp_path / 'g.csv'} --input edges:directed --closed -o {tmp_path / 'g.hcp'}", 2).err
    assert "write a .tsp file" in refused
    assert not (tmp_path / "g.hcp").exists()


@pytest.mark.parametrize("asked", ["6x6 --closed --symmetry rot180", "6x6 --at a1=7", "6x6 --order a1,c3,e5"])
def test_what_tsplib_can_not_say_is_refused(asked: str, tmp_path: Path, command: Command) -> None:
    assert "TSPLIB can't say" in command(f"export {asked} -o {tmp_path / 'a.hcp'}", 2).err


@pytest.mark.parametrize("asked", ["5x6 --closed --require b1-c3", "3x4"])
def test_another_reader_finds_the_same(asked: str, tmp_path: Path, command: Command) -> None:
    tsplib95 = pytest.importorskip("tsplib95", reason="tsplib95 is not installed")
    edges, weights, answer = (tmp_path / name for name in ("a.hcp", "a.tsp", "a.tour"))
    for path in (edges, weights):
        command(f"export {asked} -o {path}")
    graph, listed, matrix = read_graph(edges), tsplib95.load(edges), tsplib95.load(weights)
    assert (listed.type, matrix.type, listed.dimension, matrix.dimension) == ("HCP", "TSP", graph.order, graph.order)
    # It takes every section of edges for lists of neighbours, so that the numbers alone can be compared.
    numbers = [number for first, others in listed.edge_data.items() for number in (first, *others)]
    pairs = {(u + 1, v + 1) for u, v in graph.pairs()}
    assert set(zip(numbers[::2], numbers[1::2], strict=True)) == pairs
    assert [tuple(pair) for pair in listed.fixed_edges or []] == [(u + 1, v + 1) for u, v in graph.required]
    far = max(matrix.get_weight(*pair) for pair in matrix.get_edges())
    near = {(u, v) for u, v in matrix.get_edges() if u < v and matrix.get_weight(u, v) < far}
    assert near == set(graph.pairs())
    answer.write_text(a_tour_of(edges))
    tour = tsplib95.load(answer)
    tour.save(answer)
    assert command(f"decode {answer} {edges}").out == command(f"decode {answer} {weights}").out
