// Puzzles: the missing numbers are filled in, up or down from any that is known, and what a square may hold is noted in pencil.

import { readPairs } from "./setting.js";
import { UNFIT, Walk } from "./play.js";
import { count } from "./words.js";

const MAX_NOTES = 9;
const $ = (id) => document.getElementById(id);

export class Filling extends Walk {
  judges = false;
  pencils = false;
  ahead = 1;

  get length() { return this.course.filter((place) => place !== null).length; }
  get kind() { return this.page.setting.closed ? "closed" : "open"; }
  get kinds() { return [this.kind]; }
  get canUndo() { return this.past.length > 0; }
  get canBegin() { return this.filled.size + this.notes.size > 0; }
  get rest() { return this.tour; }

  leave() {
    Object.assign(this, { course: [], filled: new Map(), notes: new Map(), past: [], next: null, from: null, known: null, wrong: [] });
    this.clearAnswer();
  }

  /** Begin a puzzle, with what the address or this browser has of it. */
  enter(given) {
    this.leave();
    this.settle();
    const kept = given.has("filled") || given.has("notes") ? given : this.kept;
    const read = (key) => (kept.get(key) ? (readPairs(kept.get(key)) ?? [["", 0]]) : []).map(([name, number]) => [this.plan.placeOf.get(name), number]);
    const empty = (place, number) => this.plan.neighbours[place] && this.numberOn(place) === undefined && number <= this.plan.order;
    let bad = given.has("walk");
    for (const [place, number] of read("filled")) {
      if (empty(place, number) && this.course[number - 1] === null && this.fits(place, number)) this.filled.set(place, number);
      else bad = true;
      this.settle();
    }
    for (const [place, number] of read("notes")) if (empty(place, number)) this.notes.set(place, [...(this.notes.get(place) ?? []), number].slice(0, MAX_NOTES)); else bad = true;
    this.next = this.freeFrom([...this.filled.values()].at(-1) ?? 0);
    this.ask();
    if (bad) this.note(UNFIT);
    else if (this.page.fault) this.note(this.page.fault);
  }

  /** What is filled in, as links have it. */
  get parts() {
    const written = (pairs) => pairs.map(([place, number]) => `${this.plan.names[place]}:${number}`).join(",");
    return { filled: written([...this.filled]), notes: written([...this.notes].flatMap(([place, numbers]) => numbers.map((number) => [place, number]))) };
  }

  /** Write down where each number stands; null where that is not known. */
  settle() {
    this.course = Array(this.plan.order).fill(null);
    for (const [place, number] of [...this.givens, ...this.filled]) this.course[number - 1] = place;
  }

  numberOn(place) { return this.givens.get(place) ?? this.filled.get(place); }

  /** The places of the numbers before and after this one, null where they are not known; a closed tour comes round. */
  beside(number) {
    const { order } = this.plan, at = (other) => this.course[this.page.setting.closed ? (other - 1 + order) % order : other - 1] ?? null;
    return [at(number - 1), at(number + 1)];
  }

  /** Whether a place is a move away from both. */
  fits(place, number) {
    const [before, after] = this.beside(number), moves = this.plan.neighbours;
    return (before === null || moves[before].includes(place)) && (after === null || moves[place].includes(after));
  }

  /** The next number to fill in after this one, the way that was gone last, or else the other way; null if there is none. */
  freeFrom(number, ways = [this.ahead, -this.ahead]) {
    for (const ahead of ways)
      for (let next = number + ahead; next >= 1 && next <= this.plan.order; next += ahead)
        if (this.course[next - 1] === null) {
          this.ahead = ahead;
          return next;
        }
    return null;
  }

  /** Fill in this number next; where it stands already, the one beside it that is free, and asked again that on its other side. */
  choose(number) {
    const chosen = Math.max(1, Math.min(this.plan.order, number || 1)), way = this.from === chosen ? -this.ahead : this.ahead;
    const free = (other) => this.course[other - 1] === null;
    if (!free(chosen)) this.ahead = [way, -way].find((ahead) => free(chosen + ahead)) ?? way;
    this.next = free(chosen) ? chosen : this.freeFrom(chosen);
    this.from = chosen;
    this.note(null);
  }

  /** The number to fill in before this one, or after it. */
  turn(ahead) {
    this.next = this.freeFrom(this.next ?? 0, [ahead]) ?? this.next;
    this.note(null);
  }

  takePencil() {
    this.pencils = !this.pencils;
    this.note(null);
  }

