// The board as inline SVG, drawn as the command line draws: a square is 100 units wide. Only what has changed is touched.

import { digitHeight, drawing, make, rampColour, set, shadeCount, write } from "./ink.js";
import { drawCycles, drawProof, drawShores } from "./overlays.js";
import { lineOf } from "./plan.js";

const MIN_DIGIT_PIXELS = 6.5;
const END_MARGIN = 3;

export class Board {
  /** `frame` is the element round the svg, which has its shape. */
  constructor(svg, frame) {
    this.svg = svg;
    this.frame = frame;
    this.cursor = 0;
    this.rects = [];
    new ResizeObserver(() => this.measure()).observe(svg);
  }

  /** Draw an empty board: its plan, the start and end that are set, as places, and the numbers that a puzzle gives, by place. */
  drawEmpty(plan, start, end, givens = new Map()) {
    this.cursor = plan.placeOf.get(this.plan?.names[this.cursor]) ?? 0;
    Object.assign(this, { plan, start, end, givens });
    const [, , width, high] = plan.box;
    this.svg.replaceChildren();
    set(this.svg, { viewBox: plan.box.join(" "), "aria-label": plan.called });
    const measures = { wide: width, high, margin: (2.6 * plan.label) / width, foot: (2.6 * plan.label) / high };
    for (const [name, value] of Object.entries(measures)) this.frame.style.setProperty(`--${name}`, value);
    const layer = (name) => make("g", { class: name, "aria-hidden": "true" }, this.svg);
    this.rects = [];
    const edges = (others, place) => others.filter((other) => other > place).map((other) => lineOf(plan, [place, other]));
    if (!plan.squares) make("path", { d: plan.neighbours.flatMap(edges).join("") }, layer("edges"));
    this.squares(make("g", { class: "squares", role: "rowgroup" }, this.svg));
    make("path", { class: "frame", d: plan.outline }, this.svg);
    if (plan.squares) this.labels(layer("names"));
    this.proofLayer = layer("proof");
    this.cyclesLayer = layer("cycles");
    this.shoresLayer = layer("shores");
    this.onward = make("path", { class: "onward" }, this.svg);
    this.rampLayer = layer("ramp");
    this.ghost = make("path", { class: "ghost" }, this.svg);
    this.ends = layer("ends");
    this.landings = layer("landings");
    this.notesLayer = layer("notes");
    this.marksLayer = layer("marks");
    if (!plan.squares) this.labels(layer("names"));
    this.marks = Array(plan.names.length).fill(null);
    this.words = Array(plan.names.length).fill("");
    this.cross = make("path", { class: "cross" }, this.svg);
    this.knight = make("path", { class: "knight", d: drawing.knight, visibility: "hidden" }, layer("mover"));
    this.cursorMark = make("rect", { class: "mark-square", width: 92, height: 92, rx: 8 }, this.svg);
    this.wish = make("path", { class: "wish" }, this.svg);
    this.digits = digitHeight(String(plan.order).length);
    this.plain = plan.side > drawing.legible;
    this.shown = new Map();
    this.headPlace = null;
    this.shownProof = this.shownCycles = this.shownShores = this.shownNotes = this.lineKey = null;
    this.lit = [];
    this.drawEnds();
    this.measure();
    this.moveCursor(this.cursor);
    this.describeSquares();
  }

  /** Numbers that would be too small to read give way to the line. */
  measure() {
    if (!this.plan) return;
    const pixels = (this.svg.clientWidth / this.plan.box[2]) * this.digits;
    this.svg.classList.toggle("plain", this.plain || (pixels > 0 && pixels < MIN_DIGIT_PIXELS));
  }

  squares(layer) {
    const { plan } = this;
    let row = null, height = null;
    const places = [...plan.names.keys()].sort((one, other) => plan.y[one] - plan.y[other] || plan.x[one] - plan.x[other]);
    for (const place of places) {
      const { x, y } = this.middle(place);
      if (y !== height) row = make("g", { role: "row" }, layer);
      height = y;
      const shade = plan.hole(place) ? "hole" : plan.dark?.[place] ? "dark" : "light";
      const common = { class: `sq ${shade}`, role: "gridcell", id: `${this.svg.id}-${place}` };
      if (plan.squares) this.rects[place] = make("rect", { ...common, x: x - 50, y: y - 50, width: 100, height: 100 }, row);
      else this.rects[place] = make("circle", { ...common, class: "sq point", cx: x, cy: y, r: drawing.disc + 3 }, row);
    }
  }

  middle(place) {
    return { x: this.plan.x[place], y: this.plan.y[place] };
  }

