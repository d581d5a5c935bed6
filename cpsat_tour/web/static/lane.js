// One search on one board: its connection, its log, the place in it that is shown, and the drawing.

import { Board } from "./board.js";
import { Link } from "./link.js";
import { Cursor, Log } from "./log.js";
import { handlePointer } from "./pointer.js";
import { asked } from "./setting.js";
import { counters, sentence } from "./words.js";

const MAX_KEPT = 4_000_000;
const LEAST_AHEAD = 4, MOST_AHEAD = 4000;
const FULL_SPEED_START = 400, FRAME_WORK = 7;
const SOLVER_AHEAD = 64;
const GOLDEN_ANGLE = 137.508;

export class Lane {
  /** `page` hears changed(lane), refused(reason), logged(line), lost(first) and found(). */
  constructor(page, number) {
    this.page = page;
    this.number = number;
    this.figure = document.createElement("figure");
    this.figure.className = "lane";
    this.figure.innerHTML = `<div class="frame"><svg id="board-${number}" tabindex="0" role="grid"></svg></div><figcaption></figcaption>`;
    this.svg = this.figure.querySelector("svg");
    this.caption = this.figure.querySelector("figcaption");
    this.frame = this.figure.querySelector(".frame");
    this.board = new Board(this.svg, this.frame);
    handlePointer(page, this);
    this.ahead = FULL_SPEED_START;
    this.state = "idle";
    this.link = new Link("search", {
      lines: (lines) => this.receive(lines),
      refused: (reason) => { this.state = "idle"; page.refused(reason); },
      lost: (first) => { if (this.searching) this.state = "broken"; page.lost(first); },
      found: () => { this.goOn(); page.found(); },
    });
  }

