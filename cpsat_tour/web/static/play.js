// Play: a walk of one's own. Each step is shown at once, and the server is asked whether it can still be completed.

import { question } from "./setting.js";
import { count } from "./words.js";

const $ = (id) => document.getElementById(id);
const CAN = { closed: "A closed tour", open: "An open tour" };

export class Walk {
  constructor(page) {
    this.page = page;
    this.number = 0;
    this.places = [];
    this.told = true;
    this.clearAnswer();
  }

  get plan() { return this.page.plan; }
  get length() { return this.places.length; }
  get whole() { return this.length === this.plan.placeOf.length; }
  get key() {
    const { rows, cols, space, holes, givens, leaper } = this.page.setting;
    return `walk ${JSON.stringify({ rows, cols, space, holes, givens, leaper })}`;
  }

  /** The board is another one. */
  leave() {
    this.places = [];
    this.clearAnswer();
  }

  /** Begin on another board, with the walk of the address or the one that this browser has kept. */
  enter(given) {
    const { start } = this.page.setting;
    const first = start === null ? [] : [typeof start === "number" ? start : start[0] * this.plan.cols + start[1]];
    const kept = given ?? localStorage.getItem(this.key) ?? "";
    const named = new Map(this.plan.names.map((name, place) => [name, place]));
    const read = kept ? kept.split(".").map((name) => named.get(name)) : [];
    this.places = read.length && this.lawful(read) && (!first.length || read[0] === first[0]) ? read : first;
    this.asked();
  }

  lawful(places) {
    return new Set(places).size === places.length && places.every((place, at) => this.plan.vertexOf[place] >= 0 && (!at || this.plan.neighbours[places[at - 1]].includes(place)));
  }

  /** The walk as links have it. */
  get text() { return this.places.map((place) => this.plan.names[place]).join("."); }

  /** A click on a place: a step there, or back to it. */
  step(place) {
    if (this.plan.hole.has(place)) return void this.note("That square is a hole.");
    const at = this.places.indexOf(place);
    if (at >= 0) return void this.keep(at + 1);
    if (this.length && !this.plan.neighbours[this.places.at(-1)].includes(place))
      return void this.note(`${this.plan.names[place]} is not a move away from ${this.plan.names[this.places.at(-1)]}. The ${this.plan.nouns[1]} with a ring are.`);
    const { givens } = this.page.lanes[0].board, next = this.length + 1, given = givens.get(place);
    if (given !== undefined && given !== next) return void this.note(`${this.plan.names[place]} is to be number ${given}, and this would be ${next}.`);
    const elsewhere = [...givens].find(([, number]) => number === next)?.[0] ?? place;
    if (elsewhere !== place) return void this.note(`Number ${next} stands on ${this.plan.names[elsewhere]}.`);
    this.places.push(place);
    return void this.asked();
  }

  /** Ask for a puzzle of this board, or do without one. */
  puzzle(seed = Math.floor(Math.random() * 2 ** 31)) {
    this.page.lanes[0].link.puzzle(question({ ...this.page.setting, givens: [] }), seed, Number($("grade").value));
    this.making = true;
    this.fill();
  }

  puzzled({ givens, grade }) {
    this.making = false;
    const { cols } = this.plan, place = (vertex) => (cols ? [Math.floor(this.plan.placeOf[vertex] / cols), this.plan.placeOf[vertex] % cols] : vertex);
    this.told = false;
    this.page.change({ play: true, start: null, end: null, givens: givens.map(([vertex, number]) => [place(vertex), number]) });
    this.note(`A puzzle of grade ${grade} with ${count(givens.length, "number")}: walk from 1 so that each is met in its turn. There is one solution.`, "");
  }

  /** Say this until the next step. */
  note(words, mood = "none") {
    this.notice = [words, mood];
    this.page.paint();
  }

  /** Go back so that so many squares are left. */
  keep(length) {
    const least = this.page.setting.start === null ? 0 : 1;
    this.places.length = Math.max(least, Math.min(this.length, length));
    this.asked();
  }

  undo() { this.keep(this.length - 1); }
  again() { this.keep(0); }

  /** Ask about the walk as it is now. */
  asked() {
    this.clearAnswer();
    localStorage.setItem(this.key, this.text);
    this.number += 1;
    this.sent = performance.now();
    this.page.lanes[0].link.walk(question(this.page.setting), this.places.map((place) => this.plan.vertexOf[place]), this.number);
    this.page.paint();
    this.page.lanes[0].board.label();
  }

  clearAnswer() {
    this.answer = this.aim = this.onward = this.notice = null;
  }

  judged(answer) {
    if (answer.number !== this.number || !this.page.setting.play) return;
    this.answer ??= {};
    if (!this.answer.number) this.waited = performance.now() - this.sent;
    this.answer = answer;
    this.page.paint();
  }

  /** The kind that is spoken of: the one that is wanted, or an open tour where no closed one can be had. */
  get kind() {
    const { answer, page } = this;
    return page.setting.closed && !(answer?.closed.can === false && answer.closed.keep === -1 && answer.open.can !== false) ? "closed" : "open";
  }

