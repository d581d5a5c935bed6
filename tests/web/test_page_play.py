"""Play, and what else the page invites to, in a real browser: each scene is named for the sentence that it shows."""

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from watching import ENDED, PHONE, PLAYED, Step, act, needs_browser, square, until, watching

from cpsat_tour import Board, Limits, Problem, Tour
from cpsat_tour.engines.puzzles import Puzzle, make_puzzle

pytest.importorskip("playwright.sync_api", reason="the browser tests need Playwright: pip install playwright")
pytestmark = needs_browser

Opener = Callable[..., Any]

JUDGED = "walk.answer?.final && walk.answer.length === walk.length"
LINE = "getComputedStyle(document.querySelector('.ramp path')).stroke"
DEAD = "walk=f3-e1-c2-a1-b3-c1-a2-b4-c6"
"""A walk on 6x6 that can't be completed."""

PUZZLE = "#board=6x6&play=1&at=e3:1,d4:3,a6:8,f4:11,b6:17,e4:20,f2:21,e5:27,b5:32"

SCENES: dict[str, tuple[Step, ...]] = {
    "a click walks and the page says whether the walk can be completed": (
        "#board=6x6&play=1",
        *(("square", name) for name in ("a1", "b3", "c5")),
        f"{JUDGED} && walk.answer.closed.can === true",
        "text('status') === 'Move 2: to c5. It can become a closed tour.' && text('walked') === '3 of 36'",
        "many('#can-closed[data-can=true]') === 1 && many('#can-open[data-can=true]') === 1",
        "[...search.board.shown].filter(([, code]) => code < 0).map(([place]) => watch.plan.names[place]).sort()"
        ".join() === 'a4,a6,d3,e4,e6'",
        ("square", "f1"),
        "text('status').includes('not a move away from c5')",
        ("click", "#undo"),
        "walk.text === 'a1-b3'",
        ("square", "a1"),
        "walk.text === 'a1'",
    ),
    "where it cannot the page says why and how far back": (
        f"#board=6x6&play=1&{DEAD}",
        f"{JUDGED} && walk.answer.closed.can === false && walk.answer.closed.keep === 8",
        "text('status') === 'Move 8: to c6. A closed tour is no longer possible: go back 1 square, to b4. a6 has one "
        "exit left, and a tour must come in and go out again.'",
        "many('.sq.lit') === 1 && document.querySelector('.sq.lit').getAttribute('aria-label') === 'a6'",
        ("click", "#go-back"),
        f"walk.length === 8 && {JUDGED} && walk.answer.closed.can",
    ),
    "hint and the rest say what they show or why nothing": (
        "#board=6x6&play=1&walk=a1-b3",
        JUDGED,
        ("click", "#hint"),
        "document.querySelector('.sq.aim').id === `board-${walk.aim}`",
        "text('status') === `A hint: go on to ${watch.plan.names[walk.aim]}.`",
        ("click", "#rest"),
        "document.querySelector('.onward').getAttribute('d').split('L').length === 36",
        "text('status') === 'The dotted line is one way to go on over the other 34 squares and back.'",
        ("evaluate", "for (const place of watch.walk.tour.slice(2)) watch.walk.step(place);"),
        "text('status') === 'Well walked: a closed tour!'",
        "search.board.knight.getAttribute('visibility') === 'hidden'",
        ("link", f"#board=6x6&play=1&open=1&{DEAD}"),
        f"walk.length === 9 && {JUDGED}",
        ("evaluate", "watch.walk.answer.open = watch.walk.answer.closed = { can: false, why: null }"),
        ("key", "i"),
        "text('status') === 'There is no way on: go back first.'",
        ("key", "r"),
        "text('status') === 'There is no way on: go back first.'",
    ),
    "play by keys alone, from the first on": (
        "#board=5x5&play=1&open=1",
        "!watch.waits && document.activeElement === document.body",
        *(("key", key) for key in ("Enter", "ArrowRight", "ArrowDown", "ArrowDown", "Enter")),
        f"walk.text === 'a5-b3' && {JUDGED} && walk.answer.open.can",
        "document.querySelector('[aria-label=\"b3, visit 2, knight\"]')",
        "document.activeElement === search.svg",
        ("key", "i"),
        "many('.sq.aim') === 1",
        ("click", "#rest"),
        "many('#rest[aria-pressed=true]') === 1 && document.activeElement === at('rest')",
        ("key", "ArrowDown"),
        "document.activeElement === search.svg",
        ("key", "u"),
        "walk.length === 1",
        ("key", "Backspace"),
        "walk.length === 0",
    ),
    "a puzzle is filled in from any number up and down": (
        PUZZLE,
        "text('status') === 'Fill in the missing numbers, each a move away from the one before. Next: 2.'",
        "text('walked') === '9 of 36' && !shown('tools') && at('next').value === '2' && many('.fits:not(.gone)') === 2",
        *(
            step
            for name, number in (("f4", 12), ("f4", 10), ("f4", 12))
            for step in (("square", name), f"walk.next === {number}")
        ),
        ("square", "e2"),
        "walk.next === 13 && text('status') === '12 stands on e2. Next: 13.'",
        ("click", "#lower"),
        "walk.next === 10 && many('#lower[aria-pressed=true]') === 1",
        ("square", "e6"),
        "walk.next === 9 && text('status') === '10 stands on e6. Next: 9.'",
        ("square", "b2"),
        "text('status') === '9 can’t stand on b2: it is to be a move away from 8 on a6 and from 10 on e6.'",
        "walk.length === 11",
        ("square", "c5"),
        "walk.length === 12 && walk.next === 7 && many('.ramp path[d^=M]') > 0",
        ("square", "e6"),
        "walk.length === 11 && walk.next === 10",
        ("click", "#undo"),
        "walk.length === 12 && walk.next === 7",
        ("fill", "#next", "30"),
        ("press", "#next", "Enter"),
        "walk.next === 30",
        ("fill", "#next", "20"),
        ("press", "#next", "Enter"),
        "walk.next === 19 && walk.known",
        ("evaluate", "while (watch.walk.next) watch.walk.step(watch.walk.known[watch.walk.next - 1]);"),
        "text('status') === 'Solved: every number is in its place.' && many('svg.finished') === 1",
        ("square", "c5"),
        "walk.next === 9 && !many('svg.finished')",
    ),
    "a puzzle is filled in by keys alone": (
        PUZZLE,
        ("focus", "#board"),
        *(("key", key) for key in ("+", "+", "-", "-", "p")),
        "walk.next === 2 && many('#pencil[aria-pressed=true]') === 1",
        ("evaluate", "watch.search.board.moveCursor(watch.plan.placeOf.get('f5'))"),
        ("key", "Enter"),
        "document.querySelector('[aria-label=\"f5, 2 fits, noted 2\"]') && text('status').endsWith('in pencil.')",
        ("key", "p"),
        ("key", "Enter"),
        "document.querySelector('[aria-label=\"f5, visit 2\"]')",
        "document.querySelector('[aria-label=\"e3, given 1\"]')",
        ("key", "u"),
        "walk.length === 9 && document.querySelector('[aria-label=\"f5, 2 fits, noted 2\"]')",
    ),
    "notes in pencil go when their number is written": (
        PUZZLE,
        ("click", "#pencil"),
        *(("square", name) for name in ("f5", "c5", "c5", "b2", "b2", "c6")),
        "[...document.querySelectorAll('.notes text')].map((word) => word.textContent).join() === '2,2'",
        ("click", "#higher"),
        ("square", "f5"),
        "[...document.querySelectorAll('.notes text')].map((word) => word.textContent).sort().join() === '2,2,4'",
        ("click", "#pencil"),
        ("click", "#lower"),
        ("square", "f5"),
        "many('.notes text') === 0 && walk.length === 10",
    ),
    "a puzzle that was begun is in its address": (
        f"{PUZZLE}&filled=f5:2,c5:9&notes=c6:10,c6:28",
        "walk.length === 11 && walk.next === 10 && many('.notes text') === 2",
        ("square", "e6"),
        "location.hash.endsWith('&filled=f5:2,c5:9,e6:10&notes=c6:28')",
        ("link", PUZZLE),
        "!walk.waits && walk.length === 12",
        ("click", "#anew"),
        "walk.length === 9 && !location.hash.includes('filled') && !many('.notes text')",
        ("link", f"{PUZZLE}&filled=f5:2,a1:3"),
        "walk.length === 10 && text('status').startsWith('What the link says is filled in does not fit here')",
    ),
    "of a puzzle the page says what is wrong if asked": (
        f"{PUZZLE}&filled=c5:9,d3:10",
        f"{JUDGED} && text('status') === '10 stands on d3. Next: 12.' && many('.sq.lit') === 0",
        ("check", "#tell"),
        "text('status').endsWith('There is no solution any more: take away 1 number, on d3.')",
        "many('.sq.lit') === 1 && many('#can-closed[data-can=false]') === 1 && !shown('can-open')",
        ("key", "i"),
        "text('status') === 'There is no way on: go back first.'",
        ("click", "#go-back"),
        "walk.length === 10 && text('status').includes('It can be solved.')",
        ("evaluate", "watch.walk.choose(10)"),
        ("square", "d3"),
        "text('status').endsWith('take away 1 number, on d3.')",
        ("click", "#undo"),
        "text('status').includes('It can be solved.')",
        "many('#can-closed[data-can=true]') === 1",
        ("click", "#hint"),
        "/^A hint: \\d+ stands on [a-f][1-6].$/.test(text('status'))",
        ("click", "#rest"),
        "document.querySelector('.onward').getAttribute('d').split('L').length === 37",
        ("link", "#board=5x5&play=1&open=1&at=a5:2"),
        f"{JUDGED} && text('status').startsWith('There is no solution. ')",
    ),
    "a link shares the walk and the browser keeps it": (
        "#board=6x6&play=1&walk=a1-b3-c5",
        "walk.text === 'a1-b3-c5'",
        ("evaluate", "navigator.clipboard.writeText = (text) => { watch.copied = text; return Promise.resolve(); }"),
        ("click", "#exporting"),
        ("click", "[data-export=walk]"),
        "watch.copied?.endsWith('#board=6x6&play=1&walk=a1-b3-c5')",
        ("square", "d3"),
        ("link", "#board=5x5&play=1"),
        "watch.setting.rows === 5",
        ("link", "#board=6x6&play=1"),
        "walk.text === 'a1-b3-c5-d3'",
        ("link", "#board=6x6&play=1&walk=a1-a2"),
        "walk.length === 0",
    ),
    **{
        f"{space} can be played and searched": (
            f"#space={space}&play=1&open=1",
            "!watch.waits",
            ("click", "#board-0"),
            JUDGED,
            ("evaluate", "watch.walk.step(watch.walk.tour[1])"),
            f"{JUDGED} && walk.answer.open.can",
            "['rows', 'leaper'].every((id) => at(id).value === '') && !text('tools').includes('Hole')",
            ("click", "text='Watch a search'"),
            ("evaluate", "watch.change({ speed: 12, start: null })"),
            *PLAYED,
            "text('status').includes('open tour is found')",
        )
        for space in ("torus:5x6", "4x4x3", "GP(7,2)", "Q(4)")
    },
    "in a box each move to another layer has the number of that layer": (
        "#space=4x4x4&speed=12&backend=sat",
        *PLAYED,
        """(() => {
          const layers = search.scene().path.map((place) => watch.plan.names[place].split('.')[1]);
          const onward = [...layers.slice(1), layers[0]].filter((layer, at) => layer !== layers[at]);
          const written = [...document.querySelectorAll('.landings text')].map((word) => word.textContent);
          return onward.length > 30 && onward.join() === written.join(); })()""",
        "document.querySelector('.layered').checkVisibility()",
    ),
    "it opens on a tour being drawn": (
        "#",
        "watch.at > 5",
        ("evaluate", "watch.change({ speed: 12 }, { keep: true })"),
        f"{ENDED} && text('status').includes('closed tour is found') && many('.ramp path') === 48",
    ),
    "graphs are told of vertices and each is called by its name": (
        "#space=GP(7,2)&speed=12",
        *(
            step
            for backend in ("sat:lazy", "dfs")
            for step in (
                ("evaluate", f"watch.change({{ backend: '{backend}' }})"),
                *PLAYED,
                (
                    "evaluate",
                    "watch.told = [...Array(watch.length + 1).keys()].map((at) => (watch.goTo(at), watch.said))",
                ),
                "watch.told.join().includes('vert') && !watch.told.join().includes('square')",
            )
        ),
        "!document.querySelector('main').innerText.includes('square')",
        "watch.plan.labels.map(([name]) => name).join() === [...Array(14).keys()].join()",
        ("evaluate", "watch.change({ play: true }); watch.walk.step(0); watch.walk.step(9)"),
        "text('status') === '9 is not a move away from 0. The vertices with a ring are.'",
    ),
    "the address of a link that is being followed is not written over": (
        "#board=6x6&play=1&walk=a1-b3",
        (
            "evaluate",
            """() => { const { setTimeout } = globalThis;
              globalThis.setTimeout = (act, delay) => { watch.late = act; return setTimeout(() => {}, delay); };
              watch.write(); globalThis.setTimeout = setTimeout;
              location.hash = "#board=6x6&play=1&walk=c3-d5"; watch.late(); watch.there = location.hash; }""",
        ),
        "watch.there.endsWith('walk=c3-d5') && walk.text === 'c3-d5'",
    ),
    "presets lead to what they say": (
        "#board=8x8",
        *(
            step
            for name, then in (
                ("4×10: why none?", "watch.proof.certificate && watch.setting.cols === 10"),
                ("12×12: cycles merge", "watch.setting.cols === 12 && search.scene().cycles"),
                ("A tour of a graph", "watch.plan.order === 34 && watch.at > 1"),
                ("Walk one yourself", "watch.setting.play && walk.answer"),
                ("Puzzle of the day", "watch.setting.play && watch.setting.rows === 6 && many('.given') > 5"),
            )
            for step in (("click", f"nav a:text-is('{name}')"), then)
        ),
    ),
    "move 13 is the thirteenth": (
        "#board=8x8&start=a1&speed=12",
        *PLAYED,
        ("evaluate", "watch.goTo(2)"),
        "text('status').startsWith('Starts on a1.')",
        ("evaluate", "while (watch.search.cursor.path().length < 14) watch.goTo(watch.at + 1)"),
        "text('status').startsWith('Move 13: ')",
        "document.querySelector('figcaption').innerText.includes('visited 14')",
    ),
    # At one event a second the log does not wait its turn.
    "the log of CP-SAT comes while it works": (
        "#board=8x8&backend=cpsat&speed=0",
        ("click", "#play"),
        "text('log').includes('CpSolverResponse') || watch.over",
        "text('log').includes('Starting presolve') && watch.length <= 1",
    ),
    "a proof stands on its squares with a legend": (
        "#board=4x6",
        "watch.proof.certificate?.multipliers.length === 12",
        "[...document.querySelectorAll('#proof-key li')].filter((item) => item.checkVisibility()).length === 3",
        "many('.proof .plus, .proof .minus') === 12 && many('.proof .shore') === 1",
        ("click", "#exporting"),
        ("click", "[data-export=svg]"),
        "text('exported').startsWith('tour-4x6.svg')",
    ),
    "a vertex 0 is kept": (
        "#space=Petersen&open=1&start=0&end=3",
        ("evaluate", "watch.change({})"),
        "location.hash === '#space=Petersen&open=1&start=0&end=3'",
        "many('circle.begin') === 1 && many('rect.finish') === 1",
        ("evaluate", "watch.use(0, 'start')"),
        "watch.at > 1 && search.cursor.path()[0] === 0",
    ),
    "a link to a proof says if there is none": (
        "#board=6x6&proof=1",
        "text('status') === 'There is a tour, so there is nothing to prove.'",
    ),
    # The time that a frame is given may lie before the click that began the search.
    "the timeline never shows an event before the first": (
        "#board=8x8",
        ("evaluate", "watch.play(); watch.tick(watch.then - 100); watch.seen = [watch.at, watch.length].join()"),
        "watch.seen === '0,0'",
    ),
    "a search that has nothing to show yet says that it is at work": (
        "#board=50x50&backend=cpsat",
        ("click", "#play"),
        "/at work: \\d+ s, and nothing to show yet/.test(watch.said) && watch.length === 0",
    ),
    "a search that fails ends on the page with its reason": (
        "#board=8x8&order=plain&prune=none&speed=4",
        ("click", "#play"),
        "watch.at > 1",
        ("evaluate", """watch.search.link.receive('{"event": "refused", "reason": "The search failed."}')"""),
        "text('status') === 'The search failed.' && !watch.playing && watch.over && !watch.searching",
    ),
    "a puzzle whose numbers do not fit is none": (
        "#board=8x8&at=a1:99",
        "walk.answer && !shown('pencil') && at('no-puzzle').hidden && shown('tools')",
    ),
    "red is kept for what loses": (
        "#board=8x8&backend=foo",
        "at('status').className === 'note'",
        ("link", f"#board=6x6&play=1&{DEAD}"),
        f"{JUDGED} && walk.answer.closed.can === false",
        ("evaluate", "void (watch.colour = (css) => getComputedStyle(document.querySelector(css)).color)"),
        "watch.colour('#status') === 'rgb(179, 38, 30)' && watch.colour('#ring-key .ring') !== watch.colour('#status')",
        ("square", "a1"),
        ("evaluate", "watch.walk.note('That is not a move.')"),
        "watch.colour('#status') !== 'rgb(179, 38, 30)'",
        ("evaluate", "watch.search.turns = 0; watch.hues = [...Array(500)].map(() => watch.search.freshHue())"),
        "watch.hues.every((hue) => hue >= 25 && hue <= 315) && new Set(watch.hues).size === 500",
    ),
    "play by touch on a phone": (
        "#board=8x8&play=1",
        ("tap", "d4"),
        ("tap", "e6"),
        f"{JUDGED} && walk.length === 2",
        "document.documentElement.scrollWidth <= innerWidth && text('advice').includes('tap a square')",
        """[...document.querySelectorAll("button, select, nav a, .segments label > span, input[type=text]"),
            ...document.querySelectorAll("input[type=number]")]
          .map((e) => e.getBoundingClientRect().height).every((height) => !height || height >= 40)""",
    ),
    "on a phone the reason follows the board and handles lie beside it": (
        "#board=4x6",
        "watch.proof.certificate && text('advice').includes('tap') && !text('advice').includes('Shift')",
        "!document.querySelector('.timeline').checkVisibility()",
        "at('why').getBoundingClientRect().y < document.querySelector('#panel fieldset').getBoundingClientRect().y",
        """[...document.querySelectorAll(".grip")].every((grip) => {
          const box = grip.getBoundingClientRect(), bar = getComputedStyle(grip, "::after");
          const right = box.right - parseFloat(bar.right), bottom = box.bottom - parseFloat(bar.bottom);
          const left = right - parseFloat(bar.width), top = bottom - parseFloat(bar.height);
          return [...document.querySelectorAll(".names text")].map((word) => word.getBoundingClientRect())
            .every((word) => word.right <= left || word.left >= right || word.bottom <= top || word.top >= bottom);
        })""",
        """[...document.querySelectorAll(".grip")].every((grip) => {
          const box = grip.getBoundingClientRect(), bar = getComputedStyle(grip, "::after");
          const frame = document.querySelector("path.frame").getBoundingClientRect();
          const off = grip.matches(".right") ? box.left + parseFloat(bar.left) - frame.right
            : box.top + parseFloat(bar.top) - frame.bottom;
          return off > 0 && off < 10; })""",
    ),
    "printing without handles and in light colours": (
        "#board=6x6&play=1&walk=a1-b3",
        f"{LINE} !== 'rgb(25, 53, 132)'",
        ("media", "print"),
        f"{LINE} === 'rgb(25, 53, 132)'",
        "!['.grip.right', '.walking'].some((css) => document.querySelector(css).checkVisibility())",
        "shown('board')",
        "getComputedStyle(document.querySelector('.sq.light:not(.visited)')).fill === 'rgb(245, 242, 234)'",
    ),
    "a king is walked": (
        "#board=3x4&play=1&open=1&leaper=king&walk=a1-b2-b3",
        JUDGED,
        "walk.length === 3",
        ("evaluate", "watch.walk.step(watch.plan.names.indexOf('c3'))"),
        "walk.length === 4 && text('status').includes('Move 3: to c3.')",
    ),
    "forced colours leave the squares apart": (
        "#board=6x6&play=1&walk=a1-b3",
        "getComputedStyle(document.querySelector('.sq')).strokeWidth === '2px'",
        JUDGED,
        "getComputedStyle(document.querySelector('.visit .digits')).fill !== "
        "getComputedStyle(document.querySelector('.visit .disc')).fill",
    ),
}

