// The board as inline SVG: a square is 100 units wide, the origin its top left corner. Only what has changed is touched.

import { fileLetters, squareName } from "./setting.js";

const NS = "http://www.w3.org/2000/svg";
const RAMP = [[18, 54, 130], [98, 38, 158], [176, 36, 120], [201, 72, 12]];
const SHADES = 48;
const OUTLINES = ["#1b7837", "#762a83", "#b2182b", "#01665e", "#8c510a", "#4d4d4d"];
const HALF = 50, LEFT = 56, TOP = 52, BEYOND = 44;

export function make(name, attributes = {}, parent = null) {
  const element = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}

let knightOutline = "";

/** The knight's shape, of the one file that has it. */
export async function loadKnight() {
  const text = await (await fetch("knight.svg")).text();
  knightOutline = new DOMParser().parseFromString(text, "image/svg+xml").getElementById("knight").getAttribute("d");
}

export class Board {
  constructor(svg) {
    this.svg = svg;
    this.cursor = 0;
  }

  /** Draw an empty board; `setting` has its sides, holes and ends. */
  shape(setting) {
    const { rows, cols } = setting;
    Object.assign(this, { rows, cols, leaper: setting.leaper, order: rows * cols });
    this.holes = new Set(setting.holes.map(([row, col]) => row * cols + col));
    this.svg.replaceChildren();
    this.svg.setAttribute("viewBox", `${-LEFT} ${-TOP} ${cols * 100 + LEFT + BEYOND} ${rows * 100 + TOP + BEYOND}`);
    this.title = make("title", {}, this.svg);
    const layer = (name) => make("g", { class: name }, this.svg);
    this.rects = [];
    const squares = layer("squares");
    squares.setAttribute("role", "rowgroup");
    for (let row = 0; row < rows; row += 1) {
      const line = make("g", { role: "row" }, squares);
      for (let col = 0; col < cols; col += 1) {
        const hole = this.holes.has(row * cols + col);
        const shade = hole ? "hole" : (rows - 1 - row + col) % 2 ? "light" : "dark";
        this.rects.push(make("rect", { class: `sq ${shade}`, x: col * 100, y: row * 100, width: 100, height: 100, role: "gridcell", id: `${this.svg.id}-${row * cols + col}` }, line));
      }
    }
    make("path", { class: "frame", d: this.outline([...this.rects.keys()].filter((square) => !this.holes.has(square))) }, this.svg);
    this.names(layer("names"));
    this.proofLayer = layer("proof");
    this.cyclesLayer = layer("cycles");
    this.shoresLayer = layer("shores");
    this.rampLayer = layer("ramp");
    this.course = make("path", { class: "course" }, this.svg);
    this.ghost = make("path", { class: "ghost" }, this.svg);
    this.marks = layer("marks");
    const numbers = layer("numbers");
    numbers.setAttribute("aria-hidden", "true");
    this.texts = this.rects.map((_, square) => make("text", this.middle(square, 14), numbers));
    this.cross = make("path", { class: "cross" }, this.svg);
    const holder = layer("mover");
    this.knight = make("path", { class: "knight", d: knightOutline, visibility: "hidden" }, holder);
    this.cursorMark = make("rect", { class: "mark-square", width: 92, height: 92, rx: 8 }, this.svg);
    this.wish = make("path", { class: "wish" }, this.svg);
    this.grip("right");
    this.grip("bottom");
    this.shown = new Map();
    this.first = this.headSquare = undefined;
    this.shownCourse = "";
    this.shownRamp = this.shownCycles = this.shownShores = null;
    this.ends(setting);
    this.moveCursor(Math.min(this.cursor, this.order - 1));
    this.label();
  }

  middle(square, lower = 0) {
    return { x: (square % this.cols) * 100 + HALF, y: Math.floor(square / this.cols) * 100 + HALF + lower };
  }

  name(square) {
    return squareName([Math.floor(square / this.cols), square % this.cols], this.rows);
  }

  names(layer) {
    layer.setAttribute("aria-hidden", "true");
    const every = (side) => (side > 24 ? 5 : 1);
    for (let col = 0; col < this.cols; col += 1)
      if ((col + 1) % every(this.cols) === 0 || col === 0) make("text", { x: col * 100 + HALF, y: -18 }, layer).textContent = fileLetters(col);
    for (let rank = 1; rank <= this.rows; rank += 1)
      if (rank % every(this.rows) === 0 || rank === 1) make("text", { x: -30, y: (this.rows - rank) * 100 + HALF + 11 }, layer).textContent = rank;
  }

  grip(side) {
    const [width, height] = [this.cols * 100, this.rows * 100];
    const right = side === "right", length = Math.min(110, (right ? height : width) * 0.5);
    const area = right ? { x: width - 8, y: 0, width: BEYOND + 8, height } : { x: 0, y: height - 8, width, height: BEYOND + 8 };
    make("rect", { class: `grip ${side}`, ...area, "aria-hidden": "true" }, this.svg).dataset.grip = side;
    const pill = right ? { x: width + 14, y: (height - length) / 2, width: 12, height: length } : { x: (width - length) / 2, y: height + 14, width: length, height: 12 };
    make("rect", { class: "pill", rx: 6, ...pill, "aria-hidden": "true" }, this.svg);
  }