  /** A click on a place: the number is written there, or noted; one of one's own is taken away; from a given one it goes on. */
  step(place) {
    const { next, filled, notes } = this, name = this.plan.names[place];
    if (this.plan.hole(place)) return void this.note("That square is a hole.");
    if (this.givens.has(place)) return void this.choose(this.givens.get(place));
    if (filled.has(place)) return void this.change(() => { this.next = filled.get(place); this.filled.delete(place); });
    if (next === null) return void this.note("Every number is in a place: click one of yours to take it away.");
    if (this.pencils) {
      const numbers = notes.get(place) ?? [], others = numbers.filter((number) => number !== next);
      if (others.length === MAX_NOTES) return void this.note(`${name} has ${MAX_NOTES} notes, and there is no room for more.`);
      return void this.change(() => this.notes.set(place, others.length < numbers.length ? others : [...numbers, next].sort((one, other) => one - other)));
    }
    if (!this.fits(place, next)) {
      const far = this.beside(next).filter((other) => other !== null).map((other) => `${this.numberOn(other)} on ${this.plan.names[other]}`);
      return void this.note(`${next} can’t stand on ${name}: it is to be a move away from ${far.join(" and from ")}.`);
    }
    return void this.change(() => {
      this.filled.set(place, next);
      this.notes.delete(place);
      for (const [other, numbers] of this.notes) this.notes.set(other, numbers.filter((number) => number !== next));
      this.settle();
      this.next = this.freeFrom(next);
    });
  }

  /** Do what can be undone. */
  change(edit) {
    this.past.push([this.filled, this.notes, this.next]);
    this.filled = new Map(this.filled);
    this.notes = new Map(this.notes);
    edit();
    this.from = null;
    this.ask();
  }

  undo() {
    if (!this.canUndo) return;
    [this.filled, this.notes, this.next] = this.past.pop();
    this.ask();
  }

  again() {
    this.change(() => Object.assign(this, { filled: new Map(), notes: new Map(), ahead: 1 }));
    this.choose(1);
  }

  /** Take away the numbers that lead to no solution. */
  back() {
    const { wrong } = this;
    this.change(() => { for (const place of wrong) this.filled.delete(place); });
  }

  /** Ask whether there is a solution with what is filled in, unless the one known is such; if there is none, then which numbers differ from one of the puzzle. */
  ask() {
    this.settle();
    this.clearAnswer();
    this.wrong = [];
    this.save();
    const differ = () => [...this.filled.keys()].filter((place) => this.known[this.filled.get(place) - 1] !== place);
    const heard = (verdicts) => {
      this.answer = { ...verdicts, length: this.length };
      this.known = verdicts[this.kind].tour ?? this.known;
      this.wrong = verdicts[this.kind].can === false && this.known ? differ() : [];
    };
    if (this.known && !differ().length) heard({ final: true, [this.kind]: { can: true, tour: this.known } });
    else this.question([...this.givens, ...this.filled], (verdicts) => {
      heard(verdicts);
      if (verdicts[this.kind].can === false && !this.known && this.filled.size) this.question([...this.givens], ({ [this.kind]: { tour } }) => {
        this.known = tour ?? null;
        this.wrong = tour ? differ() : [];
      });
    });
    this.page.paint();
    this.page.search.board.describeSquares();
  }

  question(numbers, hear) {
    const setting = { ...this.problem, givens: numbers.map(([place, number]) => [this.plan.names[place], number]) };
    this.page.link.question("walk", { setting, walk: [] }, (verdicts) => { hear(verdicts); this.page.paint(); });
  }

  hint() {
    if (this.nothingToShow) return void this.note(this.nothingToShow);
    this.aim = this.tour[this.next - 1];
    return void this.note(`A hint: ${this.next} stands on ${this.plan.names[this.aim]}.`, "");
  }

  scene() {
    const { course, next, whole, notes } = this, known = next !== null && this.beside(next).some((place) => place !== null);
    const empty = known ? [...course.keys()].filter((place) => this.numberOn(place) === undefined && this.fits(place, next)) : [];
    return {
      path: course, head: null, candidates: empty.map((place) => [place, next]), tour: whole, closed: this.page.setting.closed, notes,
      lit: this.judges ? this.wrong : [], onward: this.onward, aim: this.aim,
    };
  }

  get words() {
    const { answer, judges, next, whole, wrong } = this, [place, number] = [...this.filled].at(-1) ?? [];
    if (this.notice) return this.notice;
    if (whole) return ["Solved: every number is in its place.", "found"];
    const said = place === undefined ? "Fill in the missing numbers, each a move away from the one before." : `${number} stands on ${this.plan.names[place]}.`;
    const can = judges ? answer?.[this.kind].can : undefined;
    if (can === false && wrong.length) return [`${said} There is no solution any more: take away ${count(wrong.length, "number")}, on ${wrong.map((at) => this.plan.names[at]).join(", ")}.`, "none"];
    if (can === false) return [`There is no solution. ${answer[this.kind].why?.sentence ?? ""}`.trim(), "none"];
    return [`${said}${can ? " It can be solved." : ""} Next: ${next}${this.pencils ? ", in pencil" : ""}.`, ""];
  }

  fill() {
    super.fill();
    const disabled = this.next === null, pressed = { lower: this.ahead < 0, higher: this.ahead > 0, pencil: this.pencils };
    for (const [id, on] of Object.entries(pressed)) Object.assign($(id), { disabled, ariaPressed: String(on) });
    Object.assign($("next"), { disabled, value: this.next ?? "", max: this.plan.order });
  }

  get toTakeBack() { return this.judges ? this.wrong.length : 0; }
}
