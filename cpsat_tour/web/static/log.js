// The events of one search, kept so that any of them can be gone back to.
//
// Steps, refusals and returns are words of 16 bits, about ten bytes an event, so that a search of a million events takes some ten megabytes;
// the rarer events are kept as they came. Every KEYFRAME events the path is kept too, as the numbers of the steps that it consists of; from
// there a cursor replays. The first word of an event is its kind and vertex; that of a candidate its exits and vertex, where MANY exits or
// more stand in a second word.

const STEP = 1, REFUSED = 2, BACK = 3, OTHER = 4;
const KEYFRAME = 1024, MANY = 15;
const WHY = ["stuck", "full", "refused", "tried"];

export class Log {
  constructor(problem) {
    this.problem = problem;
    this.words = new Uint16Array(1 << 12);
    this.used = 0;
    this.starts = new Uint32Array(1 << 10);
    this.length = 0;
    this.others = [];
    this.prunings = [];
    this.end = null;
    this.work = {};
    this.keyframes = [];
    this.last = new Cursor(this);
  }

  add(events) {
    for (const event of events) {
      if (event.event === "progress") this.work = { ...this.work, ...event.work };
      if (event.event === "progress" || event.event === "log_line") continue;
      this.store(event);
      this.last.advance();
      if (this.length % KEYFRAME === 0) this.keyframes.push(this.last.snapshot());
    }
  }

  store(event) {
    const room = 2 + 2 * (event.candidates?.length ?? 0);
    if (this.used + room > this.words.length) this.words = enlarged(this.words, room);
    if (this.length + 1 >= this.starts.length) this.starts = enlarged(this.starts, 2);
    const { words } = this;
    this.starts[this.length] = this.used;
    switch (event.event) {
      case "step":
        words[this.used++] = (STEP << 12) | event.vertex;
        words[this.used++] = event.candidates.length;
        for (const { exits, vertex } of event.candidates) {
          words[this.used++] = (Math.min(MANY, exits) << 12) | vertex;
          if (exits >= MANY) words[this.used++] = exits;
        }
        break;
      case "move_refused":
        words[this.used++] = (REFUSED << 12) | event.vertex;
        words[this.used++] = this.pruning(event.pruning);
        break;
      case "backtrack":
        words[this.used++] = (BACK << 12) | event.vertex;
        words[this.used++] = WHY.indexOf(event.why) | (event.prunings.reduce((bits, name) => bits | (1 << this.pruning(name)), 0) << 2);
        break;
      default:
        words[this.used++] = (OTHER << 12) | (this.others.length >> 16);
        words[this.used++] = (this.others.push(event) - 1) & 65535;
        if (["tour_found", "no_tour", "search_stopped", "answer", "certificate", "refused"].includes(event.event)) this.end = event;
    }
    this.length += 1;
  }

  pruning(name) {
    const place = this.prunings.indexOf(name);
    return place >= 0 ? place : this.prunings.push(name) - 1;
  }

  /** The event of a number. */
  event(number) {
    const at = this.starts[number], vertex = this.words[at] & 4095, detail = this.words[at + 1];
    switch (this.words[at] >> 12) {
      case STEP: return { kind: "step", square: vertex, candidates: this.candidates(number) };
      case REFUSED: return { kind: "refused", square: vertex, pruning: this.prunings[detail] };
      case BACK: return { kind: "back", square: vertex, why: WHY[detail & 3], prunings: this.prunings.filter((_, bit) => (detail >> 2 >> bit) & 1) };
      default: { const other = this.other(number); return { ...other, how: other.kind, kind: other.event }; }
    }
  }

  /** One of the rarer events, as it came. */
  other(number) {
    const at = this.starts[number];
    return this.others[((this.words[at] & 4095) << 16) | this.words[at + 1]];
  }

  /** The candidates of a step as [square, exits]. */
  candidates(number) {
    let at = this.starts[number] + 2;
    return Array.from({ length: this.words[at - 1] }, () => {
      const word = this.words[at++], few = word >> 12;
      return [word & 4095, few < MANY ? few : this.words[at++]];
    });
  }
}

/** A place in a log: so many events have happened, and this is the path after them. */
export class Cursor {
  constructor(log) {
    this.log = log;
    this.reset();
  }

  reset() {
    this.at = 0;
    this.steps = [];
    this.positions = this.backtracks = this.refused = 0;
  }

  advance() {
    const { log } = this, word = log.words[log.starts[this.at]];
    switch (word >> 12) {
      case STEP: this.steps.push(this.at); this.positions += 1; break;
      case REFUSED: this.refused += 1; break;
      case BACK: this.steps.pop(); this.backtracks += 1; break;
      default: if (log.other(this.at).event === "search_begun") this.steps.length = 0;
    }
    this.at += 1;
  }

  seek(to) {
    to = Math.max(0, Math.min(to, this.log.length));
    const number = Math.floor(to / KEYFRAME), back = to < this.at;
    if (number && (back || number * KEYFRAME > this.at)) {
      const frame = this.log.keyframes[number - 1];
      Object.assign(this, frame, { steps: Array.from(frame.steps) });
    } else if (back) this.reset();
    while (this.at < to) this.advance();
  }

  snapshot() {
    const { at, positions, backtracks, refused } = this;
    return { at, positions, backtracks, refused, steps: Uint32Array.from(this.steps) };
  }

  /** The squares of the path, in order. */
  path() {
    const { log } = this;
    return this.steps.map((step) => log.words[log.starts[step]] & 4095);
  }

  /** The event that led here, or null. */
  get event() {
    return this.at ? this.log.event(this.at - 1) : null;
  }

  get candidates() {
    return this.steps.length ? this.log.candidates(this.steps.at(-1)) : [];
  }

  /** The latest event of one of these kinds, with the number it has. */
  latest(...kinds) {
    for (let number = this.at - 1; number >= 0; number -= 1) {
      const event = this.log.event(number);
      if (kinds.includes(event.kind)) return [event, number];
    }
    return [null, -1];
  }
}

function enlarged(array, room) {
  const larger = new array.constructor(Math.max(Math.ceil(array.length * 1.5), array.length + room));
  larger.set(array);
  return larger;
}