DEVICES: dict[str, dict[str, Any]] = {
    "play by touch on a phone": PHONE,
    "on a phone the reason follows the board and handles lie beside it": PHONE,
    "printing without handles and in light colours": {"color_scheme": "dark"},
    "forced colours leave the squares apart": {"forced_colors": "active"},
}
"""Whom some scenes are played for."""


@pytest.mark.parametrize("scene", SCENES)
def test_a_scene(scene: str, visit: Opener) -> None:
    link, *steps = SCENES[scene]
    act(visit(link, **DEVICES.get(scene, {})), *steps)


def visit_again(page: Any, link: str) -> Any:
    """The page, loaded anew at this link by a browser that has kept nothing."""
    page.evaluate("(link) => { localStorage.clear(); watch.link.close(); history.replaceState(null, '', link); }", link)
    page.reload()
    until(page, "Boolean(globalThis.watch && !watch.waits)")
    return page


def test_a_new_puzzle_is_solved_without_being_told_and_its_link_shares_it(visit: Opener) -> None:
    page = visit("#board=5x5&play=1&open=1")
    page.evaluate("watch.walk.puzzle(3)")
    act(page, f"watch.setting.givens.length > 0 && {JUDGED}", "many('#can-open[data-can=unknown]') === 1")
    givens = page.evaluate("[...watch.search.board.givens]")
    solution = page.evaluate("watch.walk.tour")
    assert [[place, solution.index(place) + 1] for place, _ in givens] == givens
    act(
        page,
        "text('walked') === `${watch.setting.givens.length} of 25` && many('.given') === watch.setting.givens.length",
    )
    page.evaluate("while (watch.walk.next) watch.walk.step(watch.walk.known[watch.walk.next - 1])")
    act(
        page,
        "text('status').startsWith('Solved')",
        "location.hash.includes('&at=') && location.hash.includes('&filled=')",
    )
    visit_again(page, page.evaluate("location.hash").split("&filled")[0])
    assert page.evaluate("[...watch.search.board.givens]") == givens
    act(page, ("click", "#no-puzzle"), "many('.given') === 0")


