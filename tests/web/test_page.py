"""The page in a real browser: clicks, drags, keys, downloads. Each scene is named for the sentence of the description
that it shows."""

import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from watching import PHONE, PLAYED, Step, act, needs_browser, resident_megabytes, square

from cpsat_tour import Board, Problem, Tour, verify
from cpsat_tour.native.orders import NAMES
from cpsat_tour.native.paths import FLAGS, GROUPS

pytest.importorskip("playwright.sync_api", reason="the browser tests need Playwright: pip install playwright")
pytestmark = needs_browser

RUNNING = "#order=plain&prune=none"
"""A search that takes for ever."""

PLAY = ("click", "#play")
Opener = Callable[..., Any]

SHARED = (
    "#board=7x10&open=1&start=c3&end=d6&holes=a1,j7&leaper=2,3&order=pohl&prune=degree,colour&seed=7&speed=9"
    "&backtrack=0&animate=0"
)
TO_A_RETURN = (
    "() => { let k = 1; const { cursor } = watch.search; do cursor.seek(k++); while (cursor.event.kind !== 'back'); "
    "watch.goTo(k - 1); }"
)

SCENES: dict[str, tuple[Step, ...]] = {
    # --- the applet of 1999 ---
    "a click on a square starts there": (
        "#board=8x8",
        ("square", "c3"),
        "watch.at > 3 && search.board.words[42] === '1'",
        "location.hash.endsWith('start=c3') && many('circle.begin') === 1",
    ),
    "pause and resume": (
        f"{RUNNING}&speed=6",
        PLAY,
        "watch.at > 5",
        PLAY,
        "text('play') === 'Resume' && !watch.playing",
        PLAY,
        "watch.at > 40 && text('play') === 'Pause'",
    ),
    "animation on and off": (
        RUNNING,
        ("uncheck", "#animate"),
        PLAY,
        "watch.length > 3000 && !search.board.words.some(Boolean)",
        "Number(document.querySelector('figcaption b').innerText.replace(',', '')) > 100",
        ("check", "#animate"),
        "search.board.shown.size > 5",
    ),
    "clear empties the board and ends the search": (
        f"{RUNNING}&start=d4",
        PLAY,
        "watch.at > 3",
        ("click", "#clear"),
        "!search.board.words.some(Boolean) && !watch.length && !watch.playing && !watch.searching",
        "text('play') === 'Search' && text('clear') === 'Clear board'",
        ("click", "#clear"),
        "!location.hash.includes('start') && at('clear').disabled",
    ),
    "the positions tried are told at the end": (
        "#board=6x6&start=a1&speed=12",
        *PLAYED,
        "text('status') === 'A closed tour is found, after 36 positions and 0 steps back.'",
        "text('play') === 'Again'",
    ),
    # With the applet's own prunings, as many positions as in the literature.
    "a search that exhausts the board says so": (
        "#board=5x5&start=a1&prune=applet&animate=0",
        *PLAYED,
        "text('status').startsWith('The board is exhausted: every possibility is tried, in 23,251 positions, and')",
    ),
    # --- past it ---
    "open and closed tours": (
        "#board=5x5&start=a1&speed=12",
        ("click", "text='Open tour'"),
        *PLAYED,
        "text('status').includes('open tour is found') && many('.ramp path') === 24",
        ("click", "text='Closed tour'"),
        "text('size').includes('no closed tour')",
    ),
    "an end square by Shift-click": (
        "#open=1&board=6x6&speed=12",
        ("square", "f6", "Shift"),
        "many('rect.finish') === 1 && location.hash.includes('end=f6')",
        ("square", "a6"),
        "watch.over && !watch.playing && search.board.words[5] === '36'",
    ),
    "holes by Alt-click and whole again": (
        "#board=6x6&speed=12",
        ("square", "a1", "Alt"),
        ("square", "f1", "Alt"),
        "text('size').startsWith('34 squares') && many('.sq.hole') === 2",
        "location.hash === '#board=6x6&holes=a1,f1&speed=12'",
        *PLAYED,
        "text('status').includes('found') && search.board.words.filter(Boolean).length === 34",
        ("square", "a1", "Alt"),
        "many('.sq.hole') === 1",
    ),
    "move order and prunings from a list": (
        "#open=1&start=d4&speed=12",
        ("click", "#more summary"),
        ("select_option", "#order", "pohl"),
        "[...document.querySelectorAll('#prune :checked')].map((box) => box.value).sort().join() === "
        "'applet-start,colour,degree,reversal'",
        ("check", "#prune [value=connected]"),
        "location.hash.endsWith('&prune=degree,colour,connected,reversal,applet-start&speed=12')",
        ("check", "#prune [value=applet-exits]"),
        "watch.setting.prune === 'all' && location.hash.includes('order=pohl')",
        *(("uncheck", f"#prune [value={name}]") for name in ("degree", "colour", "connected", "reversal")),
        "watch.setting.prune === 'applet'",
        ("link", "#open=1&start=d4&speed=12&order=fixed:12345678&prune=none"),
        "at('order').value === 'fixed:12345678' && many('#prune :checked') === 0",
        ("uncheck", "#backtrack"),
        *PLAYED,
        "(({ order, prune, backtrack }) => [order, prune, backtrack].join() === 'fixed:12345678,none,false')"
        "(search.log.problem)",
        "/found|dead end/.test(text('status'))",
        ("link", "#order=sideways"),
        PLAY,
        "text('status').includes('sideways')",
    ),
    "step forward and back": (
        "#start=a1",
        *(step for at in (1, 2, 3, 4) for step in (("click", "#forward"), f"watch.at === {at}")),
        "watch.length <= 5 && search.cursor.path().every((place) => Number(search.board.words[place]) <= 3)",
        ("click", "#back"),
        "watch.at === 3 && search.cursor.path().length === 2",
        ("click", "#forward"),
        "watch.at === 4 && search.cursor.path().length === 3",
    ),
    "a link holds how far a search is shown": (
        "#board=8x8&order=plain&prune=none&start=a1&speed=6",
        ("click", "#forward"),
        ("evaluate", "watch.reach(150)"),
        "watch.at === 150 && location.hash.endsWith('&speed=6&event=150') && text('at').startsWith('step 150 of ')",
        ("evaluate", "watch.path = search.cursor.path().join()".replace("search", "watch.search")),
        ("link", "#board=6x6"),
        "!watch.length && !watch.waits && watch.setting.rows === 6",
        ("link", "#board=8x8&order=plain&prune=none&start=a1&speed=6&event=150"),
        "watch.at === 150 && !watch.playing && search.cursor.path().join() === watch.path && watch.length < 200",
        ("click", "#clear"),
        "!location.hash.includes('event') && !watch.length",
        ("link", "#board=6x6&backend=sat:lazy&event=999"),
        "watch.over && watch.at === watch.length && text('status').startsWith('A closed tour is found')",
    ),
    "speed from one move a second to as fast as it goes": (
        f"{RUNNING}&start=a1",
        ("fill", "#speed", "0"),
        "text('speed-words') === '1 step a second'",
        PLAY,
        "watch.at >= 1 && watch.length < 10",
        ("fill", "#speed", "12"),
        "text('speed-words') === 'as fast as it goes' && watch.at > 5000",
    ),
    "everything by keyboard": (
        "#board=6x6",
        ("focus", "#board"),
        *(("key", key) for key in ("ArrowRight", "ArrowDown", "ArrowDown")),
        "search.svg.getAttribute('aria-activedescendant') === 'board-13'",
        ("key", "h"),
        "watch.setting.holes.join() === 'b4'",
        ("key", "h"),
        ("key", "Enter"),
        "watch.at > 2 && watch.setting.start === 'b4'",
        ("key", "ArrowUp"),
        ("key", "e"),
        "watch.setting.end === 'b5'",
        ("evaluate", "document.activeElement.blur()"),
        *(("key", key) for key in ("c", "c", "ArrowRight")),
        "watch.at === 1",
        ("key", "+"),
        "watch.setting.speed === 5",
        ("key", "-"),
        ("key", " "),
        "watch.at > 4",
        ("key", " "),
        "!watch.playing",
        ("key", "ArrowLeft"),
        ("key", "Home"),
        "watch.at === 0",
        ("key", "End"),
        "watch.at === watch.length",
    ),
    "a layout that comes late ends no search": (
        "#board=6x6",
        ("evaluate", "watch.change({ holes: ['b4'] }), watch.change({ holes: [] }), watch.use(13, 'start')"),
        "watch.at > 2",
    ),
    "a layout that comes while a size is typed leaves it alone": (
        "#board=4x6",
        "!watch.waits",
        ("fill", "#rows", "5"),
        ("fill", "#leaper", "1,4"),
        ("evaluate", "watch.fill()"),
        "at('leaper').value === '1,4' && at('rows').value === '5' && watch.setting.rows === 5",
        ("press", "#leaper", "Enter"),
        "watch.setting.leaper === '1,4'",
        ("fill", "#rows", "7"),
        ("evaluate", "watch.fill()"),
        ("press", "#rows", "Enter"),
        "watch.setting.rows === 7",
        ("evaluate", "watch.change({ rows: 6 })"),
        "at('rows').value === '6'",
    ),
    "CP-SAT shows the solver's statistics as they come": (
        "#backend=cpsat&speed=12",
        "shown('solver')",
        *PLAYED,
        "['Starting presolve', 'conflicts:'].every((words) => text('log').includes(words))",
        "document.querySelector('figcaption').innerText.includes('branches')",
    ),
    "an impossible board shows its certificate with the multipliers on the squares and the sentence": (
        "#board=4x6",
        "watch.proof.certificate && many('.proof .digits') === 12 && many('.proof .shore') === 1",
        "many('.proof rect.plus') === 6 && many('.proof rect.minus') === 6",
        "text('why-sentence').includes('never leaves these') && text('why-theorem').includes('Schwenk 1991')",
        "text('status') === 'There is no closed tour of the 4x6 board.'",
        *(step for side in ("cols", "rows") for step in (("fill", f"#{side}", "5"), ("press", f"#{side}", "Enter"))),
        "watch.proof.certificate && many('.proof .digits') === 25",
        "text('why-sentence').includes('13 dark and 12 light')",
        ("fill", "#rows", "6"),
        ("press", "#rows", "Enter"),
        "!shown('why') && many('.proof .digits') === 0",
    ),
    "symmetric tours are asked of solvers or refuted": (
        "#board=6x6&speed=12",
        ("select_option", "#symmetry", "any"),
        "location.hash === '#board=6x6&symmetry=any&backend=sat:lazy&speed=12'",
        "document.querySelector('#backend option[value=dfs]').disabled",
        *PLAYED,
        "text('status').startsWith('A closed tour mapped to itself by rot90 is found by sat:lazy')",
        *(step for side in ("rows", "cols") for step in (("fill", f"#{side}", "8"), ("press", f"#{side}", "Enter"))),
        ("select_option", "#symmetry", "rot90"),
        "watch.proof.certificate && text('why-sentence').replaceAll('\\n', ' ').includes('odd multiple of 16 moves')",
        ("select_option", "#symmetry", "axial"),
        "text('status').includes('choose one of axial-rows')",
        ("select_option", "#symmetry", "none"),
        "!document.querySelector('#backend option[value=dfs]').disabled",
    ),
    "the search backs up visibly": (
        "#board=5x6&start=a1&order=plain&prune=none&speed=12",
        PLAY,
        "search.cursor?.backtracks > 3",
        PLAY,
        ("evaluate", TO_A_RETURN),
        "text('status').startsWith(`Backs up from ${watch.plan.names[search.cursor.event.square]} to "
        "${watch.plan.names[search.cursor.path().at(-1)]}: `)",
        "document.querySelector('.ghost').getAttribute('d').split('L').length === 2",
        "document.querySelector('.cross').getAttribute('d') !== ''",
        "document.querySelector('figcaption').innerText.includes(`steps back ${search.cursor.backtracks}`)",
    ),
    "other leapers": (
        "#board=6x6&speed=12",
        ("fill", "#leaper", "0,1"),
        ("press", "#leaper", "Enter"),
        *PLAYED,
        "text('status').includes('closed tour is found') && watch.setting.leaper === '0,1'",
        ("fill", "#leaper", "King"),
        ("press", "#leaper", "Enter"),
        *PLAYED,
        "text('status').includes('closed tour is found') && location.hash.includes('leaper=king')",
    ),
    "by touch": (
        "#open=1&board=6x6&speed=12",
        *(("tap", what) for what in ("Hole", "a1", "End", "f1", "Start", "b3")),
        "watch.at > 3 && document.documentElement.scrollWidth <= innerWidth",
        "[...watch.setting.holes, watch.setting.start, watch.setting.end].join() === 'a1,b3,f1'",
    ),
    "dark and light": (
        "#board=8x8",
        ("evaluate", "watch.dark = getComputedStyle(document.documentElement).backgroundColor"),
        "document.documentElement.dataset.theme === 'dark'",
        ("select_option", "#theme", "light"),
        "document.documentElement.dataset.theme === 'light'",
        "getComputedStyle(document.documentElement).backgroundColor !== watch.dark",
        ("select_option", "#theme", "auto"),
        "document.documentElement.dataset.theme === 'dark'",
    ),
    "no motion where the reader asks for none": (
        "#start=a1",
        "watch.setting.animate === false",
        "['0s', ''].includes(getComputedStyle(document.querySelector('.knight')).transitionDuration)",
        *PLAYED,
        "search.board.words.filter(Boolean).length === 64",
    ),
    "the address holds the whole setting so a link shares it": (
        SHARED,
        ("evaluate", "watch.change({})"),
        f"location.hash.slice(1).split('&').sort().join() === '{','.join(sorted(SHARED[1:].split('&')))}'",
        "watch.setting.leaper === '2,3' && !watch.setting.closed && watch.setting.order === 'pohl'",
        ("link", "#board=5x6"),
        "watch.setting.cols === 6 && watch.setting.rows === 5",
    ),
    "labels for screen readers": (
        "#board=5x5&open=1&start=a1&speed=12",
        """many("[aria-label='a1, start']") === 1 && many("[aria-label='e4']") === 1""",
        ("square", "e4", "Alt"),
        """many("[aria-label='e4, hole']") === 1""",
        ("square", "e4", "Alt"),
        *PLAYED,
        ("evaluate", "watch.goTo(3)"),
        """many("[aria-label='a1, start, visit 1']") === 1""",
        """many("[aria-label$=', knight']") === 1 && many("[aria-label$=' exits']") > 0""",
        "[...document.querySelectorAll('[tabindex]')].every((element) => element.tabIndex === 0)",
        """[...document.querySelectorAll("button, input, select, output, svg[role], [role=group], [role=radiogroup]")]
          .every((e) => e.getAttribute("aria-label") || e.labels?.length || e.textContent.trim() || e.closest("label"))
        """,
    ),
}

