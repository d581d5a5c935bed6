"""The backend ``construct``: open and closed tours of every knight's board of two sides that has one, without any
search, in time linear in the squares.

Divide and conquer (Parberry 1997, there with squares of even sides). The board lies with its short side upright and is
cut into blocks: the first row and the first column of blocks are 5 to 11 squares wide, all others 6. Each block has a
closed tour that makes one move near each border which lies across from a move of its neighbour: both moves are given up
and their ends joined crosswise, so that two cycles become one. All blocks of a row are joined to their neighbours, and
the rows in the first column, so the joints form a tree, and the walk along the tours meets every square. On an odd
board the first block has odd sides and an open tour, whose ends are those of the whole.

Boards of three rows are a first block and others of 3x4, whose open tours have their ends joined to a move of the block
on the left (Cull & De Curtins 1978). On four rows there is no closed tour to be joined: an open tour of 4x9 or 4x10 is
cut where all moves across the cut lead on by one column, and goes on from each as a zigzag through the new columns.

The tours of blocks were found by the edge search; the tests verify them. Every tour begins in the top left corner and
is in canonical form. The backend never refutes: where the theorems know of no tour, the problem stays unknown, with
their word.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from cpsat_tour.core.kernels import Record, kernel
from cpsat_tour.core.problem import Problem
from cpsat_tour.core.runs import Limits, OnEvent
from cpsat_tour.core.space import Ints
from cpsat_tour.spaces.board import Board
from cpsat_tour.spaces.lattice import KNIGHT, leaper_directions
from cpsat_tour.spaces.theorems import why_no_tour
from cpsat_tour.tour import Answer

Place = tuple[int, int]
Move = tuple[Place, Place]

LEFT, RIGHT, TOP, BOTTOM = range(4)  # the borders of a block; that of the neighbour is ``border ^ 1``

NOWHERE = -1

MAX_SIDE_OF_ONE_BLOCK = 11

THREE_ROWS = (12, 9, 10, 7)
"""Columns of the first block on three rows, by the remainder of the columns by four; up to nine all are one block."""


@dataclass(frozen=True)
class Construct:
    """The backend ``construct``: tours of knight's boards, joined from tours of small blocks."""

    takes: ClassVar[frozenset[str]] = frozenset()
    unit: ClassVar[str] = "squares"
    refutes: ClassVar[bool] = False
    boards_only: ClassVar[bool] = True

    def solve(self, problem: Problem, limits: Limits, on_event: OnEvent | None = None) -> Answer:  # noqa: ARG002
        """Return a tour, or ``unknown`` with the reason: a theorem that there is none, or the limit that was met."""
        board = problem.graph.space
        assert isinstance(board, Board)
        clock = limits.clock()
        if why := why_no_tour(board, closed=problem.closed):
            return Answer.stopped(why)
        if limits.work is not None and limits.work < len(board):
            return Answer.stopped("work")
        visits = join_blocks(board.rows, board.cols, closed=problem.closed)
        if stopped_by := clock.stopped_by:
            return Answer.stopped(stopped_by, {"squares": len(visits)})
        return Answer.with_tour(problem, visits[:, 0] * board.cols + visits[:, 1], {"squares": len(visits)})


class Blocks(Record):
    """A board cut into blocks of four kinds: the first block, those right of it, those below it, and all others."""

    first_rows: int  # of the first block
    first_cols: int
    rows: int  # of all others
    cols: int
    down: int  # how many blocks there are
    across: int
    transposed: bool  # whether the rows of the board are columns here
    most: int  # squares of a block
    square_rows: Annotated[Ints, "4*most"]  # the squares of its tour
    square_cols: Annotated[Ints, "4*most"]
    lengths: Annotated[Ints, "4"]  # their number
    exits: Annotated[NDArray[np.int8], "8*most"]  # where the move after or before a square is given up, at which border
    joints: Annotated[Ints, "32"]  # for each border where in the tour the ends of that move are


def join_blocks(rows: int, cols: int, *, closed: bool) -> Ints:
    """Return a tour of a board that has one: an array of shape ``(squares, 2)``, a row and a column each."""
    transposed = rows > cols
    short, long = sorted((rows, cols))
    if short == 4:
        tour = _four_row_tour(long)
        return tour[:, ::-1] if transposed else tour
    if long == 1:
        return np.zeros((1, 2), dtype=np.int32)
    assert not closed or rows * cols % 2 == 0
    blocks = _blocks(short, long, transposed)
    directions = BLOCK_TOURS[blocks.first_rows, blocks.first_cols]
    returns = sorted(map(abs, walked_squares((0, 0), directions)[-1])) == [1, 2]
    # The first block is walked so that the second square is less than the last.
    step = -1 if returns and (directions[0] == "3") == transposed else 1
    visits = np.empty((rows * cols, 2), dtype=np.int32)
    blocks_walk(blocks, step, visits, len(visits))
    return visits