  get tour() {
    return (this.answer?.[this.kind].tour ?? this.answer?.closed.tour ?? this.answer?.open.tour)?.map((vertex) => this.plan.placeOf[vertex]) ?? null;
  }

  hint() {
    const { tour } = this;
    if (tour && !this.whole) this.aim = tour[this.length];
    this.page.paint();
  }

  /** Show how the walk can go on, or hide it. */
  showRest() {
    const { tour } = this;
    this.onward = this.onward || !tour ? null : [...tour.slice(Math.max(0, this.length - 1)), ...(this.kind === "closed" && this.answer.closed.tour ? [tour[0]] : [])];
    this.page.paint();
  }

  /** Back to where the walk could still be completed. */
  back() {
    const { keep } = this.answer?.[this.kind] ?? {};
    if (keep >= 0) this.keep(keep);
  }

  scene() {
    const { places, plan } = this, visited = new Set(places), head = places.at(-1);
    const free = (place) => plan.neighbours[place].filter((other) => !visited.has(other));
    const candidates = head === undefined || this.whole ? [] : free(head).map((place) => [place, free(place).length]);
    const closes = this.whole && places.length > 2 && plan.neighbours[head].includes(places[0]);
    const why = this.told && this.answer?.[this.kind].can === false ? this.answer[this.kind].why : null;
    return {
      path: [...places], candidates, tour: this.whole, closed: this.whole ? closes : this.page.setting.closed,
      lit: (why?.vertices ?? []).map((vertex) => plan.placeOf[vertex]).filter((place) => place !== head), onward: this.onward, aim: this.aim,
    };
  }

  /** What is said of the walk: a sentence, and its mood. */
  get words() {
    const { answer, kind, length } = this, where = length ? this.plan.names[this.places.at(-1)] : "";
    if (this.notice) return this.notice;
    if (this.whole) {
      const closes = this.scene().closed;
      return [closes ? "Well walked: a closed tour!" : `Well walked: an open tour!${this.page.setting.closed ? " Its ends are no move apart, so it is not closed." : ""}`, "found"];
    }
    const { givens } = this.page.lanes[0].board;
    const moved = length > 1 ? `Move ${length - 1}: to ${where}. ` : length ? `Starts on ${where}. ` : "";
    if (!answer) return [moved || "Choose where to begin.", ""];
    const verdict = answer[kind];
    if (!this.told) return [moved || (givens.size ? "A puzzle: begin where number 1 is to be." : "Choose where to begin."), ""];
    if (verdict.can) return [`${moved}${length ? `It can become ${this.page.setting.closed && kind === "closed" ? "a closed" : "an open"} tour.` : "Choose where to begin."}`, ""];
    if (verdict.can === null) return [`${moved}Whether it can be completed is not settled in time.`, ""];
    if (!answer.final) return [`${moved}${CAN[kind]} can’t be had any more.${verdict.why ? ` ${verdict.why.sentence}` : ""}`, "none"];
    return [`${moved}${this.far(verdict, kind)} ${verdict.why.sentence}`, "none"];
  }

  far({ keep }, kind) {
    if (keep === -1) return `There is no ${kind} tour here at all.`;
    const back = this.length - keep;
    if (keep === null || keep === undefined) return `${CAN[kind]} can’t be had any more.`;
    if (keep === 0) return `No ${kind} tour begins on ${this.plan.names[this.places[0]]}: begin elsewhere.`;
    return `${CAN[kind]} can’t be had any more: go back ${count(back, "square")}, to ${this.plan.names[this.places[keep - 1]]}.`;
  }

  /** The counter, the verdicts and the buttons. */
  fill() {
    const { answer, kind } = this, verdict = answer?.[kind];
    $("walked").textContent = `${this.length} of ${this.plan.placeOf.length}`;
    $("tell").checked = this.told;
    $("puzzle").disabled = Boolean(this.making);
    $("puzzle").textContent = this.making ? "Making one …" : "New puzzle";
    $("no-puzzle").hidden = !this.page.setting.givens.length;
    for (const one of ["closed", "open"]) {
      const can = !this.told && !this.whole ? undefined : answer?.[one].can, badge = $(`can-${one}`);
      badge.dataset.can = this.whole ? String(one === "open" || this.scene().closed) : can === undefined || can === null ? "unknown" : String(can);
      badge.querySelector("b").textContent = { true: "yes", false: "no", unknown: answer && this.told ? "?" : "…" }[badge.dataset.can];
    }
    $("undo").disabled = $("anew").disabled = this.length <= (this.page.setting.start === null ? 0 : 1);
    $("hint").disabled = $("rest").disabled = !this.tour || this.whole;
    $("rest").setAttribute("aria-pressed", String(Boolean(this.onward)));
    const keep = this.told && verdict?.can === false ? verdict.keep : undefined;
    $("go-back").hidden = !(keep >= 0 && keep < this.length);
    $("go-back").textContent = keep >= 0 ? `Go back ${this.length - keep}` : "";
  }
}