def test_a_file_is_chosen_or_dropped_and_shown(visit: Opener) -> None:
    page = visit("#board=6x6&leaper=king")
    for text, shown in (
        ("1 . 3\n. 9 .\n7 . .\n", "!watch.waits && many('.given') === 4 && watch.plan.order === 9"),
        ("a b c", "text('status').startsWith('mine.txt is not a puzzle')"),
        (". " * 20_000, "text('status').startsWith('mine.txt has more than 30000 bytes')"),
    ):
        page.set_input_files("#file", {"name": "mine.txt", "mimeType": "text/plain", "buffer": text.encode()})
        act(page, shown)
    page.evaluate(
        "const data = new DataTransfer(); data.items.add(new File(['a b\\nb c\\nc d\\nd a'], 'ring.edges'));"
        "dispatchEvent(new DragEvent('drop', { dataTransfer: data }));"
    )
    act(page, "!watch.waits && watch.plan.names.join('') === 'abcd'", *PLAYED, "text('status').includes(' is found')")


def test_a_puzzle_that_was_begun_outlives_a_reload(visit: Opener) -> None:
    page = visit(PUZZLE)
    act(
        page,
        ("square", "f5"),
        ("click", "#pencil"),
        ("square", "c2"),
        "location.hash.endsWith('&filled=f5:2&notes=c2:4')",
    )
    page.evaluate("localStorage.clear()")
    page.reload()
    until(page, "globalThis.watch && !watch.waits && watch.walk.length === 10 && watch.walk.notes.size === 1")


