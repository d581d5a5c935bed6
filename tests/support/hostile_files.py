"""Draws certificates and files that are made to cost much, each from its grammar, and reads them within limits.

A case is a number that seeds the draw. Each part is a rule of the grammar of its form, which is repeated until the text
has the size that was drawn: so a text is a few words a great many times, in an order and with numbers that a reader
does not expect. Each case is read in a process of its own, a fork of this one, which ends at its limits; what it takes
is what the system says.
"""

import json
import os
import re
import resource
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from certificate_samples import Sample, board, described, graph, opb_of

from cpsat_tour.core.errors import BadInput, TourFault
from cpsat_tour.engines.decoding import read_answer
from cpsat_tour.formats.formula import read_map
from cpsat_tour.formats.graph_files import read_graph
from cpsat_tour.formats.tour_files import load_puzzle, read_tours
from cpsat_tour.proofs.check.folder import check
from cpsat_tour.spaces.families import FAMILIES

MAX_SECONDS, MAX_MEGABYTES = 10, 500

ROOM = 1 << 30
"""Bytes of addresses above those of this process, which keep a machine alive; memory that is used is measured."""

Data = dict[str, Any]


class Draw(Random):
    """Draws numbers of all magnitudes and texts of one size."""

    def size(self, most: int, least: int = 1) -> int:
        """A number of any magnitude up to the most."""
        return int(least * (most / least) ** self.random())

    def repeated(self, size: int, *rules: Callable[[], str], end: str = "\n") -> str:
        """The texts of one or two of the rules, over and over: each drawn once, or anew each time."""
        chosen, found, length = self.sample(rules, self.randint(1, min(2, len(rules)))), list[str](), 0
        fixed = [] if self.random() < 0.6 else [rule() for rule in chosen]
        while length < size:
            found.append(fixed[len(found) % len(fixed)] if fixed else self.choice(chosen)())
            length += len(found[-1]) + len(end)
        return "".join(part + end for part in found)

    def often(self) -> bool:
        return self.random() < 0.8

    def word(self) -> str:
        return self.choice(
            ["a", "-1", "0", "9" * self.size(5000), "x" * self.size(300), "é\u2028", "\x1b[31m", "->", "EOF"]
        )


# --- certificates ---