DEVICES: dict[str, dict[str, Any]] = {
    "by touch": PHONE,
    "dark and light": {"color_scheme": "dark"},
    "no motion where the reader asks for none": {"reduced_motion": "reduce"},
}
"""Whom some scenes are played for."""


@pytest.mark.parametrize("scene", SCENES)
def test_a_scene(scene: str, visit: Opener) -> None:
    link, *steps = SCENES[scene]
    act(visit(link, **DEVICES.get(scene, {})), *steps)


def test_orders_and_prunings_are_those_of_the_search(visit: Opener) -> None:
    page = visit()
    page.evaluate("import('/setting.js').then(({ PRUNINGS }) => { watch.groups = PRUNINGS; })")
    act(page, "watch.groups")
    assert page.evaluate("watch.groups") == {word: list(names) for word, names in GROUPS.items()}
    assert set(page.evaluate("[...document.querySelectorAll('#prune input')].map((box) => box.value)")) == set(FLAGS)
    assert set(page.evaluate("[...document.querySelectorAll('#order option')].map((one) => one.value)")) == set(NAMES)


def words_on(page: Any) -> dict[int, str]:
    """What stands on the squares, the number under the knight too."""
    return {square: word for square, word in enumerate(page.evaluate("watch.search.board.words")) if word}