COPY = "navigator.clipboard.writeText = (text) => { watch.copied = text; return Promise.resolve(); }"

SHARED: list[tuple[str, tuple[Step, ...], str]] = [
    (
        "walk",
        ("#board=6x6&play=1&walk=a1-b3-c5&speed=9&seed=3", "walk.length === 3"),
        "walk.text === 'a1-b3-c5' && watch.setting.play && watch.setting.speed === 4 && !watch.setting.seed",
    ),
    (
        "walk",
        ("#space=4x4x3&play=1&walk=a1.1-c2.1-c4.2", "walk.length === 3"),
        "walk.text === 'a1.1-c2.1-c4.2' && watch.setting.space === '4x4x3'",
    ),
    ("walk", ("#board=6x6&start=c3&speed=12", *PLAYED), "text('status') === 'Well walked: a closed tour!'"),
    (
        "puzzle",
        ("#board=5x5&play=1&open=1&at=d4:1,e2:2,a3:5,b3:18,c4:24&filled=c3:3", "walk.length === 6"),
        "walk.length === 5 && many('.given') === 5 && !watch.setting.closed",
    ),
    (
        "proof",
        ("#board=11x11&leaper=1,4&open=1&proof=1&order=pohl", "watch.proof.certificate"),
        "many('.proof .digits') > 30 && text('status').startsWith('There is no open tour of the 11x11 board') "
        "&& watch.setting.order === 'default'",
    ),
    (
        "all",
        ("#board=11x11&leaper=1,4&open=1&proof=1", "watch.proof.certificate"),
        "many('.proof .digits') > 30 && location.hash.endsWith('&proof=1')",
    ),
    ("all", ("#board=5x6&order=pohl&speed=9", "!watch.waits"), "location.hash === '#board=5x6&order=pohl&speed=9'"),
    (
        "all",
        (f"{PUZZLE}&filled=f5:2&notes=c5:9,c5:33", "walk.length === 10"),
        "walk.length === 10 && many('.notes text') === 2 && many('.given') === 9",
    ),
]


