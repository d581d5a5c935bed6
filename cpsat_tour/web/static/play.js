// Play: a walk of one's own. Each step is shown at once, and the server is asked whether it can still be completed.

import { boardSetting, problemSetting } from "./setting.js";
import { count, counted } from "./words.js";

const $ = (id) => document.getElementById(id);
export const UNFIT = "What the link says is filled in does not fit here: the page goes on without it.";
const CAN = { closed: "A closed tour", open: "An open tour" };

export class Walk {
  constructor(page) {
    this.page = page;
    this.judges = true;
    this.leave();
  }

  get plan() { return this.page.plan; }
  get length() { return this.places.length; }
  get whole() { return this.length === this.plan.order; }
  get least() { return this.page.setting.start === null ? 0 : 1; }
  get givens() { return this.page.search.board.givens; }
  get kinds() { return ["closed", "open"]; }
  get canUndo() { return this.length > this.least; }
  get canBegin() { return this.canUndo; }
  get problem() { return problemSetting(this.page.setting); }
  /** What this browser has of the walk. */
  get kept() { return new URLSearchParams(localStorage.getItem(this.key) ?? ""); }
  get key() { return `walk ${JSON.stringify([boardSetting(this.page.setting), this.page.setting.givens])}`; }

  /** Forget the walk, as the board is another one. */
  leave() {
    this.places = [];
    this.clearAnswer();
  }

  /** Begin on another board, with the walk of the address or the one that this browser has kept. */
  enter(given) {
    const { start } = this.page.setting, first = start === null ? [] : [this.plan.placeOf.get(start)];
    const said = given.get("walk"), kept = said ?? this.kept.get("walk"), read = kept ? kept.split("-").map((name) => this.plan.placeOf.get(name)) : [];
    const fits = this.isWalk(read) && (!first.length || !read.length || read[0] === first[0]);
    this.places = fits && read.length ? read : first;
    this.ask();
    if (said !== null && !fits) this.note(`The link’s walk ${said.slice(0, 40)} is not a walk here: choose where to begin.`);
    else if (given.has("filled") || given.has("notes")) this.note(UNFIT);
    else if (this.page.fault) this.note(this.page.fault);
  }

  isWalk(places) {
    return new Set(places).size === places.length && places.every((place, at) => place < this.plan.order && (!at || this.plan.neighbours[places[at - 1]].includes(place)));
  }

  /** The walk as links have it. */
  get text() { return this.places.map((place) => this.plan.names[place]).join("-"); }
  get parts() { return { walk: this.text }; }

  save() {
    localStorage.setItem(this.key, String(new URLSearchParams(this.parts)));
    this.page.write();
  }

  /** A click on a place: a step there, or back to it. */
  step(place) {
    if (this.plan.hole(place)) return void this.note("That square is a hole.");
    const at = this.places.indexOf(place);
    if (at >= 0) return void this.keep(at + 1);
    if (this.length && !this.plan.neighbours[this.places.at(-1)].includes(place))
      return void this.note(`${this.plan.names[place]} is not a move away from ${this.plan.names[this.places.at(-1)]}. The ${this.plan.nouns[1]} with a ring are.`);
    this.places.push(place);
    return void this.ask();
  }

  /** Ask for a puzzle of this board. */
  puzzle(seed = Math.floor(Math.random() * 2 ** 31), grade = Number($("grade").value), called = `A puzzle of grade ${grade} or less`) {
    const { page } = this, setting = { ...this.problem, givens: [] };
    const heard = ({ givens }) => {
      page.making = false;
      page.change({ play: true, start: null, end: null, givens: givens.map(([vertex, number]) => [this.plan.names[vertex], number]) });
      page.walk.note(`${called}, with ${count(givens.length, "number")}: fill in the others, each a move away from the one before. There is one solution.`, "");
    };
    page.link.question("puzzle", { setting, seed, grade }, heard, (reason) => { page.making = false; this.note(reason); });
    page.making = true;
    this.note(`${called} is being made …`, "");
  }

  /** Show this message until the next step. */
  note(words, mood = "note") {
    this.notice = words && [words, mood];
    this.page.paint();
  }

  /** Go back so that so many squares are left. */
  keep(length) {
    this.places.length = Math.max(this.least, Math.min(this.length, length));
    this.ask();
  }

  undo() { this.keep(this.length - 1); }
  again() { this.keep(0); }

  /** Ask about the walk as it is now. */
  ask() {
    this.clearAnswer();
    this.save();
    this.page.link.question("walk", { setting: this.problem, walk: this.places }, (answer) => { this.answer = answer; this.page.paint(); });
    this.page.paint();
    this.page.search.board.describeSquares();
  }

  clearAnswer() {
    this.answer = this.aim = this.onward = this.notice = null;
  }

  /** The kind of tour that messages are about: the one asked for, or open if no closed one is possible. */
  get kind() {
    const { answer, page } = this;
    return page.setting.closed && !(answer?.closed.can === false && answer.closed.keep === -1 && answer.open.can !== false) ? "closed" : "open";
  }

