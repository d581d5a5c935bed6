"""The colours of the page, from its sheets: what must be told apart can be, by the contrast that WCAG 2 defines."""

import itertools
import json
import re
from importlib.resources import files

import pytest

from cpsat_tour.drawing.points import RAMP

STATIC = files("cpsat_tour.web") / "static"
SHEET = (STATIC / "page.css").read_text(encoding="utf-8")
SQUARES = ("light", "dark", "light-walked", "dark-walked")


def luminance(bands: list[int]) -> float:
    """The relative luminance of a colour."""
    linear = [(band / 255 + 0.055) ** 2.4 / 1.055**2.4 if band > 10 else band / 255 / 12.92 for band in bands]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: list[int], other: list[int]) -> float:
    """From 1, the same, to 21, black on white."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def colours_of(dress: str) -> dict[str, list[int]]:
    """The variables of a dress that are colours."""
    block = SHEET.split(f"{dress} {{\n", 1)[1].split("\n}", 1)[0]
    return {name: list(bytes.fromhex(colour)) for name, colour in re.findall(r"--([\w-]+): #([0-9a-f]{6})", block)}


LIGHT, DARK = colours_of("\n:root"), colours_of('\n:root[data-theme="dark"]')
DRESSES = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])


def test_the_squares_of_a_dark_board_can_be_told_apart_also_where_numbers_give_way_to_the_line() -> None:
    muted = int(re.findall(r"--muted: (\d+)%", SHEET)[1])
    pairs = zip(DARK["light"], DARK["dark"], strict=True)
    mixed = [round((low * muted + high * (100 - muted)) / 100) for high, low in pairs]
    assert contrast(DARK["light"], mixed) >= 1.6
    assert contrast(DARK["light"], DARK["dark"]) >= 2
    assert contrast(DARK["light-walked"], DARK["dark-walked"]) >= 1.8


@DRESSES
def test_numbers_and_words_can_be_read(colours: dict[str, list[int]]) -> None:
    on = {
        "ink": ("paper", "ground", "disc", "aim", *SQUARES),
        "quiet": ("paper", "ground"),
        "accent": ("paper", "ground", "disc"),
        "red": ("paper", "ground"),
        "on-accent": ("accent",),
        "on-red": ("red",),
    }
    low = {
        (word, under)
        for word, grounds in on.items()
        for under in grounds
        if contrast(colours[word], colours[under]) < 4.5
    }
    assert low == set()


@DRESSES
def test_marks_and_lines_stand_out_from_every_square(colours: dict[str, list[int]]) -> None:
    marks = {name: colours[name] for name in ("accent", "red", "end", "focus", "green")}
    [dark] = re.findall(r"DARK_RAMP = (\[.*\]);", (STATIC / "ink.js").read_text(encoding="utf-8"))
    ramp = RAMP if colours is LIGHT else json.loads(dark)
    lines = {f"line {at}": list(colour) for at, colour in enumerate(ramp)}
    low = {
        (name, square)
        for (name, colour), square in itertools.product((marks | lines).items(), SQUARES)
        if contrast(colour, colours[square]) < 3
    }
    assert low == set()