@pytest.mark.parametrize(("what", "here", "there"), SHARED)
def test_a_link_opens_just_what_it_names(what: str, here: tuple[Step, ...], there: str, visit: Opener) -> None:
    link, *steps = here
    page = visit(link)
    act(page, *steps, ("evaluate", COPY), ("click", "#exporting"), ("click", f"[data-export={what}]"))
    act(page, "text('exported') === 'The link is copied.'")
    address, shared = page.evaluate("watch.copied").split("#")
    assert page.url.split("#")[0] == address
    act(visit_again(page, f"#{shared}"), f"!watch.waits && {there}")


def test_only_links_to_what_is_there_are_offered(visit: Opener) -> None:
    page = visit("#board=6x6")
    buttons = "[...document.querySelectorAll('#export button')]"
    offered = f"{buttons}.filter((button) => button.checkVisibility()).map((button) => button.innerText)"
    for link, words in (("#board=6x6", ""), ("#board=6x6&play=1&walk=a1-b3", "walk"), ("#board=4x6", "proof")):
        act(page, ("link", link), "!watch.waits && (watch.setting.rows === 6 || watch.proof.certificate)")
        page.evaluate("document.getElementById('export').togglePopover()")
        links = [word.split()[-1] for word in page.evaluate(offered) if word.startswith("Link")]
        assert links == [*words.split(), "this"]
        page.evaluate("document.getElementById('export').togglePopover()")


