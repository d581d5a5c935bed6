"""Matplotlib figures without a window system, and their files: SVG, PNG and PDF, each whole or not there at all."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.libraries import lacks
from cpsat_tour.formats.files import write

try:
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
except ImportError:
    raise lacks("a plot", "matplotlib") from None

SUFFIXES = (".svg", ".png", ".pdf")

_DOTS_PER_INCH = 150

_METADATA: dict[str, dict[str, str | None]] = {
    "svg": {"Creator": "cpsat-tour", "Date": None},
    "png": {"Software": "cpsat-tour"},
    "pdf": {"Creator": "cpsat-tour", "CreationDate": None},
}
"""What says that the picture is ours, and nothing that differs from one day to the next."""

_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "cpsat-tour",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
"""Words are drawn as paths, for fonts may be missing; equal pictures are equal files."""


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of this size in inches."""
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), facecolor="white")
        FigureCanvasAgg(figure)
    return figure


class Plot:
    """A figure that a notebook shows."""

    def __init__(self, figure: Figure) -> None:
        self.figure = figure

    def _repr_svg_(self) -> str:
        return _rendered(self.figure, "svg").decode()

    def save(self, path: str | Path) -> None:
        """Write the picture, as SVG, PNG or PDF by the suffix; `BadInput` for another one."""
        save(self.figure, Path(path))


def save(figure: Figure, path: Path) -> None:
    """Write the figure in the form that the suffix names."""
    check_suffix(path)
    write(path, _rendered(figure, path.suffix.lower().removeprefix(".")))


def check_suffix(path: Path) -> None:
    """`BadInput` where the suffix names no form of a picture."""
    if path.suffix.lower() not in SUFFIXES:
        raise BadInput(f"can't tell what to draw to {path}: give it one of the suffixes {', '.join(SUFFIXES)}")


def _rendered(figure: Figure, form: str) -> bytes:
    buffer = BytesIO()
    with matplotlib.rc_context(_STYLE):
        figure.savefig(buffer, format=form, dpi=_DOTS_PER_INCH, metadata=_METADATA[form])
    return buffer.getvalue()