def space(draw: Draw, squares: int) -> Data:
    """A board, a wrapped board or a box, mostly of at most so many squares; few have holes or an odd leaper."""
    rows = draw.size(max(1, squares))
    sides = [rows, max(1, squares // rows)] if draw.often() else [draw.size(10**8), draw.size(1000)]
    leaper = [1, 2] if draw.often() else sorted(draw.choice([0, 1, 2, 3, draw.size(10**6)]) for _ in range(2))
    holes = [] if draw.often() else [draw.choice(["a1", [0, 0], "b2", f"a{draw.size(999)}"])] * draw.size(squares)
    board = {"rows": sides[0], "cols": sides[1], "holes": holes, "leaper": leaper}
    sides = [draw.size(sides[0]), *sides] if draw.often() else [round(squares ** (1 / 3)) or 1] * 3
    box = {"sides": sides, "holes": holes, "leaper": draw.choice([leaper, [1, 2, 3]])}
    return draw.choice([board, box, board | {"surface": draw.choice(["torus", "cylinder", "mobius", "klein"])}])


def listed_graph(draw: Draw, size: int) -> Data:
    word = draw.choice(["v", "a-b ", "valid: "])
    names = [f"{word}{vertex}" for vertex in range(draw.size(max(3, size // 8), 2))]
    pairs = [draw.sample(names[: draw.size(len(names), 2)], 2) for _ in range(draw.size(max(1, size // 20)))]
    return {"vertices": names, draw.choice(["edges", "arcs"]): pairs}


def certificate(draw: Draw, size: int, folder: Path) -> None:
    """A claim, a formula that is often that of the claim, and steps of which many are allowed."""
    leaves = draw.size(max(4, min(400, size // 100)), 3)
    rim = [(leaf, leaf % leaves + 1) for leaf in range(1, leaves + 1)]
    method = draw.choice(["lp", "clausal", "clausal"])
    wheel = graph([*((0, leaf) for leaf in range(1, leaves + 1)), *rim], leaves + 1, method=method)
    made, names = draw.choice([(wheel, ["v0", "v1", "v2"]), (board(6, 6, method=method), ["a1", "b1", "c2"])])
    part, own = size, draw.random() < 0.6
    if not own:
        where = draw.choice(
            [{"board": space(draw, size // draw.choice([6, 100]))}, {"graph": listed_graph(draw, size)}]
        )
        symmetry: Data = {} if draw.often() else {"symmetry": draw.choice(["rot180", [["a1", "a2"]] * (size // 20)])}
        made, part = described(where, method=method, closed=draw.often(), **symmetry), size // 2
    if own and not draw.often():
        made["cut_sets"] = [draw.sample(names, draw.size(2)) for _ in range(draw.size(max(1, size // 20)))]
    if not draw.often():
        made |= {"method": "clausal", "tours": draw.size(10**20)}
    elif "board" in made["problem"] and not draw.often():
        objective = draw.choice(["turns", "crossings"])
        made |= {"method": "clausal", "best": {"objective": objective, "maximize": False, "value": 1, "shown": True}}
    if own:
        opb = opb_of(made)
    else:
        terms = " ".join(f"+1 x{x}" for x in range(1, draw.size(1000)))
        rows = draw.repeated(part, lambda: "*", lambda: "+1 x1 = 1 ;", lambda: f"{terms} >= 1 ;", lambda: "* a")
        opb = [f"* #variable= {draw.size(10**9)} #constraint= 1", *rows.splitlines()]
    shows = "solx" if "tours" in made else "soli" * ("best" in made)
    Sample(made, opb, list(steps(draw, part, opb, made["method"], shows))).write(folder)


def steps(draw: Draw, size: int, opb: list[str], method: str, shows: str) -> Iterator[str]:
    """A proof: its header, and steps of two kinds over and over."""
    sides = sum(1 + (" = " in line) for line in opb if line.startswith("+"))
    variables = int(opb[0].split()[2])
    wide = " ".join(f"+1 x{x}" for x in range(1, min(variables, draw.size(3000)) + 1))
    fresh, long, wild = count(variables + 1), draw.size(max(1, size // 4)), draw.random() < 0.1
    hub = " ".join(["pol 1", *(f"{row} +" for row in range(3, sides, 2))])

    def number() -> str:
        return str(draw.size(10**9) if wild else draw.choice([1, sides, draw.randint(1, max(1, sides))]))

    def operation() -> str:
        return draw.choice(
            [" 1", " 1 +", " 2 *", " 2 d", " s", f" {number()} +", " x1", " ~x1 +", f" {number()} + 2 d"]
        )

    rules = [
        lambda: "pol 1 ;",
        lambda: "pol 1" + operation() * draw.choice([1, 1, long]) + " ;",
        lambda: f"{hub} ;",
        lambda: f"{hub} {number()} + ;",
        lambda: f"pol {number()} {number()} + 2 d ;",
        lambda: f"del id {number()} ;",
        lambda: "% " + "long " * long,
    ]
    if method == "clausal":
        rules += [
            lambda: f"rup {draw.choice(['', '+1 x1', wide])} >= 1 :{(' ' + number()) * draw.choice([1, 9, long])} ;",
            lambda: f"red +1 x{(x := next(fresh))} {draw.choice(['', wide])} >= 1 : x{x} -> 1 ;",
            lambda: f"red +1 x{variables + 1} >= 1 : x{variables + 1} -> 1 ;",
            lambda: f"red +{draw.word()} x1 >= 1 : x1 -> 0 ;",
        ]
    if shows and draw.often():
        rules = [*rules[:1], lambda: f"{shows} {wide.replace('+1 ', '')} ;"]
    yield from ["pseudo-Boolean proof version 3.0", f"f {sides} ;"]
    yield from draw.repeated(size, *rules).splitlines()
    yield from ["output NONE ;", f"conclusion UNSAT : {number()} ;", "end pseudo-Boolean proof ;"]


# --- graphs, tours, puzzles, formulas and answers ---


def pair(draw: Draw, most: int = 10**6) -> str:
    return f"{draw.size(most)} {draw.size(most)}"


def dimacs(draw: Draw, size: int) -> str:
    order = draw.size(10**6 if draw.often() else 10**8)
    rules = (lambda: f"e {pair(draw, order)}", lambda: "c", lambda: "", lambda: f"{draw.choice('nvxz')} {draw.word()}")
    edges = draw.repeated(size, *rules)
    return f"p edge {order} {edges.count('e ') if draw.often() else draw.size(10**8)}\n" + edges


def tsplib(draw: Draw, size: int) -> str:
    order, lists = draw.size(10**6 if draw.often() else 10**8), draw.random() < 0.5
    header = draw.repeated(
        draw.choice([1, 1, size]), lambda: "", lambda: "COMMENT : x", lambda: f"K{draw.size(10**6)}: 1"
    )
    rules = (lambda: pair(draw, order) + " -1" * lists, lambda: "1 2", lambda: "3 4 5 6 -1")
    form = f"DIMENSION : {order}\nEDGE_DATA_FORMAT : {'ADJ' if lists else 'EDGE'}_LIST\nEDGE_DATA_SECTION\n"
    fixed = f"FIXED_EDGES_SECTION\n{draw.repeated(size // 2, lambda: '1 2', lambda: pair(draw, order))}-1\n"
    return header + form + draw.repeated(size // 2, *rules) + "-1\n" + draw.choice(["", fixed])


def edge_list(draw: Draw, size: int, mark: str = " ") -> str:
    number = count()
    rules = (
        lambda: f"{next(number)}{mark}{next(number)}",
        lambda: mark.join([f"v{draw.size(10**5)}", f"w{draw.size(10**5)}"]),
        lambda: mark.join([f"v{draw.size(10**5)}", "w", str(draw.size(9))]),
        lambda: f"vertex v{next(number)}",
        lambda: mark.join(["x" * draw.size(200) + str(draw.size(9)), f"y{draw.size(9)}"]),
        lambda: mark.join(draw.word() for _ in range(draw.randint(1, 4))),
        lambda: "# x",
        lambda: '"a"' * draw.size(100),
    )
    return draw.repeated(size, *rules)


def graph_line(draw: Draw, size: int, mark: str = "") -> str:
    """A number of vertices, and a matrix or steps that mostly fit it."""
    order = int((size * {"&": 6, "": 12}.get(mark, 1)) ** 0.5) if draw.often() else draw.size(250_000)
    digits = [order] if order < 63 else [63, order >> 12, order >> 6 & 63, order & 63]
    length = {"&": -(-order * order // 6), "": -(-order * (order - 1) // 12)}.get(mark, size)
    unit = draw.choice(["?", "~", "~?", "".join(chr(draw.randint(63, 126)) for _ in range(100))])
    return mark + "".join(chr(63 + digit) for digit in digits) + (unit * min(length, size))[: min(length, size)]


def graphml(draw: Draw, size: int) -> str:
    number, deep = count(), not draw.often()
    rules = (
        lambda: f'<node id="{next(number)}"/>',
        lambda: f'<edge source="{draw.size(10**4)}" target="{draw.size(10**4)}"/>',
        lambda: '<data key="a">x</data>',
        lambda: "<a>" if deep else "<a/>",
    )
    return f'<graphml><graph edgedefault="undirected">{draw.repeated(size, *rules, end="")}</graph></graphml>'


def problem_in(draw: Draw, size: int) -> Data:
    example = draw.choice([family.example for family in FAMILIES.values()])
    member = re.sub(r"(?<=[(,])[0-9]+", lambda _: str(draw.size(10**6)), example)
    where = draw.choice([space(draw, draw.choice([size, 10**6])), listed_graph(draw, size // 2), {"family": member}])
    asked: Data = {"closed": True, "start": None, "end": None, "require": [], "forbid": []}
    return where | asked | ({} if draw.often() else {"givens": [["a1", draw.size(10**9)]]})


def tour_json(draw: Draw, size: int) -> str:
    rules = (
        lambda: f"[{draw.size(5000)}, {draw.size(5000)}]",
        lambda: f"[0, {draw.size(10**30)}]",
        lambda: '"a1"',
        lambda: json.dumps("y" * draw.choice([1, 1, size // 3])),
        lambda: "[]",
        lambda: "[[0, 0]]",
        lambda: "9" * draw.choice([1, 5000]),
    )
    tour = "[" + draw.repeated(size, *rules, end=", ") + "0]"
    if draw.random() < 0.3:
        return draw.choice([tour, "[" * size, '{"a":' * (size // 5), "[" + "[[0,1]]," * (size // 8) + "[]]"])
    return f'{{"problem": {json.dumps(problem_in(draw, size))}, "{draw.choice(["tour", "tours"])}": {tour}}}'


def grid(draw: Draw, size: int) -> str:
    """Rows of one length, or not, perhaps in layers, and perhaps a problem below them."""
    cols = draw.size(max(1, size // 2))
    rules = [lambda: " ".join(["1"] * cols), lambda: " ".join(map(str, range(cols)))]
    if not draw.often():
        rules += [lambda: ". # _ 1", lambda: "layer 1", lambda: "a b c", lambda: "1", draw.word]
    return draw.repeated(size, *rules) + ("" if draw.often() else json.dumps(problem_in(draw, size)))


def formula(draw: Draw, size: int) -> str:
    mark = draw.choice(["c ", "c ", "* ", "\\ ", "% ", "<!-- ", ""])
    rules = (
        lambda: f"{mark}edge {draw.size(10**9)} a1 b3",
        lambda: f"{mark}arc next[{draw.size(10**9)}]={draw.word()} a1 b3",
        lambda: mark,
        lambda: f"{mark}{draw.choice(['start', 'end'])} {draw.word()} a1",
        lambda: f"{mark}problem {draw.word()}",
    )
    first = f"{mark}cpsat-tour formula, version 1\n{mark}problem: {json.dumps(problem_in(draw, size))}\n"
    return first + draw.repeated(size, *rules) + draw.choice([f"p cnf {draw.size(10**9)} 3\n", "h 1 0\n", ""])


def solver_answer(draw: Draw, size: int) -> str:
    def values() -> str:
        return "v " + " ".join(str(draw.size(10**6)) for _ in range(draw.size(max(1, size // 8))))

    rules = (
        *(values, lambda: "s SATISFIABLE", lambda: "c", lambda: "v x1 -x2", lambda: f"v {draw.word()}"),
        *(lambda: f"{draw.size(99)} {draw.word()}", lambda: f"x_a1_b3 {draw.word()}", lambda: "Model status"),
        *(
            lambda: f"next = [{values()[2:].replace(' ', ', ')}];",
            lambda: "go(1,2) " * draw.size(size),
            lambda: "-" * 10,
        ),
        *(lambda: "<instantiation> <list> x[] </list>", lambda: "<values> 1 2 </values>", lambda: "</instantiation>"),
        *(lambda: "TOUR_SECTION", lambda: "1 2 3", lambda: "-1", lambda: "a(" * draw.size(size)),
        *(lambda: "v " + "01" * draw.size(size), lambda: "[1, -2" * draw.size(size), lambda: f"j {draw.word()} 1"),
        *(lambda: '<variable name="a' * draw.size(size), lambda: "s mip 1 1 o 0", lambda: "e o f", lambda: "]"),
    )
    return draw.choice(["", "", "3\n", "3 3\n"]) + draw.repeated(size, *rules)


def array_beside(draw: Draw, size: int, path: Path) -> None:
    """An array and its tour file; the header of the array may promise more than follows."""
    dtype = draw.choice(["|i1", "<i8", "|O", "<f8", "<u4"])
    numbers = size // int(dtype[2:] or 8)
    shape = draw.choice([(numbers // 2, 2), (draw.size(size), draw.size(size)), (1, numbers), (10**9, 2)])
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
    path.write_bytes(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header.encode() + bytes(size))
    if draw.random() < 0.5:
        problem = problem_in(draw, size // 10)
        beside = {"problem": problem, draw.choice(["tour", "tours"]): path.name}
        path.with_name(f"{path.name}.json").write_text(json.dumps(beside))


def neighbours(draw: Draw, size: int, mark: str = ": ") -> str:
    number = count()
    rules = (
        lambda: f"{next(number)}{mark}{' '.join(str(draw.size(10**4)) for _ in range(draw.size(9)))}",
        lambda: " ".join("1" for _ in range(draw.size(999))),
        lambda: f"{draw.word()}{mark}{draw.word()}",
        lambda: "",
    )
    first = draw.choice(["", f"{pair(draw)}\n", f"{draw.size(10**9)}\n", f"{pair(draw)} 011 {draw.size(10**9)}\n"])
    return first + draw.repeated(size, *rules)


def json_graph(draw: Draw, size: int) -> str:
    rules = (
        lambda: f"[{draw.size(5000)}, {draw.size(5000)}]",
        lambda: f'{{"source": {draw.size(5000)}, "target": {draw.size(5000)}}}',
        lambda: "[]",
        lambda: "[" + "1, " * draw.size(999) + "0]",
    )
    data = "[" + draw.repeated(size, *rules, end=", ") + "[0, 1]]"
    return draw.choice([data, f'{{"links": {data}}}', f'{{"0": {data}}}', "[" * size, "{1: " * (size // 4), "{" + data])


def blocks(draw: Draw, size: int, head: str, *rules: str, end: str = "") -> str:
    """A head with numbers of any size in it, and rows of these kinds."""

    def filled(text: str) -> str:
        return re.sub("N", lambda _: str(draw.size(10**9)), re.sub("n", lambda _: str(draw.size(10**3)), text))

    return filled(head) + draw.repeated(size, *(lambda rule=rule: filled(rule) for rule in rules)) + end


WEIGHTS = "TYPE : TSP\nDIMENSION : N\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"

NEW_FORMS: dict[str, Callable[[Draw, int], str]] = {
    "a.txt": neighbours,
    "b.txt": lambda draw, size: neighbours(draw, size, draw.choice([" ", " -> ", ",", ""])),
    "a.metis": lambda draw, size: neighbours(draw, size, " "),
    "g.json": json_graph,
    "a.mtx": lambda draw, size: blocks(
        draw,
        size,
        f"%%MatrixMarket matrix {draw.choice(['coordinate', 'array'])} pattern symmetric\nN N N\n",
        "n n",
        "1 N",
    ),
    "a.gml": lambda draw, size: blocks(
        draw, size, "graph [\n", "node [ id n ]", "edge [ source n target n ]", "a [", end="]"
    ),
    "a.net": lambda draw, size: blocks(draw, size, "*Vertices n\n", 'n "n"', "*Edges", "n n", "*Arcslist", '"'),
    "a.dot": lambda draw, size: blocks(draw, size, "graph {", "n -- n;", "n;", "n [a=n]", end="}"),
    "a.gexf": lambda draw, size: blocks(draw, size, "<gexf><graph>", '<node id="n"/>', '<edge source="n" target="n"/>'),
    "a.tsp": lambda draw, size: blocks(draw, size, WEIGHTS, "0 1 n"),
    "a.lp": lambda draw, size: blocks(draw, size, "", "edge(n,n).", "node(n). arc(n,n).", "edge(n", "a" * 99, " "),
}

FORMS: dict[str, tuple[Callable[[Draw, int], str], Callable[[Any], object]]] = {
    "a.col": (dimacs, read_graph),
    "a.hcp": (tsplib, read_graph),
    "a.edges": (edge_list, read_graph),
    "a.csv": (lambda draw, size: edge_list(draw, size, ","), read_graph),
    "a.g6": (graph_line, read_graph),
    "a.s6": (lambda draw, size: graph_line(draw, size, ":"), read_graph),
    "a.d6": (lambda draw, size: graph_line(draw, size, "&"), read_graph),
    "a.graphml": (graphml, read_graph),
    **{f"graph/{name}": (write, read_graph) for name, write in NEW_FORMS.items()},
    "a.json": (tour_json, read_tours),
    "a.txt": (grid, read_tours),
    "puzzle.txt": (grid, load_puzzle),
    "puzzle.json": (lambda draw, size: json.dumps(problem_in(draw, size)), load_puzzle),
    "a.cnf": (formula, lambda path: read_map(str(path))),
    "a.out": (solver_answer, lambda path: read_answer(str(path))),
}


def write_case(kind: str, number: int, most: int, folder: Path) -> Callable[[], object]:
    """Write the case of this number, of about ``most`` bytes or fewer, and return what reads it."""
    draw = Draw(f"{kind} {number}")
    size = draw.size(most * 9 // 10, most // 300)
    if kind == "certificate":
        certificate(draw, size, folder)
        return lambda: check(folder)
    name = draw.choice([*FORMS, "a.npy"])
    if name == "a.npy":
        array_beside(draw, size, folder / name)
        return lambda: read_tours(folder / name)
    write, read = FORMS[name]
    name = name.removeprefix("graph/")
    text = write(draw, size)
    if draw.random() < 0.2:  # a piece is lost
        place = draw.randrange(len(text))
        text = text[:place] + text[place + draw.size(len(text)) :]
    (folder / name).write_bytes(text.encode("utf-8", "replace"))
    return lambda: read(folder / name)


def cost(read: Callable[[], object]) -> tuple[int, float, float]:
    """Return the exit status of a process that reads, its seconds of work, and its megabytes."""
    if not (child := os.fork()):
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, used + ROOM))
        resource.setrlimit(resource.RLIMIT_CPU, (3 * MAX_SECONDS, 3 * MAX_SECONDS))
        status = 1
        try:
            read()
            status = 0
        except (BadInput, TourFault):
            status = 0
        except BaseException:
            traceback.print_exc(limit=-4)
        os._exit(status)
    _, status, used_by = os.wait4(child, 0)
    return status, used_by.ru_utime, used_by.ru_maxrss / 1024


def main() -> None:
    """Print each case that takes too much or ends in an error: kind, first number, how many, most bytes."""
    kind, first, count, most = sys.argv[1], *map(int, sys.argv[2:5])
    slowest, largest = (0.0, 0), (0.0, 0)
    for number in range(first, first + count):
        folder = Path(tempfile.mkdtemp(prefix="cpsat-tour-hostile-"))
        try:
            status, seconds, megabytes = cost(write_case(kind, number, most, folder))
        finally:
            shutil.rmtree(folder)
        slowest, largest = max(slowest, (seconds, number)), max(largest, (megabytes, number))
        if status or seconds > MAX_SECONDS or megabytes > MAX_MEGABYTES:
            print(f"{kind} {number} of {most}: status {status}, {seconds:.1f} s, {megabytes:.0f} MB")
    print(f"slowest {slowest[0]:.1f} s ({slowest[1]}), largest {largest[0]:.0f} MB ({largest[1]})", file=sys.stderr)


if __name__ == "__main__":
    main()