def drag(page: Any, side: str, units: float) -> None:
    """Take the handle of a side and draw it over so many squares, without letting go."""
    unit = square(page, "a1").bounding_box()["width"]
    border = page.locator(f".grip.{side}").bounding_box()
    x, y = border["x"] + border["width"] / 2, border["y"] + border["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for part in (0.5, 1):
        page.mouse.move(x + part * units * unit * (side == "right"), y + part * units * unit * (side == "bottom"))


@pytest.mark.parametrize(("side", "size"), [("right", "8,9"), ("bottom", "9,8")])
def test_dragging_a_border_resizes_and_shows_the_squares_meanwhile(side: str, size: str, visit: Opener) -> None:
    page = visit()
    drag(page, side, 1)
    act(page, "text('tag').includes('72 squares') && !many('#tag.impossible')")
    page.mouse.up()
    act(page, f"[watch.setting.rows, watch.setting.cols].join() === '{size}'", "many('.sq') === 72 && !shown('tag')")


def test_while_dragging_the_squares_are_red_where_no_tour_exists_with_the_reason(visit: Opener) -> None:
    page = visit("#board=5x6")
    drag(page, "right", -1)
    act(page, "many('#tag.impossible') && /25 squares[^]*13 dark and 12 light/.test(text('tag'))")
    page.keyboard.press("Escape")
    act(page, "[watch.setting.rows, watch.setting.cols].join() === '5,6'")
    page.mouse.up()


def test_the_knight_stands_on_its_square_the_visited_have_numbers_and_candidates_have_rings_with_their_exits(
    visit: Opener,
) -> None:
    page = visit("#start=a1&speed=12")
    act(page, *PLAYED)
    page.evaluate("watch.goTo(11)")
    path, candidates = page.evaluate("[watch.search.cursor.path(), watch.search.cursor.candidates]")
    around = {square: {int(v) for v in Board(8).graph.neighbours(square)} - set(path) for square in range(64)}
    numbers = {visited: str(visit) for visit, visited in enumerate(path, start=1)}
    exits = {place: str(len(around[place])) for place in around[path[-1]]}
    assert (len(path), words_on(page)) == (10, numbers | exits)
    for place, _ in candidates:
        ring = f"watch.search.board.marks[{place}]"
        assert page.evaluate(f"getComputedStyle({ring}.digits).fill") == "rgb(18, 54, 130)"
        assert page.evaluate(f"getComputedStyle({ring}.disc).strokeDasharray") != "none"
    knight, here = page.locator(".knight").bounding_box(), square(page, Board(8).name(path[-1])).bounding_box()
    for at, size in (("x", "width"), ("y", "height")):
        assert abs(knight[at] + knight[size] / 2 - here[at] - here[size] / 2) < here[size] / 4


def test_a_timeline_to_scrub(visit: Opener) -> None:
    """Wherever one goes, the path is the one that a fresh replay of the events gives."""
    page = visit("#board=5x6&start=a1&order=plain&prune=none&speed=12")
    act(page, PLAY, "watch.length > 9000", PLAY, ("fill", "#timeline", "4321"), "watch.at === 4321")
    for at in (4321, 100, 8888, 8887, 0, 2048, 2047, 5000):
        page.evaluate(f"watch.goTo({at})")
        replayed = page.evaluate(
            """(at) => {
              const { log } = watch.search;
              const path = [];
              let positions = 0;
              for (let number = 0; number < at; number += 1) {
                const event = log.event(number);
                if (event.kind === "step") { path.push(event.square); positions += 1; }
                if (event.kind === "back") path.pop();
              }
              return [path, positions];
            }""",
            at,
        )
        assert page.evaluate("[watch.search.cursor.path(), watch.search.cursor.positions]") == replayed
        assert {place: str(visit + 1) for visit, place in enumerate(replayed[0])}.items() <= words_on(page).items()


def test_sat_shows_each_two_factor_with_its_cycles_in_colours_the_cut_sets_and_how_they_merge(visit: Opener) -> None:
    page = visit("#board=12x12&backend=sat:lazy&speed=12")
    act(page, *PLAYED, "text('status').startsWith('A closed tour is found by sat:lazy')")
    first, second, cut = page.evaluate(
        """() => {
          const kinds = [...Array(watch.length).keys()].map((k) => watch.search.log.event(k).kind);
          const first = kinds.indexOf("two_factor_found");
          return [first, kinds.indexOf("two_factor_found", first + 1), kinds.indexOf("cut_set_added")];
        }"""
    )
    page.evaluate(f"watch.goTo({first + 1})")
    cycles = page.evaluate("watch.search.scene().cycles")
    assert sorted(place for cycle in cycles for place in cycle["squares"]) == list(range(144))
    assert len({cycle["hue"] for cycle in cycles}) == len(cycles) == page.locator(".cycles path").count() > 1
    assert page.inner_text("#status").startswith(f"Two moves at each square, in {len(cycles)} separate cycles")
    assert "rounds" in page.inner_text("figcaption")
    page.evaluate(f"watch.goTo({cut + 1})")
    assert set(page.evaluate("watch.search.scene().shores[0].squares")) in [set(cycle["squares"]) for cycle in cycles]
    assert page.locator(".shores path").count() == 1
    # A cycle of the next 2-factor has the colour of the one that it shares most squares with, so colours merge as
    # cycles do.
    page.evaluate(f"watch.goTo({second + 1})")
    for cycle in page.evaluate("watch.search.scene().cycles"):
        shared = [before["hue"] for before in cycles if set(before["squares"]) & set(cycle["squares"])]
        assert cycle["hue"] in shared or cycle["hue"] not in [before["hue"] for before in cycles]
    before, after = page.evaluate(
        """() => {
          const rounds = [[[0, 1, 2, 3, 4], [5, 6, 7], [8, 9]], [[5, 6, 7, 8, 9, 10], [0, 1, 2, 3, 4]]];
          return rounds.map((members) => watch.search.colourCycles(members).map(({ hue }) => hue));
        }"""
    )
    assert after == [before[1], before[0]]
    page.evaluate("watch.goTo(watch.length)")
    verify(Problem(Board(12, 12).graph, closed=True), page.evaluate("watch.search.scene().path"))


def test_export_as_svg_png_gif_json_and_print(visit: Opener, tmp_path: Path) -> None:
    page = visit("#board=6x6&start=a1&speed=12")
    act(page, *PLAYED)

    page.click("#exporting")

    def exported(form: str) -> bytes:
        with page.expect_download() as download:
            page.click(f"[data-export={form}]")
        assert download.value.suggested_filename == f"tour-6x6.{form}"
        return Path(download.value.path()).read_bytes()

    path = page.evaluate("watch.search.scene().path")
    assert exported("svg").decode() == Tour(Board(6).graph, True, np.array(path, dtype=np.int32)).svg()
    assert exported("png").startswith(b"\x89PNG")
    from PIL import Image

    assert getattr(Image.open(BytesIO(exported("gif"))), "n_frames", 1) == 38
    kept = tmp_path / "tour.json"
    kept.write_bytes(exported("json"))
    assert Tour.load(kept).vertices.tolist() == path
    half = (("evaluate", "watch.goTo(20)"), ("click", "[data-export=json]"))
    act(page, *half, "text('exported').includes('A tour file holds a whole tour')")
    page.evaluate("window.print = () => { watch.wasPrinted = true; }")
    act(page, ("click", "[data-export=print]"), "watch.wasPrinted")
    page.emulate_media(media="print")
    assert page.locator("#panel").is_hidden()
    assert page.locator("#board").is_visible()


# --- the stream, drawn ---


def test_the_pages_log_holds_the_servers_events(visit: Opener) -> None:
    """Packed in words of 16 bits and unpacked again, each event is what the server sent."""
    page = visit("#board=5x6&start=a1&prune=applet&speed=12")
    page.evaluate(
        """watch.frames = []; const { link } = watch.search, { receive } = link;
        link.receive = (text) => { watch.frames.push(text); receive.call(link, text); }; null"""
    )
    act(page, *PLAYED)
    events = [json.loads(text) for frame in page.evaluate("watch.frames") for text in frame.split("\n")]
    begun = next(place for place, event in enumerate(events) if event["event"] == "problem")
    events = [event for event in events[begun + 1 :] if event["event"] != "judgement"]
    kept = page.evaluate("[...Array(watch.length).keys()].map((number) => watch.search.log.event(number))")
    for event, mine in zip(events, kept, strict=True):
        if event["event"] == "step":
            candidates = [[candidate["vertex"], candidate["exits"]] for candidate in event["candidates"]]
            expected = {"kind": "step", "square": event["vertex"], "candidates": candidates}
        elif event["event"] == "backtrack":
            expected = {"kind": "back", "square": event["vertex"], "why": event["why"]}
            assert set(mine["prunings"]) == set(event["prunings"])
        elif event["event"] == "move_refused":
            expected = {"kind": "refused", "square": event["vertex"], "pruning": event["pruning"]}
        else:
            expected = {"kind": event["event"]}
        assert expected.items() <= mine.items()


OVERLAPPING = """() => {
  const boxes = [...document.querySelectorAll("header, .frame svg, figcaption, #status, .transport > *, fieldset")]
    .map((e) => [e.id || e.className || e.tagName, e.getBoundingClientRect()])
    .filter(([, box]) => box.width && box.height);
  const hits = [];
  boxes.forEach(([one, a], k) => boxes.slice(k + 1).forEach(([other, b]) => {
    const across = a.left < b.right - 1 && b.left < a.right - 1;
    if (across && a.top < b.bottom - 1 && b.top < a.bottom - 1) hits.push([String(one), String(other)]);
  }));
  return hits;
}"""


@pytest.mark.parametrize("side", [5, 16])
def test_nothing_overlaps_and_numbers_can_be_read(side: int, visit: Opener) -> None:
    page = visit(f"#board={side}x{side}&open=1&start=a1&speed=12")
    act(page, *PLAYED)
    digits = (
        "[...document.querySelectorAll('.visit:not(.gone) .digits')].filter((word) => "
        "getComputedStyle(word).visibility === 'visible')"
    )
    for width in (1280, 900, 390):
        page.set_viewport_size({"width": width, "height": 844})
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate(OVERLAPPING) == []
        heights = page.evaluate(f"{digits}.map((word) => word.getBoundingClientRect().height)")
        assert len(heights) == side * side or (width <= 900 and side > 8)
        assert min(heights, default=9) >= 6


# --- looked at and measured on demand ---


@pytest.mark.slow
def test_a_search_of_a_million_events_keeps_the_page_within_100_megabytes(visit: Opener, browser: Any) -> None:
    page = visit(f"{RUNNING}&speed=12")
    act(page, PLAY, "watch.length > 10000")
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    before = {run["id"]: resident_megabytes(run["id"]) for run in processes if run["type"] == "renderer"}
    while page.evaluate("watch.length") < 1_000_000:
        page.wait_for_timeout(500)
    act(page, PLAY, ("evaluate", "watch.goTo(500000)"))
    assert max(resident_megabytes(process) - megabytes for process, megabytes in before.items()) < 100
