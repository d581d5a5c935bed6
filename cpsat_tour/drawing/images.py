"""Drawings as PNG, by resvg; as the pages of a PDF, by fpdf2: shapes, and words as text that can be searched and
copied; as TikZ, for papers in LaTeX; and as one page of SVG. PNG and PDF have a font that the suite brings along, so
that they look the same on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from io import BytesIO
from itertools import chain
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from cpsat_tour.core.errors import BadInput
from cpsat_tour.drawing.canvas import Canvas
from cpsat_tour.drawing.points import FONT, PAPER, UNIT


def ungrouped(svg: str) -> tuple[str, ET.Element]:
    """Return the title of an SVG drawing, and its shapes, each with the attributes of its group too."""
    root = ET.fromstring(svg.replace(' xmlns="http://www.w3.org/2000/svg"', ""))
    title = root[0].text or ""
    del root[:2]
    for group in root.iter("g"):
        for shape in group:
            shape.attrib = {**group.attrib, **shape.attrib}
    return title, root


# --- PNG ---

MAX_PIXELS = 4096
"""The longer side of a PNG; a picture of that side takes 64 MB while it is drawn."""


def png(svg: str) -> bytes:
    """Render an SVG drawing as PNG, at twice its size, up to 4096 pixels a side."""
    root = ET.fromstring(svg)
    width, height = int(root.attrib["width"]), int(root.attrib["height"])
    side = min(2 * max(width, height), MAX_PIXELS)
    wide, high = (side, None) if width >= height else (None, side)
    return rendered(svg, wide, high)


def rendered(svg: str, width: int | None = None, height: int | None = None) -> bytes:
    """Render an SVG drawing as PNG in its own size, or with this width or height."""
    import resvg_py

    # Other letters come from the fonts of this machine, if it has them, which take a while to load.
    drawn = resvg_py.svg_to_bytes(
        svg_string=svg, width=width, height=height, font_files=[font_file()], skip_system_fonts=in_font(svg)
    )
    return bytes(drawn)


def in_font(words: str) -> bool:
    """Return True if the font has all letters of the words: Latin, Greek and Cyrillic ones."""
    return all(letter < "\u0530" or letter in "…→" for letter in words)


def font_file() -> str:
    """Return the path of the font file."""
    from font_source_sans_pro import font_files_ttf

    return str(font_files_ttf["SourceSansPro"])


# --- PDF ---

MARGIN = 15
"""The margin of an A4 page, in millimetres."""

PIXEL, MAX_PAGE = 25.4 / 96, 5080
"""The size of a pixel in millimetres, and the longest side of a page that viewers of PDF open."""

PDF_LETTERS = "a PDF has Latin, Greek and Cyrillic letters, a .png others"


def pdf(svg: str) -> bytes:
    """Return an SVG drawing as a PDF of one page, as large as the drawing."""
    title, root = ungrouped(svg)
    width, height = (PIXEL * int(root.attrib[side]) for side in ("width", "height"))
    shrink = max(1.0, width / MAX_PAGE, height / MAX_PAGE)
    return pages(title, [[svg]], (width / shrink, height / shrink), 0)


def pages(
    title: str, kinds: Sequence[Sequence[str]], size: str | tuple[float, float] = "A4", margin: float = MARGIN
) -> bytes:
    """Return a PDF of pages with SVG drawings, each as large as its part of the page allows: two by two if there are
    several of a kind. Each kind begins on a new page. The bytes depend on the drawings alone."""
    from fpdf import FPDF

    if not in_font(title + "".join(chain(*kinds))):
        raise BadInput(f"the drawing has letters that a PDF can't show: {PDF_LETTERS}")
    document = FPDF(format=size)
    document.set_margin(margin)
    document.set_title(title)
    document.set_producer("cpsat-tour")
    document.set_creation_date(datetime.fromtimestamp(0, UTC))
    document.add_font(FONT.partition(",")[0], fname=font_file())
    across = 1 + (len(kinds[0]) > 1)
    wide, high = document.epw / across, document.eph / across
    for place, drawing in chain(*map(enumerate, kinds)):
        if place % across**2 == 0:
            document.add_page()
        down, right = divmod(place % across**2, across)
        picture, x, y = ET.tostring(ungrouped(drawing)[1]), margin + right * wide, margin + down * high
        document.image(BytesIO(picture), x, y, wide - 10 * (across - 1), high, keep_aspect_ratio=True)
    return bytes(document.output())


# --- TikZ ---

MAX_WIDTH = 12.0
"""The longest side of a picture in TikZ, in centimetres; that of a square is at most 1."""

SHAPES = {  # 2.845 scales a font of 10 points to a size in centimetres
    "path": r"\path[{options}]{path};",
    "rect": r"\path[{options}] ({x},{y}) rectangle +({width},{height});",
    "circle": r"\path[{options}] ({cx},{cy}) circle[radius={r}];",
    "text": r"\node[anchor={anchor}, scale=2.845*{font-size}, text={fill}] at ({x},{y}) {{{words}}};",
}

STEPS = {  # O stands for a circle round a point on the right
    **{"M": " ({0},{1})", "L": " -- ({0},{1})", "l": " -- ++({0},{1})", "h": " -- +({0},0)", "Z": " -- cycle"},
    "O": " +({0},0) circle[radius={0}]",
}

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

LETTERS = str.maketrans(
    {letter: f"\\{letter}" for letter in "_%&#${}"}
    | {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "\\": r"\textbackslash{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "→": r"$\to$", "½": r"$\frac12$"}
    | {"–": r"\textendash{}", "…": r"\dots{}", "µ": r"\textmu{}"}
)
"""The LaTeX of letters that mean something there or that its fonts lack."""


def latex(text: str) -> str:
    """Return LaTeX that prints the text, also hyphens that would become a dash."""
    return re.sub("-(?=-)", "-{}", text.translate(LETTERS))


def tikz(svg: str) -> str:
    """Return an SVG drawing as a picture that a document with ``\\usepackage{tikz}`` reads by ``\\input``.

    Each shape is a line, in the coordinates of the drawing: a square has the side 1, and y points down. Words have the
    font of the document.
    """
    title, root = ungrouped(svg)
    cm = min(1.0, UNIT * MAX_WIDTH / max(map(int, root.attrib["viewBox"].split()[2:])))
    nodes = r"every node/.style={inner sep=0pt, font=\fontsize{10}{12}\selectfont}"
    lines = [f"% {title}", f"\\begin{{tikzpicture}}[x={cm:.4g}cm, y=-{cm:.4g}cm, {nodes}]"]
    lines += [f"\\definecolor{{c{colour}}}{{HTML}}{{{colour}}}" for colour in sorted({*re.findall('"#(.{6})"', svg)})]
    for group in root.iter("g"):
        lines += [f"% {group.attrib['class']}", *(_tikz_line(shape, cm / UNIT) for shape in group)]
    return "\n".join([*lines, "\\end{tikzpicture}\n"])


def _tikz_line(shape: ET.Element, cm: float) -> str:
    """Return the line of a shape; ``cm`` is the size of a unit of the drawing."""
    look = {key: value.replace("#", "c") for key, value in shape.items()}
    for key in look.keys() & {"x", "y", "width", "height", "cx", "cy", "r"}:
        look[key] = f"{float(look[key]) / UNIT:g}"
    for key in look.keys() & {"stroke-width", "stroke-dasharray", "rx", "font-size"}:  # in centimetres
        look[key] = f"{float(look[key]) * cm:.3g}"
    look["options"] = ", ".join(
        form.format(look[key]) for key, form in OPTIONS.items() if look.get(key, "none") != "none"
    )
    look["anchor"] = "base west" if look.get("text-anchor") == "start" else "base"
    look["path"] = re.sub("([A-Za-z])([^A-Za-z]*)", _tikz_steps, re.sub(r"a(\d+)[^Z]*Z", r"O\1", look.get("d", "")))
    return SHAPES[shape.tag].format(words=latex(shape.text or ""), **look)


def _tikz_steps(part: re.Match[str]) -> str:
    """Return a command of SVG path data as steps of a TikZ path."""
    numbers = [f"{float(number) / UNIT:g}" for number in re.findall(r"-?[\d.]+", part[2])]
    return "".join(STEPS[part[1]].format(*numbers[at : at + 2]) for at in range(0, max(1, len(numbers)), 2))


# --- a page of SVG ---

WIDTH, HEIGHT, BORDER, FOOT = 840, 1188, 60, 210
"""The page in the proportions of A4, four to a millimetre, and the longer side of the drawing at its foot."""


def page(title: str, drawing: Canvas, at_foot: Canvas | None = None) -> str:
    """Return a page as SVG: a drawing, and perhaps another at the foot, small and upside down."""
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" class="cpsat-tour" role="img" {size}>
<title>{escape(title)}</title>
<rect class="paper" width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}" />
{_placed(drawing, WIDTH - 2 * BORDER, HEIGHT - 3 * BORDER - FOOT, BORDER)}
<g class="solution" transform="rotate(180 {WIDTH // 2} {HEIGHT // 2})">
{"" if at_foot is None else _placed(at_foot, FOOT, FOOT, BORDER // 2)}</g>
</svg>
"""


def _placed(canvas: Canvas, wide: int, high: int, top: int) -> str:
    """Return a drawing as SVG text, scaled to at most ``wide`` by ``high``, in the middle of the page below its
    ``top``."""
    *_, width, height = map(int, canvas.root.attrib["viewBox"].split())
    scale = min(wide / width, high / height)
    place = f'x="{(WIDTH - scale * width) / 2:g}" y="{top}" width="{scale * width:g}" height="{scale * height:g}"'
    return re.sub(r'width="\d+" height="\d+"', place, str(canvas), count=1)