def walked_squares(start: Place, directions: str) -> list[Place]:
    """Return the row and column of each square on a walk from ``start``; ``directions`` are digits, 1 to 8 clockwise
    from north-north-east."""
    steps = leaper_directions(KNIGHT)
    squares = [start]
    for digit in directions:
        (row, col), (down, right) = squares[-1], steps[int(digit) - 1]
        squares.append((row + down, col + right))
    return squares


def given_up_move(rows: int, cols: int, border: int) -> Move:
    """Return the move, as two squares of the block, that is removed from its tour to join the block to the one beyond
    this border.

    The ends of the moves at opposite borders are a knight's move apart. Those on the right and below leave a corner, so
    every closed tour makes them.
    """
    return {
        LEFT: ((1, 1), (3, 0)),
        RIGHT: ((0, cols - 1), (2, cols - 2)),
        TOP: ((1, cols - 2), (0, cols - 4)),
        BOTTOM: ((rows - 1, cols - 1), (rows - 2, cols - 3)),
    }[border]


def _blocks(rows: int, cols: int, transposed: bool) -> Blocks:
    """Return the blocks of a board with their tours and the places where these are joined.

    The board has three rows, or five and more, and no fewer columns than rows.
    """
    if rows == 3:
        sizes = (3, 3), (cols if cols <= 9 else THREE_ROWS[cols % 4], 4)
    else:
        first_rows, first_cols = (side if side <= MAX_SIDE_OF_ONE_BLOCK else 6 + side % 6 for side in (rows, cols))
        sizes = (first_rows, 6), (first_cols, 6)
    (first_rows, other_rows), (first_cols, other_cols) = sizes
    shape = 4, MAX_SIDE_OF_ONE_BLOCK**2
    blocks = Blocks(
        first_rows=first_rows,
        first_cols=first_cols,
        rows=other_rows,
        cols=other_cols,
        down=1 + (rows - first_rows) // other_rows,
        across=1 + (cols - first_cols) // other_cols,
        transposed=transposed,
        most=shape[1],
        square_rows=np.zeros(shape, dtype=np.int32),
        square_cols=np.zeros(shape, dtype=np.int32),
        lengths=np.zeros(4, dtype=np.int32),
        exits=np.full((*shape, 2), NOWHERE, dtype=np.int8),
        joints=np.zeros((4, 4, 2), dtype=np.int32),
    )
    for kind in range(4):
        below, beside = kind >= 2 and blocks.down > 1, kind % 2 == 1 and blocks.across > 1
        rows, cols = sizes[0][below], sizes[1][beside]
        borders = {LEFT: beside, RIGHT: blocks.across > 1, TOP: below, BOTTOM: blocks.down > 1}
        given_up = {
            border: given_up_move(rows, cols, border)
            for border, crossed in borders.items()
            if crossed and (border < TOP or not beside)
        }
        tour = (
            walked_squares((0, 0), BLOCK_TOURS[rows, cols]) if rows > 3 or not beside else walked_squares((2, 0), EAR)
        )
        if rows == 3 and beside:
            given_up[LEFT] = tour[0], tour[-1]
        blocks.square_rows[kind, : len(tour)], blocks.square_cols[kind, : len(tour)] = np.array(tour).T
        blocks.lengths[kind] = len(tour)
        for border, ends in given_up.items():
            blocks.joints[kind, border] = before, after = [tour.index(end) for end in ends]
            if (before + 1) % len(tour) != after:
                before, after = after, before
            assert (before + 1) % len(tour) == after, "the tour makes the move"
            blocks.exits[kind, before, 0] = blocks.exits[kind, after, 1] = border
    return blocks


@kernel
def blocks_walk(blocks: Blocks, step: int, visits: Annotated[Ints, "2*squares"], squares: int) -> int:
    """Write the row and column of each of ``squares`` squares of the joined tour, in order, and return their number.

    The walk begins at the first square of the first block, and follows its tour in the direction ``step``, 1 or -1.
    """


def _four_row_tour(cols: int) -> Ints:
    """Return an open tour of the board with 4 rows, as `join_blocks` does."""
    narrow = cols if cols <= 10 else 10 - cols % 2
    tour, new = walked_squares((0, 0), BLOCK_TOURS[4, narrow]), cols - narrow
    after = narrow
    if new:  # the first column such that all moves across its right side lead on by one column
        crossings = [sorted((here[1], there[1])) for here, there in pairwise(tour)]
        after = next(col for col in range(narrow) if all(b - a == 1 for a, b in crossings if a <= col < b))
    parts: list[Ints] = []
    kept: list[Place] = []
    for here, there in pairwise((*tour, tour[-1])):
        kept.append((here[0], here[1] + (new if here[1] > after else 0)))
        if (here[1] <= after) != (there[1] <= after):
            zigzag = np.empty((new, 2), dtype=np.int32)
            zigzag[0::2, 0], zigzag[1::2, 0] = there[0], here[0]
            zigzag[:, 1] = kept[-1][1] + (1 if there[1] > here[1] else -1) * np.arange(1, new + 1)
            parts += [np.array(kept, dtype=np.int32), zigzag]
            kept = []
    return np.concatenate([*parts, np.array(kept, dtype=np.int32)])