def test_the_puzzle_of_the_day_is_the_same_for_everyone(visit: Opener) -> None:
    """The day is that of UTC: in Auckland it is the 23rd already."""
    made = make_puzzle(Problem(Board(6).graph, closed=True), Limits(seed=20261122), grade=2)
    assert isinstance(made, Puzzle)
    page = visit("#board=8x8", timezone_id="Pacific/Auckland")
    page.clock.set_fixed_time("2026-11-22T23:30:00Z")
    puzzle = "watch.setting.givens.length && [...watch.search.board.givens]"
    for there, link, day in ((page, "#day=today", 22), (visit(), "#day=2026-11-22", 22), (page, "#day=2026-11-21", 21)):
        act(there, ("link", link), f"text('status').startsWith('The puzzle of 2026-11-{day}, with ')")
        assert (there.evaluate(puzzle) == [list(given) for given in made.givens]) is (day == 22)


def test_the_page_draws_as_the_command_line_does(visit: Opener) -> None:
    """The same lines in the same colours over the same places, and the same digits."""
    from xml.etree import ElementTree as ET

    page = visit("#board=6x6&start=a1&speed=12")
    act(page, *PLAYED)
    path = page.evaluate("watch.search.scene().path")
    drawn = ET.fromstring(Tour(Board(6).graph, True, np.array(path, dtype=np.int32)).svg())
    groups = {group.attrib["class"]: group for group in drawn if group.tag.endswith("}g")}
    colours = [line.attrib["stroke"] for line in groups["line"]]
    ours = page.evaluate("[...document.querySelectorAll('.ramp path')].map((line) => getComputedStyle(line).stroke)")
    for mine, theirs in zip(ours, colours, strict=True):
        bands = [int(theirs[place : place + 2], 16) for place in (1, 3, 5)]
        assert all(abs(int(band) - other) <= 1 for band, other in zip(mine[4:-1].split(","), bands, strict=True))
    assert (
        page.evaluate("document.getElementById('board').getAttribute('viewBox').replaceAll(',', ' ')")
        == drawn.attrib["viewBox"]
    )
    assert page.evaluate("document.querySelectorAll('.visit:not(.gone)').length") == 36
    ends = page.evaluate("getComputedStyle(document.querySelector('.ramp path')).strokeWidth")
    assert ends == groups["line"].attrib["stroke-width"] + "px"