  /** The start, a disc, and the end, a square, as they are set. */
  ends({ start, end }) {
    this.marks.replaceChildren();
    const place = (square) => (square ? this.middle(square[0] * this.cols + square[1]) : null);
    const [first, last] = [place(start), place(end)];
    if (last) make("rect", { class: "finish", x: last.x - 34, y: last.y - 34, width: 68, height: 68, rx: 9 }, this.marks);
    if (first) make("circle", { class: "begin", cx: first.x, cy: first.y, r: 37 }, this.marks);
    this.start = start ? start[0] * this.cols + start[1] : null;
    this.end = end ? end[0] * this.cols + end[1] : null;
  }

  /** Show a state: `path`, `candidates` as [square, exits], `from` (the square just left), `refused`, `cycles`, `shores`, `closed`, `tour`. */
  show({ path = [], candidates = [], from = null, refused = null, cycles = null, shores = null, closed = false, tour = false }) {
    const wanted = new Map();
    for (let visit = 0; visit < path.length; visit += 1) wanted.set(path[visit], visit + 1);
    const head = path.length && !tour ? path.at(-1) : null;
    if (path.length < this.order && !tour) for (const [square, exits] of candidates) if (!wanted.has(square)) wanted.set(square, -1 - exits);
    this.begin(path[0]);
    for (const square of this.shown.keys()) if (!wanted.has(square)) this.paint(square, 0, path[0]);
    for (const [square, code] of wanted) if (this.shown.get(square) !== code || this.first !== path[0]) this.paint(square, code, path[0]);
    this.shown = wanted;
    this.first = path[0];
    this.head(head);
    this.drawCourse(path, closed && tour, tour);
    this.drawCycles(cycles);
    this.drawShores(shores, this.shoresLayer);
    set(this.ghost, "d", from !== null && head !== null ? this.between(head, from) : "");
    const struck = refused ?? from;
    const { x, y } = struck === null ? {} : this.middle(struck);
    set(this.cross, "d", struck === null ? "" : `M${x - 34} ${y - 34}l16 16m0-16l-16 16`);
  }

  paint(square, code, first) {
    const text = this.texts[square], rect = this.rects[square];
    text.textContent = code > 0 ? code : code < 0 ? -1 - code : "";
    const digits = code > 999 ? "four" : code > 99 ? "three" : "";
    const role = code < 0 ? "exits" : code > 0 && (square === this.start || square === first) ? "first" : code > 0 && square === this.end ? "last" : "";
    set(text, "class", `${digits} ${role}`.trim());
    rect.classList.toggle("visited", code > 0);
  }

  /** The disc under the first square of a path where no start was set. */
  begin(first) {
    if (first === this.first) return;
    this.marks.querySelector(".began")?.remove();
    if (first === undefined || first === this.start) return;
    const { x, y } = this.middle(first);
    make("circle", { class: "begin began", cx: x, cy: y, r: 37 }, this.marks);
  }

  head(square) {
    if (this.headSquare !== square) {
      if (this.headSquare !== undefined && this.headSquare !== null) this.texts[this.headSquare]?.classList.remove("under");
      if (square !== null) {
        const { x, y } = this.middle(square);
        this.knight.setAttribute("transform", `translate(${x - 42} ${y - 44}) scale(.84)`);
        this.knight.style.transform = `translate(${x - 42}px, ${y - 44}px) scale(.84)`;
      }
      this.knight.setAttribute("visibility", square === null ? "hidden" : "visible");
    }
    if (square !== null) this.texts[square].classList.add("under");
    this.headSquare = square;
  }

  line(squares) {
    let d = "";
    for (const square of squares) d += `${d ? "L" : "M"}${(square % this.cols) * 100 + HALF} ${Math.floor(square / this.cols) * 100 + HALF}`;
    return d;
  }

  /** The middle part of a move, which leaves both squares to be read. */
  between(one, other) {
    const a = this.middle(one), b = this.middle(other);
    const at = (part) => `${a.x + (b.x - a.x) * part} ${a.y + (b.y - a.y) * part}`;
    return `M${at(0.22)}L${at(0.8)}`;
  }

  drawCourse(path, back, tour) {
    const course = tour ? "" : this.line(path);
    if (course !== this.shownCourse) this.course.setAttribute("d", course);
    this.shownCourse = course;
    const key = tour ? path.join() : null;
    if (key === this.shownRamp) return;
    this.shownRamp = key;
    this.rampLayer.replaceChildren();
    if (!tour) return;
    const whole = back ? [...path, path[0]] : path, moves = whole.length - 1, shades = Math.min(SHADES, moves);
    for (let shade = 0; shade < shades; shade += 1) {
      const part = whole.slice(Math.floor((moves * shade) / shades), Math.floor((moves * (shade + 1)) / shades) + 1);
      make("path", { d: this.line(part), stroke: ramp((shade + 0.5) / shades, back) }, this.rampLayer);
    }
  }

