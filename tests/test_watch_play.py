"""Play, and what else the page invites to, in a real browser: each test is named for the sentence that it shows."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from watching import needs_browser, square, until, watching

from cpsat_tour.core.problem import Problem
from cpsat_tour.core.tour import Tour, verify
from cpsat_tour.spaces.board import Board

pytest.importorskip("playwright.sync_api", reason="the browser tests need Playwright: pip install playwright")
pytestmark = needs_browser

Opener = Callable[..., Any]

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def judged(page: Any) -> Any:
    """The last answer about the walk, once it is whole."""
    until(page, "watch.walk.answer?.final && watch.walk.answer.length === watch.walk.length")
    return page.evaluate("watch.walk.answer")


# --- play ---


def test_a_click_walks_and_the_page_says_whether_the_walk_can_be_completed(visit: Opener) -> None:
    page = visit("#board=6x6&play=1")
    for name in ("a1", "b3", "c5"):
        square(page, name).click()
    assert judged(page)["closed"]["can"] is True
    assert page.inner_text("#status") == "Move 2: to c5. It can become a closed tour."
    assert page.inner_text("#walked") == "3 of 36"
    assert page.get_attribute("#can-closed", "data-can") == page.get_attribute("#can-open", "data-can") == "true"
    rings = page.evaluate(
        "[...watch.lanes[0].board.shown].filter(([, code]) => code < 0).map(([place]) => watch.plan.names[place])"
    )
    assert set(rings) == {"a6", "a4", "b3", "d3", "e4", "e6"} - {"b3"}
    square(page, "f1").click()
    assert "not a move away from c5" in page.inner_text("#status")
    page.click("#undo")
    assert page.evaluate("watch.walk.text") == "a1.b3"
    square(page, "a1").click()
    assert page.evaluate("watch.walk.text") == "a1"


def test_where_it_cannot_the_page_says_why_and_how_far_back(visit: Opener) -> None:
    page = visit("#board=6x6&play=1&walk=f3.e1.c2.a1.b3.c1.a2.b4.c6")
    answer = judged(page)
    assert [answer["closed"]["can"], answer["closed"]["keep"]] == [False, 8]
    assert page.inner_text("#status") == (
        "Move 8: to c6. A closed tour can’t be had any more: go back 1 square, to b4."
        " a6 has one exit left, and a tour must come in and go out again."
    )
    assert page.evaluate(
        "[...document.querySelectorAll('.sq.lit')].map((rect) => rect.getAttribute('aria-label'))"
    ) == ["a6"]
    page.click("#go-back")
    assert page.evaluate("watch.walk.length") == 8
    assert judged(page)["closed"]["can"] is True


def test_a_hint_and_the_rest_of_the_walk(visit: Opener) -> None:
    page = visit("#board=6x6&play=1&walk=a1.b3")
    judged(page)
    page.click("#hint")
    aim = page.evaluate("watch.walk.aim")
    assert page.locator(".sq.aim").get_attribute("id") == f"board-0-{aim}"
    page.click("#rest")
    assert page.locator(".onward").get_attribute("d").count("L") == 35
    tour = page.evaluate("watch.walk.tour")
    verify(Problem(Board(6).graph, closed=True), tour)
    page.evaluate("(tour) => { for (const place of tour.slice(2)) watch.walk.step(place); }", tour)
    assert page.inner_text("#status") == "Well walked: a closed tour!"
    assert page.evaluate("watch.lanes[0].board.knight.getAttribute('visibility')") == "hidden"


def test_play_by_touch_on_a_phone(visit: Opener) -> None:
    page = visit("#board=8x8&play=1", **PHONE)
    square(page, "d4").tap()
    square(page, "e6").tap()
    assert judged(page)["length"] == 2
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert "Tap a square" in page.inner_text("#advice")
    small = """() => [...document.querySelectorAll("button, select, nav a, .segments span, input[type=text]"),
                     ...document.querySelectorAll("input[type=number]")]
      .map((e) => [e.id || e.textContent, e.getBoundingClientRect().height])
      .filter(([, height]) => height && height < 40)"""
    assert page.evaluate(small) == []


def test_play_by_keys_alone(visit: Opener) -> None:
    page = visit("#board=5x5&play=1&open=1")
    page.evaluate("localStorage.clear()")
    page.locator("#board-0").focus()
    page.keyboard.press("Enter")
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert page.evaluate("watch.walk.text") == "a5.b3"
    assert judged(page)["open"]["can"] is True
    assert square(page, "b3").get_attribute("aria-label") == "b3, visit 2, knight"
    page.keyboard.press("i")
    assert page.locator(".sq.aim").count() == 1
    page.keyboard.press("r")
    assert page.get_attribute("#rest", "aria-pressed") == "true"
    page.keyboard.press("u")
    assert page.evaluate("watch.walk.length") == 1
    page.keyboard.press("Backspace")
    assert page.evaluate("watch.walk.length") == 0


def test_a_link_shares_the_walk_and_the_browser_keeps_it(visit: Opener) -> None:
    page = visit("#board=6x6&play=1&walk=a1.b3.c5")
    assert page.evaluate("watch.walk.text") == "a1.b3.c5"
    page.evaluate("navigator.clipboard.writeText = (text) => { watch.copied = text; return Promise.resolve(); }")
    page.click("[data-export=link]")
    until(page, "watch.copied")
    assert page.evaluate("watch.copied").endswith("#board=6x6&play=1&walk=a1.b3.c5")
    square(page, "d3").click()
    page.evaluate("location.hash = '#board=5x5&play=1'")
    until(page, "watch.setting.rows === 5")
    page.evaluate("location.hash = '#board=6x6&play=1'")
    until(page, "watch.walk.text === 'a1.b3.c5.d3'")
    page.evaluate("location.hash = '#board=6x6&play=1&walk=a1.a2'")
    until(page, "watch.walk.length === 0")


@pytest.mark.parametrize("space", ["torus:5x6", "4x4x3", "GP(7,2)", "Q(4)"])
def test_any_space_can_be_played_and_searched(space: str, visit: Opener) -> None:
    page = visit(f"#space={space}&play=1&open=1")
    until(page, "!watch.waits")
    page.locator("#board-0-0").click()
    judged(page)
    page.evaluate("watch.walk.step(watch.walk.tour[1])")
    answer = judged(page)
    assert answer["open"]["can"] is True
    assert page.input_value("#rows") == page.input_value("#leaper") == ""
    assert page.get_by_text("Hole", exact=True).is_hidden()
    page.get_by_text("Watch a search", exact=True).click()
    page.evaluate("watch.change({ speed: 12, start: null })")
    page.click("#play")
    until(page, "watch.over && watch.at === watch.length && !watch.playing")
    assert "open tour is found" in page.inner_text("#status")


def test_a_space_that_the_page_cannot_show_says_so(visit: Opener) -> None:
    page = visit("#space=nowhere")
    until(page, "document.getElementById('status').innerText.includes('is not a space')")
    page.evaluate("location.hash = '#space=torus:99x99'")
    until(page, "document.getElementById('status').innerText.includes('at most 400')")


def test_a_puzzle_is_played_without_being_told_and_its_link_shares_it(visit: Opener) -> None:
    page = visit("#board=5x5&play=1&open=1")
    page.evaluate("watch.walk.puzzle(3)")
    until(page, "watch.setting.givens.length > 0")
    judged(page)
    givens = page.evaluate("[...watch.lanes[0].board.givens]")
    assert page.locator(".given").count() == len(givens)
    assert page.get_attribute("#can-open", "data-can") == "unknown"
    solution = page.evaluate("watch.walk.tour")
    assert [[place, solution.index(place) + 1] for place, _ in givens] == givens
    for place in solution[page.evaluate("watch.walk.length") : 24]:
        page.evaluate(f"watch.walk.step({place})")
    assert page.evaluate("watch.walk.length") == 24
    shared = page.evaluate("location.hash")
    assert "&at=" in shared
    judged(page)
    assert page.inner_text("#status").endswith(f"Move 23: to {Board(5).name(solution[23])}.")
    page.check("#tell")
    assert page.inner_text("#status").endswith("It can become an open tour.")
    page.evaluate("watch.walk.step(watch.walk.tour[24])")
    assert page.inner_text("#status").startswith("Well walked")
    other = visit(shared)
    assert other.evaluate("[...watch.lanes[0].board.givens]") == givens
    number = dict(map(tuple, givens))
    late = next(place for place in solution[2:] if place in number)
    other.evaluate(f"watch.walk.step({late})")
    assert f"is to be number {number[late]}" in other.inner_text("#status") or "not a move away" in other.inner_text(
        "#status"
    )
    other.click("#no-puzzle")
    assert other.locator(".given").count() == 0


# --- a page that invites ---


def test_it_opens_on_a_tour_being_drawn(visit: Opener) -> None:
    page = visit("#")
    until(page, "watch.at > 5")
    page.evaluate("watch.change({ speed: 12 }, { keep: true })")
    until(
        page,
        "watch.over && !watch.playing && document.getElementById('status').innerText.includes('closed tour is found')",
    )
    assert page.locator(".ramp path").count() == 48


def test_presets_lead_to_what_they_say(visit: Opener) -> None:
    page = visit()
    for name, then in (
        ("4×10: why not?", "watch.proof.certificate && watch.setting.cols === 10"),
        ("Two orders race", "watch.lanes.length === 2 && watch.at > 3"),
        ("12×12: cycles merge", "watch.setting.cols === 12 && watch.lanes[0].scene().cycles"),
        ("A graph", "watch.plan.order === 34 && watch.at > 1"),
        ("Play", "watch.setting.play && watch.walk.answer"),
    ):
        page.get_by_role("link", name=name, exact=True).click()
        until(page, then)


def test_a_race_names_its_winner_and_both_begin_on_one_square_in_view(visit: Opener) -> None:
    page = visit("#board=8x8&race=pohl/none&speed=12")
    page.click("#play")
    until(page, "watch.over && watch.at === watch.length && !watch.playing")
    positions = page.evaluate("watch.lanes.map((lane) => lane.log.end.positions)")
    paths = page.evaluate("watch.lanes.map((lane) => lane.scene().path[0])")
    assert paths[0] == paths[1]
    winner = "default" if positions[0] < positions[1] else "pohl, prunings none"
    assert page.inner_text("#status").startswith(f"{winner} wins: a tour in {min(positions)} positions")
    assert page.locator(".lane.winner .who").inner_text().startswith(winner)
    for size in ({"width": 1280, "height": 800}, {"width": 390, "height": 844}):
        page.set_viewport_size(size)
        for lane in (0, 1):
            box = page.locator(f"#board-{lane}").bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= size["width"]
            assert box["y"] + box["height"] <= size["height"]


def test_move_13_is_the_thirteenth(visit: Opener) -> None:
    page = visit("#board=8x8&start=a1&speed=12")
    page.click("#play")
    until(page, "watch.over && !watch.playing")
    page.evaluate("watch.goTo(2)")
    assert page.inner_text("#status").startswith("Starts on a1.")
    page.evaluate("while (watch.lanes[0].cursor.path().length < 14) watch.goTo(watch.at + 1)")
    assert page.inner_text("#status").startswith("Move 13: ")
    assert "visited 14" in page.inner_text("figcaption")


def test_the_log_of_cp_sat_comes_while_it_works(visit: Opener) -> None:
    """At one event a second the log does not wait its turn."""
    page = visit("#board=8x8&backend=cpsat&speed=0")
    page.click("#play")
    until(page, "document.getElementById('log').textContent.includes('CpSolverResponse') || watch.over")
    assert "Starting presolve" in page.inner_text("#log")
    assert page.evaluate("watch.length") <= 1


def test_the_rows_of_a_proof_add_up_step_by_step_with_a_legend(visit: Opener) -> None:
    page = visit("#board=4x6")
    until(page, "watch.proof.certificate")
    assert page.locator("#proof-key li:visible").count() == 3
    rows = page.evaluate("watch.proof.certificate.rows.length")
    assert rows == 13
    for _ in range(rows):
        page.click("#sum-back")
    assert page.inner_text("#sum-row") == "Nothing is added yet."
    assert page.locator(".proof .plus, .proof .minus").count() == 0
    page.click("#sum-on")
    assert page.locator(".proof .plus, .proof .minus").count() == 1
    assert page.locator(".proof .left").count() == 2
    assert page.evaluate("document.querySelector('.proof .digits').previousElementSibling.matches('.disc')")
    assert page.inner_text("#sum-says") == "So far: 2 edges, added with their signs, are at least 2."
    page.evaluate("watch.proof.go(13)")
    assert page.inner_text("#sum-says") == "Every edge cancels, and what is left says 0 ≥ 2: impossible."
    assert page.locator(".proof .left").count() == 0
    assert page.locator(".proof .shore").count() == 1


def test_the_page_draws_as_the_command_line_does(visit: Opener) -> None:
    """The same lines in the same colours over the same places, and the same digits."""
    from xml.etree import ElementTree as ET

    page = visit("#board=6x6&start=a1&speed=12")
    page.click("#play")
    until(page, "watch.over && watch.at === watch.length && !watch.playing")
    path = page.evaluate("watch.lanes[0].scene().path")
    drawn = ET.fromstring(Tour(Board(6).graph, True, np.array(path, dtype=np.int32)).svg())
    groups = {group.attrib["class"]: group for group in drawn if group.tag.endswith("}g")}
    colours = [line.attrib["stroke"] for line in groups["line"]]
    ours = page.evaluate("[...document.querySelectorAll('.ramp path')].map((line) => line.getAttribute('stroke'))")
    for mine, theirs in zip(ours, colours, strict=True):
        bands = [int(theirs[place : place + 2], 16) for place in (1, 3, 5)]
        assert all(abs(int(band) - other) <= 1 for band, other in zip(mine[4:-1].split(), bands, strict=True))
    assert (
        page.evaluate("document.getElementById('board-0').getAttribute('viewBox').replaceAll(',', ' ')")
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
    with watching() as (run, url):
        page = visit("#board=8x8&order=plain&prune=none&start=a1&speed=6", url=url)
        page.click("#play")
        until(page, "watch.at > 60")
        run.kill()
        run.wait()
        until(page, "!document.getElementById('connection').hidden")
        assert "lost" in page.inner_text("#connection")
        assert page.evaluate("watch.playing") is False
        known = page.evaluate(
            "[watch.length, JSON.stringify([...Array(50).keys()].map((k) => watch.lanes[0].log.event(k)))]"
        )
        with watching(port=int(url.rstrip("/").rsplit(":", 1)[1])):
            until(page, f"watch.length > {known[0]} && watch.playing")
            assert page.locator("#connection").is_hidden()
            assert (
                page.evaluate("JSON.stringify([...Array(50).keys()].map((k) => watch.lanes[0].log.event(k)))")
                == known[1]
            )
            sent = page.evaluate("watch.lanes[0].cursor.path().length")
            page.click("#play")
            replay = page.evaluate(
                """() => { const { log } = watch.lanes[0], path = [];
                  for (let k = 0; k < log.length; k += 1) { const event = log.event(k);
                    if (event.kind === "step") path.push(event.square); else if (event.kind === "back") path.pop();
                  }
                  return path; }"""
            )
            assert sent
            assert all(place in Board(8).graph.neighbours(before) for before, place in itertools.pairwise(replay))


def test_printing_without_handles_and_in_light_colours(visit: Opener) -> None:
    page = visit("#board=6x6&play=1&walk=a1.b3", color_scheme="dark")
    line = "document.querySelector('.ramp path').getAttribute('stroke')"
    dark = page.evaluate(line)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(line) == "rgb(25 53 132)"
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator(".grip.right").is_hidden()
    assert page.locator(".walking").is_hidden()
    assert page.locator("#board-0").is_visible()
    assert (
        page.evaluate("getComputedStyle(document.querySelector('.sq.light:not(.visited)')).fill")
        == "rgb(245, 242, 234)"
    )
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(line) == dark


# --- accessibility ---

VIEWS = {
    "a search": ("#board=6x6&start=a1&speed=12", "watch.play()", "watch.over && !watch.playing"),
    "a race": ("#board=8x8&race=pohl/none&speed=12", "watch.play()", "watch.over && !watch.playing"),
    "a proof": ("#board=4x6", "", "watch.proof.certificate"),
    "a dead walk": ("#board=6x6&play=1&walk=f3.e1.c2.a1.b3.c1.a2.b4.c6", "", "watch.walk.answer?.final"),
    "a graph": ("#space=GP(7,2)&play=1&open=1", "", "!watch.waits"),
    "CP-SAT": ("#board=6x6&backend=cpsat&speed=12", "watch.play()", "watch.over && !watch.playing"),
}


ON_A_PHONE = [
    pytest.param(view, PHONE, id=f"{view}-phone", marks=() if view in ("a search", "a dead walk") else pytest.mark.slow)
    for view in VIEWS
]


@pytest.mark.parametrize(("view", "device"), [*(pytest.param(view, {}, id=view) for view in VIEWS), *ON_A_PHONE])
def test_axe_finds_no_violation(view: str, device: dict[str, Any], visit: Opener) -> None:
    """In light colours, and in dark ones none of contrast, for nothing else is another."""
    axe = pytest.importorskip(
        "axe_playwright_python", reason="the checks of accessibility need axe: pip install axe-playwright-python"
    )
    setting, act, done = VIEWS[view]
    page = visit(setting, **device)
    if act:
        page.evaluate(act)
    until(page, done)
    page.evaluate((Path(axe.__file__).parent / "axe.min.js").read_text() + "; undefined")
    for theme, rules in (("light", "{}"), ("dark", "{ runOnly: ['color-contrast'] }")):
        page.emulate_media(color_scheme=theme)
        until(page, f"document.documentElement.dataset.theme === '{theme}'")
        found = page.evaluate(
            f"axe.run(document, {rules}).then(({{ violations }}) => "
            "violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 120))]))"
        )
        assert found == [], json.dumps(found, indent=1)


def test_forced_colours_leave_the_squares_apart(visit: Opener) -> None:
    page = visit("#board=6x6&play=1&walk=a1.b3", forced_colors="active")
    assert page.evaluate("getComputedStyle(document.querySelector('.sq')).strokeWidth") == "2px"
    judged(page)
    assert page.evaluate("getComputedStyle(document.querySelector('.visit .digits')).stroke") != page.evaluate(
        "getComputedStyle(document.querySelector('.visit .disc')).fill"
    )


# --- what the page says ---


def test_a_vertex_0_is_kept(visit: Opener) -> None:
    page = visit("#space=Petersen&open=1&start=0&end=3")
    page.evaluate("watch.change({})")
    assert page.evaluate("location.hash") == "#space=Petersen&open=1&start=0&end=3"
    assert page.locator("circle.begin").count() == page.locator("rect.finish").count() == 1
    page.evaluate("watch.use(0, 'start')")
    until(page, "watch.at > 1")
    assert page.evaluate("watch.lanes[0].cursor.path()[0]") == 0


def test_graphs_are_told_of_vertices_and_each_is_called_by_its_name(visit: Opener) -> None:
    page = visit("#space=GP(7,2)&speed=12&backend=sat:lazy")
    assert "14" in page.inner_text("#size")
    for backend in ("sat:lazy", "dfs"):
        page.evaluate(f"watch.change({{ backend: '{backend}' }})")
        page.click("#play")
        until(page, "watch.ended && !watch.playing")
        told = page.evaluate(
            "[...Array(watch.length + 1).keys()].map((at) => { watch.goTo(at); return watch.said; }).join(' ')"
        )
        assert "vert" in told
        assert "square" not in told
    assert "square" not in page.inner_text("main")
    assert [label[0] for label in page.evaluate("watch.plan.labels")] == [str(vertex) for vertex in range(14)]
    assert page.locator(".names .word").count() == 14
    page.evaluate("watch.change({ play: true }); watch.walk.step(0); watch.walk.step(9)")
    assert page.inner_text("#status") == "9 is not a move away from 0. The vertices with a ring are."


def test_the_timeline_never_shows_an_event_before_the_first(visit: Opener) -> None:
    """The time that a frame is given may lie before the click that began the search."""
    page = visit("#board=8x8")
    shown = "[watch.at, document.getElementById('at').textContent]"
    told = page.evaluate(f"() => {{ watch.play(); watch.tick(watch.then - 100); return {shown}; }}")
    assert told == [0, "0 / 0"]


def test_a_search_that_has_nothing_to_show_yet_says_that_it_is_at_work(visit: Opener) -> None:
    page = visit("#board=50x50&backend=cpsat")
    page.click("#play")
    until(page, "/at work: \\d+ s, and nothing to show yet/.test(watch.said) || watch.length")
    assert page.evaluate("watch.length") == 0


def test_a_search_that_fails_ends_on_the_page_with_its_reason(visit: Opener) -> None:
    page = visit("#board=8x8&order=plain&prune=none&speed=4")
    page.click("#play")
    until(page, "watch.at > 1")
    page.evaluate('watch.lanes[0].link.receive(\'{"event": "refused", "reason": "The search failed."}\')')
    assert page.inner_text("#status") == "The search failed."
    assert page.evaluate("[watch.playing, watch.over, watch.searching]") == [False, True, False]


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("#board=8x8&backend=foo", "The link says backend=foo, which means nothing here"),
        ("#board=8x8&play=1&walk=a1.a2", "The link’s walk a1.a2 is not a walk here"),
        ("#board=8x8&colour=red", "The link says colour=red, which means nothing here"),
        ("#board=8x8&open=1&start=a1&end=k9", "What the link says of end does not fit here"),
        ("#space=Petersen&start=12", "What the link says of start does not fit here"),
        ("#board=8x8&at=a1:99999", "The link says at=a1:99999, which means nothing here"),
    ],
)
def test_what_a_link_says_and_the_page_leaves_out_is_told(link: str, words: str, visit: Opener) -> None:
    page = visit(link)
    until(page, "!watch.waits && watch.said")
    assert page.inner_text("#status").startswith(words)


def test_hint_and_the_rest_say_what_they_show_or_why_nothing(visit: Opener) -> None:
    page = visit("#board=6x6&play=1&walk=a1.b3")
    judged(page)
    page.click("#hint")
    aim = page.evaluate("watch.plan.names[watch.walk.aim]")
    assert page.inner_text("#status") == f"A hint: go on to {aim}."
    page.click("#rest")
    assert page.inner_text("#status") == ("The dotted line is one way to go on over the other 34 squares and back.")
    page.evaluate("location.hash = '#board=6x6&play=1&walk=f3.e1.c2.a1.b3.c1.a2.b4.c6&open=1'")
    until(page, "watch.walk.length === 9")
    judged(page)
    page.evaluate(
        "watch.walk.answer.open = { can: false, why: null }; watch.walk.answer.closed = { can: false, why: null }"
    )
    for key in ("i", "r"):
        page.keyboard.press(key)
        assert page.inner_text("#status") == "There is no way on: go back first."


def test_lanes_that_come_and_go_leave_no_listener_and_no_line_behind(visit: Opener) -> None:
    page = visit("#board=6x6")
    page.evaluate(
        """() => { watch.listeners = 0;
          const { addEventListener, removeEventListener } = globalThis;
          const keys = ([kind]) => Number(kind === "keydown");
          globalThis.addEventListener = (...of) => { watch.listeners += keys(of); addEventListener(...of); };
          globalThis.removeEventListener = (...of) => { watch.listeners -= keys(of); removeEventListener(...of); }; }"""
    )
    for _ in range(3):
        page.evaluate("watch.change({ race: true })")
        grip = page.locator("#board-1 ~ .grip.right").bounding_box()
        page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
        page.mouse.down()
        page.keyboard.press("Escape")
        page.mouse.up()
        page.evaluate("watch.gone = watch.lanes[1]; watch.gone.link.socket.close()")
        until(page, "watch.gone.link.again")
        page.evaluate("watch.change({ race: false })")
    assert page.evaluate("[watch.listeners, watch.lanes.length]") == [0, 1]
    page.wait_for_timeout(600)
    assert page.evaluate("watch.gone.link.socket.readyState") == 3


def test_on_a_phone_the_reason_follows_the_board_and_handles_lie_beside_the_coordinates(visit: Opener) -> None:
    page = visit("#board=4x6", **PHONE)
    until(page, "watch.proof.certificate")
    assert "tap" in page.inner_text("#advice")
    assert "Shift" not in page.inner_text("#advice")
    assert page.locator(".timeline").is_hidden()
    assert page.locator("#why").bounding_box()["y"] < page.locator(".away").bounding_box()["y"]
    overlaps = page.evaluate(
        """() => [...document.querySelectorAll(".grip")].flatMap((grip) => {
          const box = grip.getBoundingClientRect(), bar = getComputedStyle(grip, "::after");
          const right = box.right - parseFloat(bar.right), bottom = box.bottom - parseFloat(bar.bottom);
          const left = right - parseFloat(bar.width), top = bottom - parseFloat(bar.height);
          return [...document.querySelectorAll(".names path")].map((word) => word.getBoundingClientRect())
            .filter((word) => word.right > left && word.left < right && word.bottom > top && word.top < bottom);
        }).length"""
    )
    assert overlaps == 0