  get searching() { return this.state === "asked" || this.state === "running"; }
  get over() { return this.state === "over" || this.state === "broken"; }
  get length() { return this.log?.length ?? 0; }
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
    this.log = this.cursor = this.hues = null;
  }

  /** Draw the empty board. */
  shape() {
    const { plan } = this.page, { start, end, givens, play } = this.setting, place = (name) => plan.placeOf.get(name) ?? null;
    this.board.shape(plan, place(start), place(end), new Map(play ? givens.map(([name, number]) => [place(name), number]) : []));
    this.paint(0);
  }

  begin() {
    this.forget();
    this.state = "asked";
    this.ahead = FULL_SPEED_START;
    this.link.ask(asked(this.setting, this.number === 1));
  }

  /** The server is back: ask again. A native search tells the same events again, which soon come to where it was. */
  goOn() {
    if (this.state !== "broken") return;
    this.begin();
    this.link.more(this.page.at);
  }

  /** Ask for the certificate that there is no tour. */
  prove() {
    this.proving = true;
    this.link.ask({ ...asked(this.setting), backend: "proof" });
    this.link.more(100_000);
  }

  receive(lines) {
    const begun = performance.now(), count = lines.length;
    if (lines[0].event === "problem") this.opened(lines.shift());
    if (this.isProof) return void this.heardOfProof(lines.at(-1));
    if (!this.log || !lines.length) return;
    if (!this.native) for (const line of lines) this.prepare(line);
    this.log.add(lines);
    if (this.log.end) this.state = "over";
    this.pace(count, performance.now() - begun);
    this.page.changed(this);
  }

  /** The first line of a search, or of a proof. */
  opened(problem) {
    this.isProof = problem.backend === "proof";
    if (this.isProof) return;
    this.state = "running";
    this.native = problem.order !== undefined;
    this.hues = null;
    this.log = new Log(problem);
    this.cursor = new Cursor(this.log);
    this.numbers = new Map(problem.places.map((place, vertex) => [String(place), vertex]));
  }

  heardOfProof(last) {
    if (!this.proving || !last) return;
    if (last.event === "certificate") this.page.proof.proved(last);
    this.proving = !["certificate", "answer", "refused"].includes(last.event);
  }

  /** A page that can't keep up asks for less at a time. */
  pace(count, spent) {
    if (count > 50) this.ahead = Math.round(Math.min(MOST_AHEAD, Math.max(100, (this.ahead + (count * FRAME_WORK) / Math.max(spent, 0.5)) / 2)));
  }

  /** Give each cycle of a 2-factor the hue of the cycle before that it shares most vertices with, so that one sees how they merge. */
  prepare(event) {
    if (event.event === "log_line") this.page.logged(event.line);
    if (event.event !== "two_factor_found") return;
    const taken = new Set(), former = new Set(this.hues?.values());
    const hues = new Map();
    const order = event.members.map((_, place) => place).sort((one, other) => event.members[other].length - event.members[one].length);
    for (const place of order) {
      const votes = new Map();
      for (const vertex of event.members[place]) {
        const hue = this.hues?.get(vertex);
        if (hue !== undefined) votes.set(hue, (votes.get(hue) ?? 0) + 1);
      }
      const best = [...votes].filter(([hue]) => !taken.has(hue)).sort((one, other) => other[1] - one[1])[0]?.[0];
      const hue = best ?? this.freshHue(new Set([...taken, ...former]));
      taken.add(hue);
      hues.set(place, hue);
    }
    event.hues = event.members.map((_, place) => hues.get(place));
    this.hues = new Map(event.members.flatMap((cycle, place) => cycle.map((vertex) => [vertex, hues.get(place)])));
  }

  freshHue(taken) {
    for (let turn = 0; ; turn += 1) {
      const hue = Math.round((215 + turn * GOLDEN_ANGLE) % 360);
      if (!taken.has(hue)) return hue;
    }
  }

  /** Ask for as many events as the speed needs: none beyond that. */
  feed(speed, at) {
    if (this.state !== "running" || this.full) return;
    if (!this.native) return void this.link.more(SOLVER_AHEAD - Math.max(0, this.length - at) - this.link.outstanding);
    const ahead = speed === Infinity ? this.ahead : Math.min(MOST_AHEAD, Math.max(LEAST_AHEAD, Math.ceil(speed / 4)));
    const wanted = ahead - (this.length - at) - this.link.outstanding;
    if (wanted >= ahead / 2) this.link.more(wanted);
  }

  one() {
    if (this.state === "running" && this.link.outstanding <= 0) this.link.more(1);
  }

  /** Show the place `at` of the search; `withBoard` unset, its counters alone. */
  paint(at, withBoard = true) {
    this.cursor?.seek(at);
    if (withBoard) this.board.show(this.scene());
    const parts = this.cursor ? counters(this.cursor, this.native) : [];
    const who = this.page.racing ? `<span class="who"></span>` : "";
    const html = who + parts.map(([word, number]) => `<span>${word} <b>${number.toLocaleString("en")}</b></span>`).join("");
    if (html !== this.shownCaption) this.caption.innerHTML = html;
    this.shownCaption = html;
    if (who) this.caption.firstChild.textContent = this.name;
  }

  get name() {
    const { order, prune } = asked(this.setting, this.number === 1);
    return prune === "default" ? order : `${order}, prunings ${prune}`;
  }

  /** What the board shows at the place of the cursor. */
  scene() {
    const { cursor } = this;
    if (this.page.setting.play) return this.page.walk.scene();
    if (!cursor?.at) return {};
    const { event, log } = cursor, { closed } = log.problem;
    if (event.kind === "tour_found") return { path: event.vertices, tour: true, closed };
    if (event.kind === "answer" && event.tour) return { path: event.tour.map((place) => this.numbers.get(String(place))), tour: true, closed };
    if (!this.native) return this.factorScene();
    return {
      path: cursor.path(),
      closed,
      candidates: event.kind === "no_tour" ? [] : cursor.candidates,
      from: event.kind === "back" ? event.square : null,
      refused: event.kind === "refused" ? event.square : null,
    };
  }

  /** The cycles of the latest 2-factor, and the shores of the cut sets that came after it; the apex, -1, is left out of both. */
  factorScene() {
    const { cursor } = this, { log } = cursor;
    const [factor, number] = cursor.latest("two_factor_found");
    if (!factor) return {};
    if (this.sceneOf !== log.other(number)) {
      this.cycles = factor.members.map((cycle, place) => {
        const apex = cycle.indexOf(-1), squares = [...cycle.slice(apex + 1), ...cycle.slice(0, Math.max(0, apex))];
        return { squares, hue: factor.hues[place], closed: apex < 0 && this.page.plan.neighbours[squares.at(-1)].includes(squares[0]) };
      });
      Object.assign(this, { sceneOf: log.other(number), shores: [] });
    }
    const cuts = [];
    for (let later = number + 1; later < cursor.at; later += 1) {
      const event = log.event(later);
      if (event.kind === "cut_set_added") cuts.push(event.shore.filter((vertex) => vertex >= 0));
    }
    if (cuts.length !== this.shores.length)
      this.shores = cuts.map((squares) => ({ squares, hue: this.cycles.find((cycle) => squares.includes(cycle.squares[0]))?.hue ?? 0 }));
    return { cycles: this.cycles, shores: this.shores };
  }

  get words() {
    return this.cursor ? sentence(this.cursor.event, this.cursor, this.page.plan) : "";
  }

  close() {
    this.link.close();
    this.board.close();
    this.figure.remove();
  }
}