# --- the tours of blocks ---

# Rows and columns, and the directions of the moves, digits as in `walked_squares`. A tour begins in the top left
# corner; one of an even board with a closed tour is closed, and written without its last move. The tours make the moves
# at which blocks are joined, and those of 4x9 and 4x10 can be stretched.

# fmt: off
BLOCK_TOURS: dict[tuple[int, int], str] = {
    (3, 4): "36136147257",
    (3, 7): "36147252247258368632",
    (3, 8): "36136163224725836836863",
    (3, 9): "42236863863231638527676385",
    (3, 10): "41632236858632327416386747752",
    (3, 12): "42236836863238324725836836857763852",
    (4, 5): "4317642163864713476",
    (4, 6): "41347146858361235825671",
    (4, 7): "413256823576833286753238765",
    (4, 8): "4385214385286763143174165875385",
    (4, 9): "41414317416585858385314142853875865",
    (4, 10): "414132467134768585831413256823576875385",
    (5, 5): "361346712457835217552381",
    (5, 6): "45231855712358254768144287641",
    (5, 7): "3236865321467612245768144782438254",
    (5, 8): "334287452176431865681413254767824571461",
    (5, 9): "32522472563883467685231775423217676438612433",
    (5, 10): "3438865258132325471767643223681356883245785614761",
    (5, 11): "361343883431867552385761612323538164786764258523232727",
    (6, 6): "32456725238528167542417276522764528",
    (6, 7): "45385221765423163882546831865478147241367",
    (6, 8): "32357225467681463231725476781414164661823245687",
    (6, 9): "45314761823661452382834638174167541775432383683186747",
    (6, 10): "33467813383245672427174357616323817416746168355725812574528",
    (6, 11): "45316328832347145614768875352252183254685723381767427477636135611",
    (7, 6): "36452316385286582854225671838325836146175",
    (7, 7): "323683457282567423576836181324547671286361453136",
    (7, 8): "3613564213476724217542776528831413582545767271313528675",
    (7, 9): "35538523861713412458358357685811636124136854472478123547116543",
    (7, 10): "324643858185613864538527421123546713476833172855316827641316767535388",
    (7, 11): "4164532385217682544712723417668652854527414238166611235823471464742747247281",
    (8, 6): "44713834611675364328631675385231817574542388286",
    (8, 7): "3412583575641631218536357752881341756146432163614787825",
    (8, 8): "323686536423287772325586356111754524183254728174163635614761681",
    (8, 9): "36134713417556528531414281852741644725478572568182414614542164767828538",
    (8, 10): "4541714744612341257428787416743542318656142388272552876764542118531252755567218",
    (8, 11): "452852854525212174456142388357428185254728767456527182323258554385767252174418147746116",
    (9, 6): "33167544583611712361457631354725875328147254678183275",
    (9, 7): "45452853142874478641227175614713316417646334728185363567821682",
    (9, 8): "44714524572421611856325467682745211427534725767271823316755813235681367",
    (9, 9): "41644538721454761827134546718123417572413563171456782565422427256833881165543172",
    (9, 10): "42753638835542316672743166112174363836768138323472758325461456872276424385385774231818676",
    (9, 11): "42234174145712552572175644316381664216367165836782146724431718765285453614712447612272582765823521",
    (10, 6): "41352853545836782741618361235525836418755361472523878813257",
    (10, 7): "323683463865285854522417524775811852724542852456781813247254546857181",
    (10, 8): "3235285255254614761714663852883165424216668181471325857452327532725457818225775",
    (10, 9): "45435725825823524281728674434576142817713258355366185286382276747233363547676181368144782",
    (10, 10): "453883581325225274163636867581236832346354728727643418634678825664231631476178645282365727431287286",
    (10, 11):
        "3232355281635816563171452565671257431476836118524235683387828546881342854413457742385824725827287668"
        "631654161",
    (11, 6): "34588358132546117653114576443825476827452318836754328774531281875",
    (11, 7): "3631744782531258355254728612858367535834363852742816381657458358361814745323",
    (11, 8): "361331468763538643472568272143168358572754531421641725476782552242872163817416742757538",
    (11, 9): "41416412361468757434124725685754314217146358632866864188345323872168216613677538533674531381857545",
    (11, 10):
        "4258533817643311258354661783124587535643216386414768772744638527422854231727276185858543477427543212"
        "852187586",
    (11, 11):
        "4134243816834554612771614522728675224167547544252381865431866675274141418687416314671244567121253346"
        "76868181417525831361",
}
# fmt: on

EAR = "27427416386"  # an open tour of 3x4 from the lower left corner to the square above it