  get tour() { return [this.kind, ...this.kinds].map((kind) => this.answer?.[kind].tour).find(Boolean) ?? null; }
  /** The part of the tour that shows how to go on. */
  get rest() { return this.tour.slice(Math.max(0, this.length - 1)); }

  /** Why there is nothing to show, or null: the walk is whole, not judged yet, or can't be completed. */
  get nothingToShow() {
    if (this.whole) return "It is whole: there is nothing more to show.";
    if (!this.answer) return "The walk is still being judged.";
    return this.tour ? null : this.answer[this.kind].can === false ? "There is no way on: go back first." : "No way on is known: the search for one has run out of time.";
  }

  /** Mark where a tour goes on. */
  hint() {
    if (this.nothingToShow) return void this.note(this.nothingToShow);
    this.aim = this.tour[this.length];
    return void this.note(`A hint: ${this.length ? "go on to" : "begin on"} ${this.plan.names[this.aim]}.`, "");
  }

  /** Show how the walk can go on, or hide it. */
  showRest() {
    if (!this.onward && this.nothingToShow) return void this.note(this.nothingToShow);
    const { tour } = this, back = this.answer?.closed?.tour === tour;
    this.onward = this.onward ? null : [...this.rest, ...(back ? [tour[0]] : [])];
    return void this.note(this.onward ? `The dotted line is one way to go on over the other ${counted(this.plan.order - this.length, this.plan)}${back ? " and back" : ""}.` : null, "");
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
    const why = this.judges && this.answer?.[this.kind].can === false ? this.answer[this.kind].why : null;
    return {
      path: [...places], candidates, tour: this.whole, closed: this.whole ? closes : this.page.setting.closed,
      lit: (why?.vertices ?? []).filter((place) => place !== head), onward: this.onward, aim: this.aim,
    };
  }

  /** What is said of the walk: a sentence, and its mood. */
  get words() {
    const { answer, kind, length } = this, where = length ? this.plan.names[this.places.at(-1)] : "", { end, closed } = this.page.setting;
    if (this.notice) return this.notice;
    if (this.whole && end !== null && end !== where) return [`Every ${this.plan.nouns[0]} is visited, but the tour is to end on ${end}.`, "none"];
    if (this.whole && this.scene().closed) return ["Well walked: a closed tour!", "found"];
    if (this.whole) return [`Well walked: an open tour!${closed ? " Its ends are not a move apart, so it is not closed." : ""}`, "found"];
    const moved = length > 1 ? `Move ${length - 1}: to ${where}. ` : length ? `Starts on ${where}. ` : "";
    const begin = "Choose where to begin.";
    if (!answer || !this.judges) return [moved || begin, ""];
    const { can, keep, why } = answer[kind];
    if (can) return [length ? `${moved}It can become ${closed && kind === "closed" ? "a closed" : "an open"} tour.` : begin, ""];
    if (can === null) return [`${moved}Whether it can be completed is not settled in time.`, ""];
    const place = this.plan.names[this.places[Math.max(0, (keep ?? 0) - 1)]], gone = `${CAN[kind]} is no longer possible`;
    const far = keep === -1 ? `There is no ${kind} tour here at all.` : keep === 0 ? `No ${kind} tour begins on ${place}: begin elsewhere.`
      : keep ? `${gone}: go back ${counted(length - keep, this.plan)}, to ${place}.` : `${gone}.`;
    return [`${moved}${far} ${why?.sentence ?? ""}`.trim(), "none"];
  }

  /** How many steps are to be taken back. */
  get toTakeBack() {
    const { can, keep } = (this.judges && this.answer?.[this.kind]) || {};
    return can === false && keep >= 0 ? this.length - keep : 0;
  }

  /** The counter, the verdicts and the buttons. */
  fill() {
    const { answer, page } = this;
    $("walked").textContent = `${this.length} of ${this.plan.order}`;
    $("tell").checked = this.judges;
    document.querySelector(".cans").hidden = !this.judges;
    $("puzzle").disabled = Boolean(page.making);
    $("puzzle").textContent = page.making ? "Making one …" : "New puzzle";
    $("no-puzzle").hidden = !page.setting.givens.length;
    for (const kindOf of ["closed", "open"]) {
      const asked = this.kinds.includes(kindOf), can = asked && (this.judges || this.whole) ? answer?.[kindOf].can : undefined, badge = $(`can-${kindOf}`);
      badge.hidden = !asked;
      badge.dataset.can = this.whole ? kindOf === "open" || this.scene().closed : (can ?? "unknown");
      badge.querySelector("b").textContent = { true: "yes", false: "no", unknown: answer && this.judges ? "?" : "…" }[badge.dataset.can];
    }
    $("undo").disabled = !this.canUndo;
    $("anew").disabled = !this.canBegin;
    $("hint").disabled = $("rest").disabled = this.whole;
    $("rest").setAttribute("aria-pressed", String(Boolean(this.onward)));
    $("go-back").hidden = !this.toTakeBack;
    $("go-back").textContent = `Take back ${this.toTakeBack}`;
  }
}