def test_resizing_by_touch(visit: Opener) -> None:
    page = visit("#board=8x8", **PHONE)
    grip = page.locator(".grip.right")
    assert grip.evaluate("(grip) => getComputedStyle(grip).touchAction") == "none"
    box, unit = grip.bounding_box(), square(page, "a1").bounding_box()["width"]
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = page.context.new_cdp_session(page)
    for kind, points in (
        ("touchStart", [{"x": x, "y": y}]),
        ("touchMove", [{"x": x - unit, "y": y}]),
        ("touchMove", [{"x": x - 2 * unit, "y": y}]),
        ("touchEnd", []),
    ):
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    until(page, "watch.setting.cols === 6")


def test_the_page_says_that_the_server_is_gone_and_goes_on_where_it_was_once_it_is_back(visit: Opener) -> None:
    first = "JSON.stringify([...Array(50).keys()].map((k) => watch.search.log.event(k)))"
    with watching() as (run, url):
        page = visit("#board=8x8&order=plain&prune=none&start=a1&speed=6", url=url)
        act(page, ("click", "#play"), "watch.at > 60")
        run.kill()
        run.wait()
        act(page, "shown('connection') && text('connection').includes('lost') && !watch.playing")
        length, known = page.evaluate(f"[watch.length, {first}]")
        with watching(port=int(url.rstrip("/").rsplit(":", 1)[1])):
            act(page, f"watch.length > {length} && watch.playing && !shown('connection')")
            assert page.evaluate(first) == known
            page.click("#play")
            path = page.evaluate("watch.goTo(watch.length), watch.search.cursor.path()")
            assert len(path) > 1
            assert all(place in Board(8).graph.neighbours(before) for before, place in itertools.pairwise(path))


