// The search and its board: its connection, its log, the place in it that is shown, and the drawing.

import { Board } from "./board.js";
import { Link } from "./link.js";
import { Cursor, Log } from "./log.js";
import { handlePointer } from "./pointer.js";
import { searchSetting } from "./setting.js";
import { counters, eventSentence } from "./words.js";

const MAX_KEPT = 4_000_000;
const LEAST_AHEAD = 4, MOST_AHEAD = 4000;
const FULL_SPEED_START = 400, FRAME_WORK = 7;
const SOLVER_AHEAD = 64;
const LEAST_HUE = 25, HUES = 290, GOLDEN = 0.381966;

export class Search {
  /** `page` hears changed(), refused(reason), logged(line), lost(first) and found(). */
  constructor(page) {
    this.page = page;
    this.svg = document.getElementById("board");
    this.caption = document.querySelector("figcaption");
    this.frame = document.querySelector(".frame");
    this.board = new Board(this.svg, this.frame);
    handlePointer(page, this);
    this.ahead = FULL_SPEED_START;
    this.state = "idle";
    this.link = new Link("search", {
      lines: (lines) => this.receive(lines),
      refused: (reason) => { this.state = "idle"; page.refused(reason); },
      lost: (first) => { if (this.searching) this.state = "broken"; page.lost(first); },
      found: () => { this.resume(); page.found(); },
    });
  }

  get searching() { return this.state === "asked" || this.state === "running"; }
  get over() { return this.state === "over" || this.state === "broken"; }
  get length() { return this.log?.length ?? 0; }
  /** How the search has ended: "found", "none", or "" while there is no answer. */
  get outcome() {
    const end = this.log?.end;
    if (end?.event === "tour_found" || end?.status === "tour") return "found";
    return end?.event === "no_tour" || end?.status === "none" ? "none" : "";
  }
  get full() { return this.length >= MAX_KEPT; }

  /** End the search and forget it. */
  clear(setting) {
    if (this.searching || this.proving) this.link.stop();
    this.proving = false;
    this.setting = setting;
    this.state = "idle";
    this.forget();
  }

  forget() {
    this.log = this.cursor = this.picture = null;
    this.hues = new Map();
    this.turns = 0;
  }

  /** Draw the empty board. */
  drawEmpty() {
    const { plan } = this.page, { start, end, givens, play } = this.setting, place = (name) => plan.placeOf.get(name) ?? null;
    this.board.drawEmpty(plan, place(start), place(end), new Map(play ? givens.map(([name, number]) => [place(name), number]) : []));
    this.paint(0);
  }

  begin() {
    this.forget();
    this.state = "asked";
    this.ahead = FULL_SPEED_START;
    this.link.ask(searchSetting(this.setting));
  }

  /** The server is back: ask again. A native search tells the same events again, which soon come to where it was. */
  resume() {
    if (this.state !== "broken") return;
    this.begin();
    this.link.more(this.page.at);
  }

  /** Ask for the certificate that there is no tour. */
  prove() {
    this.proving = true;
    this.link.ask({ ...searchSetting(this.setting), backend: "proof" });
    this.link.more(100_000);
  }

  receive(lines) {
    const begun = performance.now(), count = lines.length;
    if (lines[0].event === "problem") this.beginLog(lines.shift());
    if (!lines.length) return;
    if (this.isProof) return void this.receiveProof(lines.at(-1));
    if (!this.log) return;
    if (!this.native) for (const line of lines) this.addPicture(line);
    this.log.add(lines);
    if (this.log.end) this.state = "over";
    this.adjustPace(count, performance.now() - begun);
    this.page.changed();
  }

  /** The first line of a search, or of a proof. */
  beginLog(problem) {
    this.isProof = problem.backend === "proof";
    if (this.isProof) return;
    this.state = "running";
    this.native = problem.order !== undefined;
    this.log = new Log(problem);
    this.cursor = new Cursor(this.log);
    this.numbers = new Map(problem.places.map((place, vertex) => [String(place), vertex]));
  }

  receiveProof(last) {
    if (!this.proving || !["certificate", "answer", "refused"].includes(last.event)) return;
    this.proving = false;
    this.page.proof.heard(last);
  }

  /** A page that can't keep up asks for less at a time. */
  adjustPace(count, spent) {
    if (count > 50) this.ahead = Math.round(Math.min(MOST_AHEAD, Math.max(100, (this.ahead + (count * FRAME_WORK) / Math.max(spent, 0.5)) / 2)));
  }