  /** Write what is in the margin, or beside a vertex; what is at the right or at the bottom gives way to the handles of a phone. */
  labels(layer) {
    const { squares, labels, x: across, y: down } = this.plan, [right, bottom] = [Math.max(...across), Math.max(...down)];
    for (const [word, x, y, size] of labels) write(make("text", squares && (x > right + 50 || y > bottom + 50) ? { class: "far" } : {}, layer), word, x, y, size);
  }

  /** Show a state: `path` (of a puzzle, with null for what is not known), its `head`, `candidates` as [place, exits], or in a puzzle [place, number], `from` (the place just left), `refused`, `cycles`, `shores`, `tour`, `closed` (and whether
   * the tour comes back), `onward` (places that a tour goes on over), `lit` (places to be looked at) and `aim` (one to go to). */
  show({ path = [], candidates = [], from = null, refused = null, cycles = null, shores = null, closed = false, tour = false, onward = null, lit = [], aim = null, notes = null, head = path.at(-1) }) {
    const wanted = new Map();
    for (let visit = 0; visit < path.length; visit += 1) if (path[visit] !== null && !this.givens.has(path[visit])) wanted.set(path[visit], visit + 1);
    if (!tour) for (const [place, exits] of candidates) if (!wanted.has(place)) wanted.set(place, -1 - exits);
    this.ringed = candidates.length > 0 && !tour;
    const first = path[0] ?? null, last = tour && !closed && path.length > 1 ? path.at(-1) : null;
    const former = this.ofPath ?? [];
    this.ofPath = [first, last];
    for (const place of this.shown.keys()) if (!wanted.has(place)) this.mark(place, 0);
    for (const [place, code] of wanted) if (this.shown.get(place) !== code || former.includes(place) || this.ofPath.includes(place)) this.mark(place, code, place === first ? "first" : place === last ? "last" : "");
    this.svg.classList.toggle("finished", tour);
    this.shown = wanted;
    this.moveKnight(path.length && !tour ? head : null);
    if (notes !== this.shownNotes) this.drawNotes((this.shownNotes = notes));
    this.drawLine(path, closed, tour);
    if (cycles !== this.shownCycles) drawCycles(this, (this.shownCycles = cycles));
    if (shores !== this.shownShores) drawShores(this, (this.shownShores = shores));
    set(this.onward, { d: onward ? lineOf(this.plan, onward) : "" });
    set(this.ghost, { d: from !== null && path.length ? this.middlePart(path.at(-1), from) : "" });
    const struck = refused ?? from;
    const { x, y } = struck === null ? {} : this.middle(struck);
    set(this.cross, { d: struck === null ? "" : `M${x - 36} ${y - 36}l16 16m0-16l-16 16` });
    for (const place of this.lit) this.rects[place]?.classList.remove("lit", "aim");
    this.lit = [...lit, ...(aim === null ? [] : [aim])];
    for (const place of lit) this.rects[place].classList.add("lit");
    if (aim !== null) this.rects[aim].classList.add("aim");
  }

  /** What stands on a place: the number of a visit on a disc, or, in a ring, how many exits it has, or, in a frame, that a number fits; 0 for nothing. */
  mark(place, code, role = "") {
    const fits = code < 0 && this.givens.size > 0, word = code > 0 ? String(code) : code < 0 && !fits ? String(-1 - code) : "";
    this.words[place] = word;
    this.rects[place].classList.toggle("visited", code > 0);
    if (!code) {
      if (this.marks[place]) set(this.marks[place].group, { class: "gone" });
      return;
    }
    const { x, y } = this.middle(place), mark = (this.marks[place] ??= this.newMark());
    set(mark.group, { class: fits ? "exits fits" : code < 0 ? "exits" : `visit ${role}`.trim() });
    write(mark.digits, word, x, y, code < 0 ? 26 : this.digits);
    const half = fits ? 43 : code < 0 ? 31 : role ? drawing.disc + END_MARGIN : drawing.disc;
    set(mark.disc, { x: x - half, y: y - half, width: 2 * half, height: 2 * half, rx: fits ? 12 : role === "last" ? 6 : 100 });
  }

  /** Write small what is noted on the squares, by place. */
  drawNotes(notes) {
    const columns = this.plan.order > 99 ? 2 : 3;
    this.notesLayer.replaceChildren(...[...(notes ?? [])].flatMap(([place, numbers]) => numbers.map((number, at) => {
      const { x, y } = this.middle(place);
      return write(make("text", {}), number, x + (at % columns - (columns - 1) / 2) * (75 / columns), y + (Math.floor(at / columns) - 1) * 25, 16);
    })));
  }

  newMark() {
    const group = make("g", {}, this.marksLayer);
    return { group, disc: make("rect", { class: "disc" }, group), digits: make("text", { class: "digits" }, group) };
  }

