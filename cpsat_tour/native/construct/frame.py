"""The frame in which a construction works: the board turned so that its short side lies upright, and reflected as the
ends wish.

Limits: rows and columns number less than 2**31.
"""

from __future__ import annotations

from dataclasses import dataclass

from cpsat_tour.native.construct.pieces import Place


@dataclass(frozen=True)
class Frame:
    """A board of ``rows x cols``, no higher than wide, onto which the asker's board was turned, ``transposed`` or not,
    then reflected."""

    rows: int
    cols: int
    transposed: bool
    upside_down: bool = False
    left_right: bool = False

    @classmethod
    def of(cls, rows: int, cols: int) -> Frame:
        """The frame of the asker's board, not reflected."""
        return cls(min(rows, cols), max(rows, cols), rows > cols)

    def inside(self, place: Place) -> Place:
        """A square of the asker's board as the construction sees it."""
        row, col = place[::-1] if self.transposed else place
        return self.rows - 1 - row if self.upside_down else row, self.cols - 1 - col if self.left_right else col