# --- accessibility ---

VIEWS: dict[str, tuple[Step, ...]] = {
    "a search": ("#board=6x6&start=a1&speed=12", *PLAYED),
    "a proof": ("#board=4x6", "watch.proof.certificate"),
    "a dead walk": (f"#board=6x6&play=1&{DEAD}", "walk.answer?.final"),
    "a puzzle": (f"{PUZZLE}&filled=f5:2&notes=c5:9", "walk.answer?.final"),
    "a graph": ("#space=GP(7,2)&play=1&open=1", "!watch.waits"),
    "CP-SAT": ("#board=6x6&backend=cpsat&speed=12", *PLAYED),
    "a box": ("#space=4x4x4&speed=12&backend=sat", *PLAYED),
    "the exports": ("#board=6x6&play=1&walk=a1-b3", ("click", "#exporting"), "shown('export')"),
}


ON_A_PHONE = [
    pytest.param(view, PHONE, id=f"{view}-phone", marks=() if view in ("a search", "a dead walk") else pytest.mark.slow)
    for view in VIEWS
]


@pytest.mark.parametrize(("view", "device"), [*(pytest.param(view, {}, id=view) for view in VIEWS), *ON_A_PHONE])
def test_axe_finds_no_violation(view: str, device: dict[str, Any], visit: Opener) -> None:
    """All rules in light colours; in dark ones contrast alone, since nothing else differs."""
    axe = pytest.importorskip(
        "axe_playwright_python", reason="the checks of accessibility need axe: pip install axe-playwright-python"
    )
    link, *steps = VIEWS[view]
    page = visit(link, **device)
    act(page, *steps)
    page.evaluate((Path(axe.__file__).parent / "axe.min.js").read_text() + "; undefined")
    for theme, rules in (("light", "{}"), ("dark", "{ runOnly: ['color-contrast'] }")):
        page.emulate_media(color_scheme=theme)
        until(page, f"document.documentElement.dataset.theme === '{theme}'")
        found = page.evaluate(
            f"axe.run(document, {rules}).then(({{ violations }}) => "
            "violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 120))]))"
        )
        assert found == [], json.dumps(found, indent=1)


def test_a_drag_that_is_given_up_leaves_no_listener_behind(visit: Opener) -> None:
    page = visit("#board=6x6")
    page.evaluate(
        """() => { watch.listeners = 0;
          const { addEventListener, removeEventListener } = globalThis;
          const keys = ([kind]) => Number(kind === "keydown");
          globalThis.addEventListener = (...of) => { watch.listeners += keys(of); addEventListener(...of); };
          globalThis.removeEventListener = (...of) => { watch.listeners -= keys(of); removeEventListener(...of); }; }"""
    )
    grip = page.locator(".grip.right").bounding_box()
    for _ in range(3):
        page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
        page.mouse.down()
        assert page.evaluate("watch.listeners") == 1
        page.keyboard.press("Escape")
        page.mouse.up()
    assert page.evaluate("watch.listeners") == 0


def test_many_exits_of_a_square_come_back_as_they_were(visit: Opener) -> None:
    page = visit()
    steps = [[[7, many], [2499, 2], [8, many]] for many in (0, 14, 15, 16, 23, 399)] + [[]]
    events = [
        {"event": "step", "vertex": 3, "candidates": [{"vertex": vertex, "exits": exits} for vertex, exits in step]}
        for step in steps
    ]
    kept = page.evaluate(
        """(events) => import("/log.js").then(({ Log }) => {
          const log = new Log({});
          log.add(events);
          return events.map((_, number) => log.candidates(number));
        })""",
        events,
    )
    assert kept == steps
