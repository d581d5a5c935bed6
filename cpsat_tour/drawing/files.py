"""Tours to files: the form by the file's suffix, and files that are whole or not there at all."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from pathlib import Path

from cpsat_tour.core.errors import BadInput
from cpsat_tour.core.graph import Graph
from cpsat_tour.core.tour import Tour
from cpsat_tour.formats.describe import tour_data

SUFFIXES = (".svg", ".png", ".gif", ".txt", ".json")
DRAWN = (".svg", ".png", ".gif")
"""What a tour can be written as."""


def check_destination(path: str | Path, graph: Graph) -> None:
    """Raise `BadInput` if a tour of the graph can't be written there, as far as can be told before there is one.

    The suffix names the form; only what lies in rows and columns can be drawn; PNG needs resvg-py and GIF Pillow; the folder must be there
    and take a new file.
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise BadInput(f"can't tell what to write to {path}: give it one of the suffixes {', '.join(SUFFIXES)}")
    if path.suffix.lower() in DRAWN and not graph.space.layers():
        raise BadInput(f"can't draw {path}: {graph.called} has no places for its vertices, so write its tour to a .txt or .json file")
    if path.suffix.lower() == ".png":
        from cpsat_tour.drawing.png import require_resvg

        require_resvg()
    if path.suffix.lower() == ".gif":
        from cpsat_tour.drawing.gif import check_film

        check_film(graph.space)
    check_place(path)


def check_place(path: Path) -> None:
    """Raise `BadInput` if no file can be written there: it is a folder, or its folder is not there or takes no new file."""
    folder = path.parent
    if path.is_dir():
        raise BadInput(f"can't write {path}: it is a folder, so name a file in it")
    if not folder.is_dir():
        raise BadInput(f"can't write {path}: there is no folder {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadInput(f"can't write {path}: no permission to write in the folder {folder}")


def save_tour(tour: Tour, path: str | Path) -> None:
    """Write the tour in the form that the suffix names; `BadInput` where that can't be.

    ``.svg`` and ``.png`` are drawings of a board, ``.gif`` is the knight walking, ``.txt`` its visit numbers, ``.json`` the list
    ``[[row, col], …]`` of the squares in order. For other graphs ``.txt`` holds one vertex name a line and ``.json`` the list of names.
    """
    check_destination(path, tour.graph)
    suffix = Path(path).suffix.lower()
    if suffix == ".svg":
        write(path, tour.svg())
    elif suffix == ".png":
        from cpsat_tour.drawing.png import png

        write(path, png(tour.svg()))
    elif suffix == ".gif":
        from cpsat_tour.drawing.gif import walk

        write(path, walk(tour.graph.space, tour, closed=tour.closed))
    elif suffix == ".txt":
        write(path, tour.text() if tour.graph.space.layers() else "".join(f"{name}\n" for name in tour.names))
    else:
        write(path, json.dumps(tour_data(tour), ensure_ascii=False) + "\n")


def write(path: str | Path, data: str | bytes) -> None:
    """Write the whole file or leave what was there: to a new file beside it, which then takes its name; `BadInput` on any failure."""
    target = Path(os.path.realpath(path))
    temporary = target.parent / f".cpsat-tour-{secrets.token_hex(8)}"
    try:
        try:
            with open(temporary, "xb") as file:
                file.write(data.encode() if isinstance(data, str) else data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise
    except OSError as fault:
        raise BadInput(f"can't write {path}: {(fault.strerror or str(fault)).lower()}") from fault