  /** Prepare what a solver tells: cycles and cut sets get their picture, in which the apex, -1, is left out. */
  addPicture(event) {
    if (event.event === "log_line") this.page.logged(event.line);
    if (event.event === "two_factor_found") this.picture = event.picture = { cycles: this.colourCycles(event.members), shores: [] };
    if (event.event === "cut_set_added" && this.picture) {
      const { cycles, shores } = this.picture, squares = event.shore.filter((vertex) => vertex >= 0);
      const hue = cycles.find((cycle) => cycle.squares.includes(squares[0]))?.hue ?? 0;
      this.picture = event.picture = { cycles, shores: [...shores, { squares, hue }] };
    }
  }

  /** Colour the cycles of a 2-factor, the longest first. Each takes the hue that most of its vertices had before, so that one sees how cycles merge. */
  colourCycles(members) {
    const before = this.hues, cycles = [], taken = new Set();
    this.hues = new Map();
    for (const number of [...members.keys()].sort((one, other) => members[other].length - members[one].length)) {
      const votes = new Map();
      for (const vertex of members[number]) {
        const hue = before.get(vertex);
        if (hue !== undefined && !taken.has(hue)) votes.set(hue, (votes.get(hue) ?? 0) + 1);
      }
      const [best] = [...votes].sort((one, other) => other[1] - one[1]);
      const hue = best?.[0] ?? this.freshHue();
      taken.add(hue);
      for (const vertex of members[number]) this.hues.set(vertex, hue);
      cycles[number] = { ...this.openAtApex(members[number]), hue };
    }
    return cycles;
  }

  /** A hue that no cycle of this search has had, and not red, which is for what loses. */
  freshHue() {
    this.turns += 1;
    return LEAST_HUE + ((this.turns * HUES * GOLDEN) % HUES);
  }

  /** The squares of a cycle, and whether it closes on the board; one through the apex is opened there. */
  openAtApex(cycle) {
    const apex = cycle.indexOf(-1), squares = [...cycle.slice(apex + 1), ...cycle.slice(0, Math.max(0, apex))];
    return { squares, closed: apex < 0 && this.page.plan.neighbours[squares.at(-1)].includes(squares[0]) };
  }

  /** Ask for as many events as the speed needs: none beyond that. */
  feed(speed, at) {
    if (this.state !== "running" || this.full) return;
    if (!this.native) return void this.link.more(SOLVER_AHEAD - Math.max(0, this.length - at) - this.link.outstanding);
    const ahead = speed === Infinity ? this.ahead : Math.min(MOST_AHEAD, Math.max(LEAST_AHEAD, Math.ceil(speed / 4)));
    const wanted = ahead - (this.length - at) - this.link.outstanding;
    if (wanted >= ahead / 2) this.link.more(wanted);
  }

  askForOne() {
    if (this.state === "running" && this.link.outstanding <= 0) this.link.more(1);
  }

  /** Show the place `at` of the search; `withBoard` unset, its counters alone. */
  paint(at, withBoard = true) {
    this.cursor?.seek(at);
    if (withBoard) this.board.show(this.scene());
    const parts = this.cursor ? counters(this.cursor, this.native) : [];
    const html = parts.map(([word, number]) => `<span>${word} <b>${number.toLocaleString("en")}</b></span>`).join("");
    if (html !== this.shownCaption) this.caption.innerHTML = html;
    this.shownCaption = html;
  }

  /** What the board shows at the place of the cursor. */
  scene() {
    const { cursor } = this;
    if (this.page.setting.play) return this.page.walk.scene();
    if (!cursor?.at) return {};
    const { event, log } = cursor, { closed } = log.problem;
    if (event.kind === "tour_found") return { path: event.vertices, tour: true, closed };
    if (event.kind === "answer" && event.tour) return { path: event.tour.map((place) => this.numbers.get(String(place))), tour: true, closed };
    if (!this.native) return cursor.latest("two_factor_found", "cut_set_added")[0]?.picture ?? {};
    return {
      path: cursor.path(),
      closed,
      candidates: event.kind === "no_tour" ? [] : cursor.candidates,
      from: event.kind === "back" ? event.square : null,
      refused: event.kind === "refused" ? event.square : null,
    };
  }

  get words() {
    return this.cursor ? eventSentence(this.cursor.event, this.cursor, this.page.plan) : "";
  }
}
