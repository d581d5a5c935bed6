"""Drawings as TikZ for papers in LaTeX: a picture that a document with ``\\usepackage{tikz}`` reads by ``\\input``.

Each shape of the SVG drawing is a line, in the same coordinates: a square has the side 1, and y points down. The longer
side of the picture is `WIDTH` at most. Words have the font of the document.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from cpsat_tour.drawing.points import UNIT

WIDTH = 12.0
"""The longest side of a picture, in centimetres; that of a square is at most 1."""

SHAPES = {
    "path": r"\path[{options}]{path};",
    "rect": r"\path[{options}] ({x},{y}) rectangle +({width},{height});",
    "circle": r"\path[{options}] ({cx},{cy}) circle[radius={r}];",
    "text": r"\node[anchor={anchor}, inner sep=0pt, font=\fontsize{{10}}{{12}}\selectfont, scale=2.845*{font-size}, "
    r"text={fill}] at ({x},{y}) {{{words}}};",
}
"""The line of each shape; 2.845 scales a font of 10 points to a size in centimetres."""

OPTIONS = {
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
"""The option for each attribute of a shape."""

LETTERS = str.maketrans(
    {letter: f"\\{letter}" for letter in "_%&#${}"}
    | {letter: f"${letter}$" for letter in "<>|"}
    | {"\\": "$\\backslash$", "~": "$\\sim$", "^": "\\^{}", "→": "$\\to$", "½": "$\\frac12$"}
)
"""The letters that LaTeX does not take as they are."""


def tikz(svg: str) -> str:
    """Return an SVG drawing as a TikZ picture."""
    title, root = ungrouped(svg)
    cm = min(1.0, UNIT * WIDTH / max(map(int, root.attrib["viewBox"].split()[2:])))
    lines = [f"% {title}", f"\\begin{{tikzpicture}}[x={cm:.4g}cm, y=-{cm:.4g}cm]"]
    lines += [f"\\definecolor{{c{colour}}}{{HTML}}{{{colour}}}" for colour in sorted({*re.findall("#(.{6})", svg)})]
    for group in root.iter("g"):
        lines += [f"% {group.attrib['class']}", *(_line(shape, cm / UNIT) for shape in group)]
    return "\n".join([*lines, "\\end{tikzpicture}\n"])


def _line(shape: ET.Element, cm: float) -> str:
    """Return the line of a shape; ``cm`` is the size of a unit of the drawing."""
    look = {key: value.replace("#", "c") for key, value in shape.items()}
    places = {
        key: f"{float(look[key]) / UNIT:g}" for key in look.keys() & {"x", "y", "width", "height", "cx", "cy", "r"}
    }
    lengths = look.keys() & {"stroke-width", "stroke-dasharray", "rx", "font-size"}
    look |= places | {key: f"{float(look[key]) * cm:.3g}" for key in lengths}
    options = ", ".join(form.format(look[key]) for key, form in OPTIONS.items() if look.get(key, "none") != "none")
    anchor = "base west" if look.get("text-anchor") == "start" else "base"
    words = (shape.text or "").translate(LETTERS)
    path = re.sub("([A-Za-z])([^A-Za-z]*)", _step, re.sub(r"a(\d+)[^Z]*Z", r"O\1", look.get("d", "")))
    return SHAPES[shape.tag].format(options=options, anchor=anchor, words=words, path=path, **look)


def _step(part: re.Match[str]) -> str:
    """Return a command of SVG path data as a part of a TikZ path; ``O`` stands for a circle round a point beside."""
    numbers = [f"{float(number) / UNIT:g}" for number in re.findall(r"-?[\d.]+", part[2])]
    if part[1] in "ZhO":
        return {"Z": " -- cycle", "h": " -- +(0,0)", "O": " +({0},0) circle[radius={0}]"}[part[1]].format(*numbers)
    before = {"M": " ", "L": " -- ", "l": " -- ++"}[part[1]]
    return "".join(f"{before}({x},{y})" for x, y in zip(numbers[::2], numbers[1::2], strict=True))


def ungrouped(svg: str) -> tuple[str, ET.Element]:
    """Return the title of an SVG drawing, and its shapes, each with the attributes of its group too."""
    root = ET.fromstring(svg.replace(' xmlns="http://www.w3.org/2000/svg"', ""))
    title = root[0].text or ""
    del root[:2]
    for group in root.iter("g"):
        for shape in group:
            shape.attrib = {**group.attrib, **shape.attrib}
    return title, root