  /** Cycles as {squares, hue, closed}. */
  drawCycles(cycles) {
    if (cycles === this.shownCycles) return;
    this.shownCycles = cycles;
    this.cyclesLayer.replaceChildren();
    for (const { squares, hue, closed } of cycles ?? []) {
      const colour = `hsl(${hue} 62% 46%)`;
      for (const square of squares) {
        const { x, y } = this.middle(square);
        make("rect", { x: x - HALF, y: y - HALF, width: 100, height: 100, fill: colour }, this.cyclesLayer);
      }
      make("path", { d: this.line(squares) + (closed ? "Z" : ""), stroke: colour }, this.cyclesLayer);
    }
  }

  drawShores(shores, layer) {
    if (shores === this.shownShores) return;
    this.shownShores = shores;
    layer.replaceChildren();
    for (const { squares, hue } of shores ?? []) make("path", { d: this.outline(squares), stroke: `hsl(${hue} 70% 38%)` }, layer);
  }

  /** The sides of a set's squares that border on no other square of it. */
  outline(squares) {
    const members = new Set(squares), { cols } = this;
    let d = "";
    for (const square of members) {
      const x = (square % cols) * 100, y = Math.floor(square / cols) * 100;
      if (!members.has(square - cols)) d += `M${x} ${y}h100`;
      if (!members.has(square + cols)) d += `M${x} ${y + 100}h100`;
      if (square % cols === 0 || !members.has(square - 1)) d += `M${x} ${y}v100`;
      if (square % cols === cols - 1 || !members.has(square + 1)) d += `M${x + 100} ${y}v100`;
    }
    return d;
  }

  /** A certificate: multipliers on the squares, bounded edges, cut sets; null takes it away. */
  prove(certificate) {
    if (certificate === this.shownProof && this.proofLayer.childElementCount) return;
    this.shownProof = certificate;
    this.proofLayer.replaceChildren();
    this.marks.style.visibility = certificate ? "hidden" : "";
    if (!certificate) return;
    const at = ([row, col]) => row * this.cols + col;
    for (const [place, value] of certificate.multipliers) {
      const { x, y } = this.middle(at(place));
      make("rect", { class: value.startsWith("-") ? "minus" : "plus", x: x - HALF, y: y - HALF, width: 100, height: 100 }, this.proofLayer);
    }
    for (const ends of certificate.bounds) make("path", { class: "bound", d: this.line(ends.map(at)) }, this.proofLayer);
    certificate.cut_sets.forEach((shore, place) => {
      const width = 4 + 4 * (certificate.cut_sets.length - place);
      make("path", { class: "shore", d: this.outline(shore.map(at)), stroke: OUTLINES[place % OUTLINES.length], "stroke-width": Math.min(width, 20) }, this.proofLayer);
    });
    for (const [place, value] of certificate.multipliers)
      make("text", this.middle(at(place), 12), this.proofLayer).textContent = value.replace("1/2", "½").replace("-", "−");
  }

  /** The outline of the size that a drag would give, or none. */
  wishFor(rows, cols, impossible) {
    set(this.wish, "d", rows ? `M0 0H${cols * 100}V${rows * 100}H0Z` : "");
    set(this.wish, "class", impossible ? "wish impossible" : "wish");
  }

  moveCursor(square) {
    this.cursor = square;
    const { x, y } = this.middle(square);
    this.cursorMark.setAttribute("x", x - 46);
    this.cursorMark.setAttribute("y", y - 46);
    this.svg.setAttribute("aria-activedescendant", `${this.svg.id}-${square}`);
  }

  /** Names for screen readers: what stands on each square. Told when the search rests, not while it runs. */
  label() {
    this.rects.forEach((rect, square) => {
      const code = this.shown.get(square) ?? 0;
      const words = [this.name(square)];
      if (this.holes.has(square)) words.push("hole");
      if (square === this.start) words.push("start");
      if (square === this.end) words.push("end");
      if (code > 0) words.push(`visit ${code}`);
      if (code < 0) words.push(`${-1 - code} exits`);
      if (square === this.headSquare) words.push("knight");
      rect.setAttribute("aria-label", words.join(", "));
    });
  }

  /** The square under a pointer event, or null. */
  under(event) {
    const { x, y } = this.units(event);
    const col = Math.floor(x / 100), row = Math.floor(y / 100);
    return row >= 0 && col >= 0 && row < this.rows && col < this.cols ? row * this.cols + col : null;
  }

  units(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }
}

function set(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

function ramp(along, back) {
  const place = (back ? 1 - Math.abs(2 * along - 1) : along) * (RAMP.length - 1);
  const leg = Math.min(Math.floor(place), RAMP.length - 2), part = place - leg;
  return `rgb(${RAMP[leg].map((low, band) => Math.round(low + (RAMP[leg + 1][band] - low) * part)).join(" ")})`;
}
