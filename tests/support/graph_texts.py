"""Writes random graphs in every form that is read, with what people vary: marks between names, headers, numbers of
vertices and edges, the order of lines, comments, blank lines, byte order marks and line ends.

A writer draws the graph that its form can say: with directed edges or not, vertices without edges or not, numbers or
names. What it draws is kept, to be compared with what is read.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, pairwise, permutations
from random import Random
from xml.sax.saxutils import escape

Pair = tuple[str, str]

NAMES = [
    "A",
    "B",
    "C",
    "D",
    "E",
    "F",
    "x",
    "y",
    "z",
    "n1",
    "n2",
    "v10",
    "Ann",
    "Bob",
    "New_York",
    "e",
    "s",
    "t",
    "u",
    "v",
]
TOWNS = [
    "New York",
    "St. John",
    "Bern",
    "Sao Paulo",
    "O'Hara",
    "Rio (South)",
    "Ulm",
    "A-1",
    "Bad Ems",
    "C",
    "d e",
    "F.",
]
QUOTED = [
    *("North, Old Road", "Who Goes There?", "Salt & Stone", "a - b", "0.5", "-1", "#1", "x; y", "a|b", "1e9"),
    *("50 %", "A -> B", "(1, 2", "Müller – Söhne", "<none>", "it's", "=1+1", "@home"),
]


@dataclass(frozen=True)
class Drawn:
    """A graph, the text that has it, and how it is read if its form is given."""

    suffix: str
    text: bytes
    form: str
    names: frozenset[str]
    edges: frozenset[Pair]
    directed: bool
    columns: tuple[str, ...] = ()


class Writer(Random):
    """Draws graphs and writes them."""

    def often(self) -> bool:
        return self.random() < 0.7

    def rarely(self) -> bool:
        return self.random() < 0.25

    def graph(self, kind: str = "any", lone: bool = True, directed: bool | None = None) -> None:
        """Draw the graph: its names of a kind, vertices without edges if it may have them, arcs or edges."""
        order = self.randint(2, 12)
        kind = self.choice(["from 0", "from 1", "gaps", "names", "names"]) if kind == "any" else kind
        first = int(kind == "from 1")
        names = {
            "gaps": [str(number) for number in self.sample(range(99), order)],
            "names": self.sample(NAMES, order),
            "towns": self.sample(TOWNS, order),
            "quoted": self.sample(QUOTED, order),
        }.get(kind, [str(number) for number in range(first, first + order)])
        self.directed = self.rarely() if directed is None else directed
        pairs = list((permutations if self.directed else combinations)(names, 2))
        share = self.choice([0.1, 0.3, 0.5, 0.5, 0.8, 1.0])
        edges = [pair for pair in pairs if self.random() < share] or [self.choice(pairs)]
        if not lone and kind in ("from 0", "from 1") and self.often():
            edges = list({*edges, *pairwise(names)})
        used = {end for edge in edges for end in edge}
        self.names = [name for name in names if lone or name in used]
        self.edges = [edge if self.directed or self.often() else edge[::-1] for edge in sorted(edges)]
        if self.often():
            self.shuffle(self.edges)

    def mixed(self, lines: list[str], comment: str = "# a comment", blank: bool = True) -> list[str]:
        """Put comments and blank lines between the lines."""
        for _ in range(self.choice([0, 0, 1, 3])):
            at = self.randint(0, len(lines))
            lines[at:at] = [self.choice([comment, comment, ""]) if blank else comment] if comment else [""] * blank
        return lines

    def drawn(
        self, suffixes: str, lines: list[str], form: str, columns: tuple[str, ...] = (), bom: bool = True
    ) -> Drawn:
        """Return the lines as a file, with one of the suffixes."""
        end = self.choice(["\n", "\n", "\n", "\r\n", "\r"])
        text = end.join(lines) + end * self.choice([0, 1, 1, 1, 2])
        encoding = self.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16"]) if bom else "utf-8"
        edges = frozenset(pair if self.directed else (min(pair), max(pair)) for pair in self.edges)
        suffix = self.choice(suffixes.split())
        names = frozenset(self.names)
        return Drawn("" if suffix == "-" else suffix, text.encode(encoding), form, names, edges, self.directed, columns)

    def weights(self) -> list[str]:
        """Weights for all edges, or none."""
        kind = self.choice(["", "", "one", "digit", "fraction", "large"])
        drawn: dict[str, Callable[[], str]] = {
            "one": lambda: "1",
            "digit": lambda: str(self.randint(1, 9)),
            "large": lambda: str(self.randint(10, 999)),
        }
        draw = drawn.get(kind, lambda: f"{self.randint(0, 9)}.{self.randint(1, 9)}")
        return [draw() if kind else "" for _ in self.edges]

    def loops(self) -> None:
        """Add an edge from a vertex to itself, which is passed over."""
        if self.rarely():
            name = self.choice([end for edge in self.edges for end in edge])
            self.written = [*self.edges, (name, name)]
        else:
            self.written = [*self.edges]

    # --- the forms ---

    def edge_rows(self, mark: str) -> list[str]:
        """The edges, a row each."""
        self.loops()
        weights = [*self.weights(), "1"]
        weights = [weight if weights[0] else "" for weight in weights]
        between = f"{mark}->{mark}" if self.directed else self.choice([mark, mark, mark, f"{mark}--{mark}"])
        return [
            f"{tail}{between if mark.isspace() else mark}{head}{mark if weight else ''}{weight}"
            for (tail, head), weight in zip(self.written, weights, strict=False)
        ]

    def edge_list(self) -> Drawn:
        lone = self.rarely()
        self.graph(lone=lone)
        mark = (
            self.choice([" ", " ", "  ", "\t"])
            if lone or self.directed
            else self.choice([" ", " ", "\t", ",", ", ", ";"])
        )
        rows = self.edge_rows(mark)
        if lone:
            mark = " "
            rows = [*(f"vertex {name}" for name in self.names), *rows]
        elif self.rarely():
            header = [*self.choice([("source", "target"), ("from", "to"), ("u", "v")]), "weight"]
            width = len([cell for cell in rows[0].split(mark) if cell not in ("->", "--")])
            rows = [mark.join(header[:width])] * ({*header}.isdisjoint(self.names)) + rows
        comment = self.choice(["# a comment", "% percent"])
        return self.drawn(".edges .edgelist .txt -", self.mixed(rows, comment), "edges")

    def counted(self) -> Drawn:
        self.graph(self.choice(["from 0", "from 1"]))
        rows = self.edge_rows(self.choice([" ", " ", "\t"]))
        if self.rarely() and not self.directed:
            rows = [row for edge in self.edges for row in (" ".join(edge), " ".join(edge[::-1]))]
            counts = f"{len(self.names)} {len(self.edges)}"
        else:
            counts = f"{len(self.names)} {len(rows)}"
        counts = self.choice([counts, counts, counts.replace(" ", "\n"), str(len(self.names))])
        return self.drawn(".txt .in -", self.mixed([*counts.split("\n"), *rows]), "counts")

    def rows_of(self) -> dict[str, list[str]]:
        """For each vertex its neighbours; of directed graphs those that its arcs lead to."""
        found: dict[str, list[str]] = {name: [] for name in self.names}
        for tail, head in self.edges:
            found[tail].append(head)
            if not self.directed:
                found[head].append(tail)
        return found

    def neighbours(self) -> Drawn:
        self.graph()
        colon = self.choice([": ", ":", " : ", " -> "]) if self.directed else self.choice([": ", ":", " : "])
        between = self.choice([" ", ",", ", "])
        rows = [f"{name}{colon}{between.join(row)}".rstrip() for name, row in self.rows_of().items()]
        self.shuffle(rows)
        return self.drawn(".txt .adjlist -", self.mixed(rows), "neighbours")

    def bare_neighbours(self) -> Drawn:
        self.graph()
        mark, once = self.choice([" ", "\t"]), self.rarely() and not self.directed
        rows = self.rows_of()
        if once:  # as networkx writes them
            rows = {
                name: [head for head in row if self.names.index(head) > self.names.index(name)]
                for name, row in rows.items()
            }
        if all(len(row) == 1 for row in rows.values()):  # it is an edge list
            return self.bare_neighbours()
        lines = [mark.join([name, *row]) for name, row in rows.items()]
        return self.drawn(".txt .adjlist -", self.mixed(lines), "neighbours")

    def neighbour_rows(self) -> Drawn:
        kind = self.choice(["from 0", "from 1"])
        self.graph(kind)
        between = self.choice([" ", ",", ", "])
        lines = [between.join(row) for row in self.rows_of().values()]
        if not lines[-1]:
            self.edges.append((self.names[-1], self.names[0]))
            return self.neighbour_rows()
        return self.drawn(".txt -", self.mixed(lines, blank=False), "rows0" if kind == "from 0" else "rows1")

    def metis(self) -> Drawn:
        self.graph("from 1", directed=False)
        code = self.choice(["", "", " 0", " 1", " 10", " 11"])
        first = "7 " * (len(code) == 3)
        rows = [first + " ".join(head + " 5" * code.endswith("1") for head in row) for row in self.rows_of().values()]
        lines = [f"{len(self.names)} {len(self.edges)}{code}", *rows]
        return self.drawn(".graph .txt -", self.mixed(lines, "% METIS", blank=False), "metis")

    def matrix(self) -> Drawn:
        self.graph(self.choice(["from 0", "from 0", "names"]))
        named = not self.names[0].isdigit()
        mark = self.choice([" ", "\t", ",", ", ", ";"] if named else [" ", "", "\t", ",", ";"])
        joined = self.rows_of()
        rows = [[str(int(head in row)) for head in self.names] for row in joined.values()]
        lines = [mark.join(row) for row in rows]
        if named:
            corner = self.rarely() and mark.strip() != ""
            lines = [f"{name}{mark}{line}" if corner else line for name, line in zip(self.names, lines, strict=True)]
            lines = [mark * corner + mark.join(self.names), *lines]
        elif self.rarely():
            lines = [str(len(self.names)), *lines]
        return self.drawn(".txt .csv -" if mark.strip() else ".txt -", self.mixed(lines, blank=False), "matrix")

    def table(self) -> Drawn:
        self.graph(self.choice(["from 0", "from 1", "gaps", "names", "towns"]), lone=False)
        mark, weights = self.choice([",", ";", "\t"]), self.weights()
        header = list(
            self.choice([("source", "target"), ("Source", "Target"), ("from", "to"), ("u", "v"), ("Left", "Right")])
        )
        columns = (header[0], header[1])
        rows = [list(edge) for edge in self.edges]
        kind = self.directed or self.rarely()
        more: list[tuple[str, Callable[[int], str]]] = []
        if kind:
            more.append(("Type", lambda _: "Directed" if self.directed else "Undirected"))
        more += [("Weight", lambda at: weights[at])] if weights[0] else []
        front = self.choice(["", "", "index", "id"])
        for title, cell in more:
            header.append(title)
            rows = [[*row, cell(at)] for at, row in enumerate(rows)]
        if front:
            header = ["" if front == "index" else "id", *header]
            rows = [[str(at), *row] for at, row in enumerate(rows)]
        quote = self.rarely()
        lines = [mark.join(f'"{cell}"' if quote else cell for cell in row) for row in [header, *rows]]
        return self.drawn(".csv .tsv .txt" if mark == "\t" else ".csv .txt", self.mixed(lines, ""), "edges", columns)

    def dimacs(self) -> Drawn:
        self.graph("from 1")
        letter = "a" if self.directed else "e"
        weight = " 7" * (self.directed and self.often())
        word = "sp" if self.directed else self.choice(["edge", "col", "edges", ""])
        lines = [f"{letter} {tail} {head}{weight}" for tail, head in self.edges]
        header = f"p {word} {len(self.names)} {len(self.edges)}".replace("  ", " ")
        if self.rarely() and self.names[-1] in {end for edge in self.edges for end in edge}:
            return self.drawn(".col .txt -", self.mixed(lines, "c a comment"), "dimacs")
        return self.drawn(
            ".gr" if self.directed else ".col .edge .txt -", self.mixed([header, *lines], "c a comment"), "dimacs"
        )

    def tsplib(self) -> Drawn:
        self.graph("from 1", directed=False)
        lists = self.rarely()
        rows = self.rows_of()
        data = (
            [f"{name} {' '.join(row)} -1" for name, row in rows.items() if row]
            if lists
            else [" ".join(edge) for edge in self.edges]
        )
        form = "ADJ_LIST" if lists else "EDGE_LIST"
        lines = [
            "NAME : g",
            "TYPE : HCP",
            f"DIMENSION : {len(self.names)}",
            f"EDGE_DATA_FORMAT : {form}",
            "EDGE_DATA_SECTION",
        ]
        return self.drawn(".hcp .txt -", [*lines, *data, "-1", "EOF"], "tsplib")

    def facts(self) -> Drawn:
        self.graph(self.choice(["from 1", "gaps"]))
        word = "arc" if self.directed else self.choice(["edge", "edge", "arc"])
        both = not self.directed and (word == "arc" or self.often())
        pairs = [pair for edge in self.edges for pair in ((edge, edge[::-1]) if both else (edge,))]
        if word == "arc":
            self.directed, self.edges = True, pairs
        facts = [f"{word}({tail},{head})." for tail, head in pairs] + [f"node({name})." for name in self.names]
        lines = facts if self.often() else [" ".join(facts)]
        return self.drawn(".lp .txt", self.mixed(lines, "% facts"), "facts")

    def json_text(self) -> Drawn:
        self.graph(self.choice(["from 0", "from 0", "names"]))
        number = {name: int(name) if name.isdigit() else name for name in self.names}
        rows = self.rows_of()
        choices = ["node-link", "neighbours", "pairs", "adjacency"] + ["lists", "matrix"] * self.names[0].isdigit()
        form: str
        data: object
        match self.choice(choices):
            case "node-link":
                links = [{"source": number[tail], "target": number[head]} for tail, head in self.edges]
                nodes = [{"id": number[name]} for name in self.names]
                form, data = "json", {"directed": self.directed, "nodes": nodes, self.choice(["links", "edges"]): links}
            case "adjacency":
                nodes = [{"id": number[name]} for name in self.names]
                near = [[{"id": number[head]} for head in row] for row in rows.values()]
                form, data = "json", {"directed": self.directed, "nodes": nodes, "adjacency": near}
            case "pairs":
                self.directed = False
                self.edges = sorted({(min(edge), max(edge)) for edge in self.edges})
                self.names = sorted({end for edge in self.edges for end in edge})
                form, data = "json:edges", [[number[tail], number[head]] for tail, head in self.edges]
            case "neighbours":
                form, data = "json", rows
            case "lists":
                form, data = "json:neighbours", [[number[head] for head in row] for row in rows.values()]
            case _:
                form, data = "json:rows", [[int(head in row) for head in self.names] for row in rows.values()]
        return self.drawn(".json .txt", [json.dumps(data, indent=self.choice([None, 1]))], form)

    # --- forms of programs, and what has to be asked about ---

    def lad(self) -> Drawn:
        self.graph("from 0")
        lines = [" ".join([str(len(row)), *row]) for row in self.rows_of().values()]
        return self.drawn(".lad .txt -", self.mixed([str(len(lines)), *lines]), "lad")

    def weighted_matrix(self) -> Drawn:
        """A matrix in which 0 stands for no edge, or a largest number."""
        self.graph("from 0", directed=self.often())
        joined = self.rows_of()
        if len(self.names) < 3 or sum(map(len, joined.values())) == len(joined) * (len(joined) - 1):
            return self.weighted_matrix()
        form = self.choice(["nonzero", "finite"])
        none = "0" if form == "nonzero" else self.choice(["99", "9999", "inf"])
        own = self.choice(["0", none])
        rows = [
            [own if name == head else str(self.randint(2, 9)) if head in row else none for head in self.names]
            for name, row in joined.items()
        ]
        if self.rarely() and none != "inf":
            numbers = [[int(cell) for cell in row] for row in rows]
            return self.drawn(".json .txt", [json.dumps(numbers)], f"json:{form}")
        mark = self.choice([" ", "\t", ","])
        return self.drawn(".txt .csv -", self.mixed([mark.join(row) for row in rows], blank=False), f"matrix:{form}")

    def unmarked_arcs(self) -> Drawn:
        """Arcs without arrows, some of which stand both ways and others once."""
        kind = self.choice(["edges", "counts", "table", "json"])
        self.graph("from 0" if kind == "counts" else "any", lone=False, directed=True)
        both = {edge for edge in self.edges if edge[::-1] in self.edges}
        if len(both) in (0, len(self.edges)):
            return self.unmarked_arcs()
        mark = "," if kind == "table" else self.choice([" ", "\t"])
        rows = [mark.join(edge) for edge in self.edges]
        if kind == "json":
            return self.drawn(".json", [json.dumps(self.edges)], "json:edges")
        if kind == "counts":
            return self.drawn(".txt .in", self.mixed([f"{len(self.names)} {len(rows)}", *rows]), "counts")
        rows = ["source,target"] * (kind == "table") + rows
        return self.drawn(".csv" if kind == "table" else ".edges .txt", self.mixed(rows), "edges:directed")

    def announced(self) -> Drawn:
        """Lists as planarity, showg and UCINET write them."""
        kind = self.choice(["planarity", "showg", "ucinet"])
        self.graph("names" if kind == "ucinet" else "from 0", lone=kind != "ucinet", directed=False)
        number, rows = len(self.names), self.rows_of().items()
        if kind == "planarity":
            lines = [f"N={number}", *(f"{name}: {' '.join([*row, '-1'])}" for name, row in rows)]
        elif kind == "showg":
            lines = ["", f"Graph 1, order {number}.", *(f"  {name} : {' '.join(row)};" for name, row in rows)]
        else:
            head = self.choice([["dl", "format=edgelist1", f"n={number}"], [f"DL n={number}, format = edgelist1"]])
            lines = [*head, *["labels embedded:"] * self.rarely(), "data:", *(f"{a} {b} 1.0" for a, b in self.edges)]
        return self.drawn(".txt -", lines, "edges" if kind == "ucinet" else "neighbours")

    def labelled(self) -> Drawn:
        """Labels of numbers, then edges between the numbers, and perhaps an end."""
        self.graph("towns", directed=False)
        first = self.choice([0, 1])
        number = {name: str(at) for at, name in enumerate(self.names, start=first)}
        lines = [str(len(number)), *(f"{at} {name}" for name, at in number.items())]
        lines += [f"{number[tail]} {number[head]}" for tail, head in self.edges]
        return self.drawn(".txt -", [*lines, *self.choice([[], ["-1 -1"], ["-1"], ["EOF"]])], "counts")

    def dashed(self) -> Drawn:
        self.graph("names", lone=False, directed=False)
        dash, between = self.choice(["-", "-", " - ", "–"]), self.choice([" ", "\t", ", "])
        return self.drawn(".txt -", [f"{a}{dash}{b}{between}{self.randint(1, 99)}" for a, b in self.edges], "edges")

    def other_dimacs(self) -> Drawn:
        """DIMACS without the e, and TSPLIB with its sections in another order or misspelt."""
        self.graph("from 1", directed=False)
        pairs, (tail, head) = [" ".join(edge) for edge in self.edges], self.edges[0]
        if self.often():
            lines = [f"p {self.choice(['edge', 'col'])} {len(self.names)} {len(pairs)}", *pairs]
            return self.drawn(".col .txt -", self.mixed(lines, "c a comment"), "dimacs")
        fixed = ["FIXED_EDGES_SECTION", f"{tail} {head}", "-1"]
        data = [self.choice(["EDGE_DATA_SECTION", "EDGE_DATA_SELECTION", "EDGES_DATA_SECTION :"]), *pairs, "-1"]
        sections = self.choice([[*fixed, *data], [*data, *fixed], data])
        return self.drawn(".hcp .txt", ["TYPE : HCP", f"DIMENSION : {len(self.names)}", *sections, "EOF"], "tsplib")

    def other_json(self) -> Drawn:
        """JSON of petgraph and of graphology, and with the number of vertices."""
        kind = self.choice(["petgraph", "graphology", "n"])
        self.graph("from 0" if kind != "graphology" else "any")
        words = "directed" if self.directed else "undirected"
        ends = [[int(tail), int(head)] if kind != "graphology" else [tail, head] for tail, head in self.edges]
        data: dict[str, object] = {"n": len(self.names), "edges": ends, "directed": self.directed, "type": "random"}
        if kind == "petgraph":
            rows = [[*pair, self.random()] for pair in ends]
            data = {"nodes": [None] * len(self.names), "node_holes": [], "edge_property": words, "edges": rows}
        if kind == "graphology":
            flags = {} if self.directed else {"undirected": True}
            edges = [{"key": str(at), "source": a, "target": b} | flags for at, (a, b) in enumerate(ends)]
            kinds = {"type": self.choice([words, "mixed"]), "multi": False}
            data = {"options": kinds, "nodes": [{"key": name} for name in self.names], "edges": edges}
        return self.drawn(".json .txt", [json.dumps(data, indent=self.choice([None, 1]))], "json")

    def quoted_names(self) -> Drawn:
        """Names that only files with marks around each can have."""
        self.graph("quoted", directed=False)
        number = {name: at for at, name in enumerate(self.names, start=1)}
        escaped = {name: escape(name, {'"': "&quot;"}) for name in number}
        kind = self.choice(["gml", "gexf", "net"])
        if kind == "gml":
            lines = [f'node [ id {at} label "{escaped[name]}" ]' for name, at in number.items()]
            lines += [f"edge [ source {number[a]} target {number[b]} ]" for a, b in self.edges]
            return self.drawn(".gml .txt", ["graph [", *lines, "]"], "gml")
        if kind == "gexf":
            nodes = "".join(f'<node id="{name}" label="x"/>' for name in escaped.values())
            edges = "".join(f'<edge source="{escaped[a]}" target="{escaped[b]}"/>' for a, b in self.edges)
            head = '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"><graph defaultedgetype="undirected">'
            lines = [f"{head}<nodes>{nodes}</nodes><edges>{edges}</edges></graph></gexf>"]
            return self.drawn(".gexf", lines, "gexf", bom=False)
        lines = [f"*Vertices {len(number)}", *(f'{at} "{name}"' for name, at in number.items()), "*Edges"]
        return self.drawn(".net", [*lines, *(f"{number[a]} {number[b]}" for a, b in self.edges)], "pajek")


FORMS: tuple[Callable[[Writer], Drawn], ...] = (
    Writer.edge_list,
    Writer.counted,
    Writer.neighbours,
    Writer.bare_neighbours,
    Writer.neighbour_rows,
    Writer.metis,
    Writer.matrix,
    Writer.table,
    Writer.dimacs,
    Writer.tsplib,
    Writer.facts,
    Writer.json_text,
    Writer.lad,
    Writer.weighted_matrix,
    Writer.unmarked_arcs,
    Writer.announced,
    Writer.labelled,
    Writer.dashed,
    Writer.other_dimacs,
    Writer.other_json,
    Writer.quoted_names,
)


def drawn(seed: int) -> Drawn:
    """Return the text of this number: the forms take turns."""
    return FORMS[seed % len(FORMS)](Writer(f"graph {seed}"))
