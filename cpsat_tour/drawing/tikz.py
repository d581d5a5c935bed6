"""Drawings as TikZ, for papers in LaTeX: a `tikzpicture` that a document reads with ``\\input`` after
``\\usepackage{tikz}``.

Each shape of the SVG drawing becomes a line, with the same coordinates: a square has the side 1, and y points down. The
picture is as wide and as high as `WIDTH` at most. Letters are those of the document's font.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from cpsat_tour.drawing.points import UNIT

WIDTH = 12.0
"""The longest side of the picture, in centimetres; a square has at most 1."""

STYLES = {
    "fill": "fill={}",
    "stroke": "draw={}",
    "stroke-width": "line width={}cm",
    "stroke-linecap": "line cap={}",
    "stroke-linejoin": "line join={}",
    "stroke-dasharray": "dash pattern=on {0}cm off {0}cm",
    "fill-opacity": "fill opacity={}",
    "stroke-opacity": "draw opacity={}",
    "fill-rule": "even odd rule",
    "rx": "rounded corners={}cm",
}
"""The options of a TikZ path for the attributes of a shape."""

LENGTHS = ("stroke-width", "stroke-dasharray", "rx")

LETTERS = str.maketrans(
    {letter: f"\\{letter}" for letter in "_%&#${}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {letter: f"${letter}$" for letter in "<>|"}
    | {"→": r"$\to$", "½": r"$\frac12$"}
)
"""What LaTeX writes for letters that mean something else to it."""


def tikz(svg: str) -> str:
    """Return an SVG drawing as a TikZ picture."""
    root = ungrouped(svg)
    cm = min(1.0, UNIT * WIDTH / max(map(int, root.attrib["viewBox"].split()[2:])))
    lines = [f"% {root[0].text}", f"\\begin{{tikzpicture}}[x={cm:.4g}cm, y=-{cm:.4g}cm]"]
    lines += [f"\\definecolor{{c{colour}}}{{HTML}}{{{colour}}}" for colour in sorted({*re.findall("#(.{6})", svg)})]
    for group in root.iter("g"):
        lines += [f"% {group.attrib['class']}", *(_line(shape, cm / UNIT) for shape in group)]
    return "\n".join([*lines, "\\end{tikzpicture}\n"])


def _line(shape: ET.Element, cm: float) -> str:
    """Return the TikZ line of a shape, with a unit of the drawing as so many centimetres."""
    look = {key: value.replace("#", "c") for key, value in shape.items()}
    x, y, wide, high, radius = (float(look.get(key, 0)) / UNIT for key in ("x", "y", "width", "height", "r"))
    if shape.tag == "text":
        size, anchor = float(look["font-size"]) * cm * 2.845, {"start": "base west"}.get(look["text-anchor"], "base")
        words = (shape.text or "").translate(LETTERS)
        pen = f"{anchor}, inner sep=0pt, scale={size:.3g}, font=\\fontsize{{10}}{{12}}\\selectfont, text={look['fill']}"
        return f"\\node[anchor={pen}] at ({x:g},{y:g}) {{{words}}};"
    drawn = f"({x:g},{y:g}) rectangle +({wide:g},{high:g})"
    if shape.tag == "circle":
        drawn = f"({float(look['cx']) / UNIT:g},{float(look['cy']) / UNIT:g}) circle[radius={radius:g}]"
    elif shape.tag == "path":
        drawn = _path(look["d"])
    look |= {key: f"{float(look[key]) * cm:.3g}" for key in LENGTHS if key in look}
    options = ", ".join(style.format(look[key]) for key, style in STYLES.items() if look.get(key, "none") != "none")
    return f"\\path[{options}] {drawn};"


def _path(data: str) -> str:
    """Return SVG path data as a TikZ path; two arcs that close a circle are a circle."""
    drawn, at = "", 0j
    data = re.sub(
        r"M(-?\d+) (-?\d+)a(\d+) .*?Z", lambda ring: f"M{int(ring[1]) + int(ring[3])} {ring[2]}a{ring[3]}", data
    )
    for command, rest in re.findall("([A-Za-z])([^A-Za-z]*)", data):
        numbers = iter([float(number) / UNIT for number in re.findall(r"-?[\d.]+", rest)])
        for first in numbers:
            if command == "a":
                drawn += f" circle[radius={first:g}]"
                continue
            second = next(numbers) if command in "MLl" else at.imag if command == "H" else first
            left = at.real if command == "V" else first
            at = at + complex(first, 0) if command == "h" else complex(left, second) + at * (command == "l")
            drawn += f"{' ' if command == 'M' else ' -- '}({at.real:g},{at.imag:g})"
        drawn += " -- cycle" * (command == "Z")
    return drawn.strip()


def ungrouped(svg: str) -> ET.Element:
    """Return an SVG drawing without its name space, with the attributes of each group at its shapes too."""
    root = ET.fromstring(svg.replace(' xmlns="http://www.w3.org/2000/svg"', ""))
    for group in root.iter("g"):
        for shape in group:
            shape.attrib = {**group.attrib, **shape.attrib}
    return root