  /** The start, a disc, and the end, a square, where they are set and not yet walked over. */
  drawEnds() {
    this.ends.replaceChildren();
    for (const [place, number] of this.givens) {
      const { x, y } = this.middle(place);
      make("rect", { class: "given", x: x - 38, y: y - 38, width: 76, height: 76, rx: 12 }, this.ends);
      write(make("text", { class: "digits" }, this.ends), number, x, y, this.digits);
    }
    if (this.end !== null) {
      const { x, y } = this.middle(this.end);
      make("rect", { class: "finish", x: x - 27, y: y - 27, width: 54, height: 54, rx: 6 }, this.ends);
    }
    if (this.start !== null) {
      const { x, y } = this.middle(this.start);
      make("circle", { class: "begin", cx: x, cy: y, r: drawing.disc + END_MARGIN }, this.ends);
    }
  }

  moveKnight(place) {
    if (this.headPlace === place) return;
    if (this.headPlace !== null && this.marks[this.headPlace]) this.marks[this.headPlace].group.classList.remove("under");
    if (place !== null) {
      const { x, y } = this.middle(place);
      this.knight.style.transform = `translate(${x - 42}px, ${y - 44}px) scale(.84)`;
      this.marks[place]?.group.classList.add("under");
    }
    this.knight.setAttribute("visibility", place === null ? "hidden" : "visible");
    this.headPlace = place;
  }

  /** The line in colours that run from the first move of a whole tour to its last; a closed one comes back to the first colour. */
  drawLine(path, closed, tour) {
    const key = `${path.join()} ${closed} ${tour}`;
    if (key === this.lineKey) return;
    this.lineKey = key;
    const moves = closed ? this.plan.order : this.plan.order - 1, count = shadeCount(moves);
    const course = tour && closed ? [...path, path[0]] : path;
    while (this.rampLayer.childElementCount > count) this.rampLayer.lastChild.remove();
    for (let shade = 0; shade < count; shade += 1) {
      const part = course.slice(Math.floor((moves * shade) / count), Math.floor((moves * (shade + 1)) / count) + 1);
      const line = this.rampLayer.children[shade] ?? make("path", {}, this.rampLayer);
      set(line, { d: part.length > 1 ? lineOf(this.plan, part) : "", stroke: rampColour((shade + 0.5) / count, closed) });
    }
    const { titles, pieces } = this.plan;
    this.landings.replaceChildren(...course.flatMap((place, at) => {
      const next = course[at + 1];
      return place === null || (next ?? null) === null || titles[place] === titles[next] ? [] : [write(make("text"), titles[next], ...pieces.get(`${place},${next}`)[0][1], 18)];
    }));
  }

  /** The middle part of a move, which leaves both squares to be read. */
  middlePart(tail, head) {
    const a = this.middle(tail), b = this.middle(head);
    const at = (part) => `${a.x + (b.x - a.x) * part} ${a.y + (b.y - a.y) * part}`;
    return `M${at(0.22)}L${at(0.8)}`;
  }

  /** Show a certificate; null takes it away. */
  prove(certificate) {
    if (certificate !== this.shownProof) drawProof(this, (this.shownProof = certificate));
  }

  /** The outline of the size that a drag would give, or none. */
  outlineSize(rows, cols, impossible) {
    set(this.wish, { d: rows ? `M0 0H${cols * 100}V${rows * 100}H0Z` : "", class: impossible ? "wish impossible" : "wish" });
  }

  moveCursor(place) {
    this.cursor = place;
    const { x, y } = this.middle(place);
    set(this.cursorMark, { x: x - 46, y: y - 46 });
    this.svg.setAttribute("aria-activedescendant", `${this.svg.id}-${place}`);
  }

  /** Names for screen readers: what stands on each square. Told when the search rests, not while it runs. */
  describeSquares() {
    this.rects.forEach((rect, place) => {
      const code = this.shown.get(place) ?? 0, given = this.givens.get(place);
      const words = [
        this.plan.names[place], this.plan.hole(place) && "hole", place === this.start && "start", place === this.end && "end", given && `given ${given}`,
        code > 0 && `visit ${code}`, code < 0 && (this.givens.size ? `${-1 - code} fits` : `${-1 - code} exits`), place === this.headPlace && "knight",
        this.shownNotes?.get(place)?.length && `noted ${this.shownNotes.get(place).join(" ")}`,
      ];
      rect.setAttribute("aria-label", words.filter(Boolean).join(", "));
    });
  }

  /** The place under a pointer event, or null. */
  placeUnder(event) {
    const { x, y } = this.units(event), { plan } = this;
    const reach = plan.squares ? 50 : 45;
    const place = plan.x.findIndex((at, number) => Math.abs(x - at) < reach && Math.abs(y - plan.y[number]) < reach);
    return place < 0 ? null : place;
  }

  units(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }
}
