// The page: the setting and its controls, playing and scrubbing, and what is said.

import { loadKnight } from "./board.js";
import { dress, listen } from "./controls.js";
import { Lane } from "./lane.js";
import { handlePointer } from "./pointer.js";
import { SPEEDS, asked, boardFault, fromHash, sameSquare, tidied, toHash } from "./setting.js";

const GLIDING = 10, SPOKEN = 20;
const SETTLED = 180, STATUS_EVERY = 140;

const $ = (id) => document.getElementById(id);
const still = matchMedia("(prefers-reduced-motion: reduce)");

class Page {
  constructor() {
    this.setting = tidied(fromHash(location.hash));
    this.fault = boardFault(location.hash);
    if (still.matches && !location.hash.includes("animate=")) this.setting.animate = false;
    this.lanes = [];
    this.at = 0;
    this.playing = false;
    this.painted = 0;
    this.certificate = null;
    this.makeLanes();
    this.fill();
    this.clear();
    listen(this);
  }

  get racing() { return this.setting.race && this.setting.backend === "dfs"; }
  get speed() { return this.setting.animate ? SPEEDS[this.setting.speed] : Infinity; }
  get length() { return Math.max(0, ...this.lanes.map((lane) => lane.length)); }
  get searching() { return this.lanes.some((lane) => lane.searching); }
  get over() { return this.lanes.every((lane) => lane.over); }

  // --- the setting ---

  makeLanes() {
    const wanted = this.racing ? 2 : 1;
    while (this.lanes.length > wanted) this.lanes.pop().close();
    while (this.lanes.length < wanted) {
      const lane = new Lane(this, this.lanes.length);
      lane.setting = this.setting;
      this.lanes.push(lane);
      $("lanes").append(lane.figure);
      handlePointer(this, lane);
    }
    $("lanes").classList.toggle("two", wanted === 2);
  }

  /** Take the setting from the address. */
  follow() {
    this.setting = tidied(fromHash(location.hash));
    this.fault = boardFault(location.hash);
    this.fill();
    this.clear();
  }

  /** Change the setting; what changes the question ends the search. */
  change(changes, { keep = false } = {}) {
    this.fault = "";
    this.setting = tidied({ ...this.setting, ...changes });
    history.replaceState(null, "", toHash(this.setting));
    this.fill();
    if (!keep) this.clear();
  }

  /** Put the setting into the controls. */
  fill() {
    const { setting } = this;
    for (const key of ["rows", "cols", "order", "prune", "order2", "prune2", "seed", "backend", "speed"]) if ($(key).value !== String(setting[key])) $(key).value = setting[key];
    for (const key of ["backtrack", "race", "animate"]) $(key).checked = setting[key];
    $("leaper").value = setting.leaper.join(",");
    $(setting.closed ? "closed" : "open").checked = true;
    $("native").hidden = setting.backend !== "dfs";
    $("rival").hidden = !setting.race;
    $("solver").hidden = setting.backend !== "cpsat";
    $("speed-words").textContent = setting.animate ? (SPEEDS[setting.speed] === Infinity ? "as fast as it goes" : `${SPEEDS[setting.speed].toLocaleString("en")} a second`) : "no animation";
    $("lanes").classList.toggle("glide", setting.animate && SPEEDS[setting.speed] <= GLIDING);
  }

  clear() {
    this.playing = false;
    this.at = 0;
    this.makeLanes();
    for (const lane of this.lanes) lane.clear(this.setting);
    this.judgement = null;
    this.proofAsked = false;
    this.certificate = null;
    $("log").textContent = "";
    this.shape = JSON.stringify({ ...asked(this.setting), order: "", prune: "", backend: "", seed: 0, backtrack: true });
    this.say(this.fault, this.fault ? "none" : "");
    this.paint();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.ask(), SETTLED);
  }

  /** Ask what is known of the board without a search. */
  ask(setting = this.setting) {
    this.lanes[0].link.judge(asked(setting));
  }

  // --- what the server says ---

  judged(judgement) {
    if (this.dragged) return void this.dragged(judgement);
    const { of } = judgement;
    if (of.rows !== this.setting.rows || of.cols !== this.setting.cols || of.closed !== this.setting.closed) return;
    this.judgement = judgement;
    this.showProof();
    if (judgement.impossible) this.askProof();
  }

  /** Ask why there is no tour, once for each question. */
  askProof() {
    if (this.proofAsked || this.certificate || this.searching || this.lanes[0].state === "broken") return;
    this.proofAsked = true;
    this.lanes[0].prove();
  }

  proved(certificate, proving) {
    if (JSON.stringify({ ...proving, order: "", prune: "", backend: "", seed: 0, backtrack: true }) !== this.shape) return;
    this.certificate = certificate;
    this.showProof();
  }

  refused(reason) {
    this.playing = false;
    this.say(`${reason[0].toUpperCase()}${reason.slice(1)}.`, "none");
    this.buttons();
  }

  lost(first) {
    this.playing = false;
    $("connection").hidden = false;
    $("connection").textContent = "The connection to the server is lost. Trying again …";
    if (first) this.paint();
  }

  found() {
    $("connection").hidden = true;
    this.proofAsked = false;
    if (!this.length) this.ask();
    this.say("The server is back. Press Play to search again.");
  }

  logged(line) {
    const log = $("log");
    log.append(`${line}\n`);
    log.scrollTop = log.scrollHeight;
  }

  changed(lane) {
    if (lane.log.end && lane.log.end.event === "refused") this.refused(lane.log.end.reason);
    if (this.stepping) {
      this.stepping = false;
      this.goTo(this.at + 1);
      return;
    }
    this.dirty = true;
    this.wake();
  }

  // --- playing ---

  play() {
    if (this.playing) return void this.pause();
    if (!this.length || (this.over && this.at >= this.length)) {
      this.at = 0;
      for (const lane of this.lanes) lane.begin();
      this.proofAsked = false;
      $("log").textContent = "";
      this.say("");
    }
    this.playing = true;
    this.then = performance.now();
    this.budget = 0;
    this.buttons();
    this.showProof();
    this.wake();
  }

  pause() {
    this.playing = false;
    this.rest();
  }

  wake() {
    if (!this.frame) this.frame = requestAnimationFrame((now) => { this.frame = 0; this.tick(now); });
  }

  tick(now) {
    const { speed } = this;
    if (this.playing) {
      this.advance(speed, Math.min(250, now - this.then) / 1000);
      this.then = now;
      for (const lane of this.lanes) lane.feed(speed, speed === Infinity ? lane.length : this.at);
      if (this.over && this.at >= this.length) return void this.pause();
      if (this.lanes.some((lane) => lane.full) && this.at >= this.length) {
        this.pause();
        return void this.say(`${this.length.toLocaleString("en")} events are kept, and more would not fit: clear and search again.`, "none");
      }
    }
    this.dirty = false;
    this.paint(this.setting.animate || !this.playing);
    if (this.playing) this.wake();
    return undefined;
  }

  advance(speed, seconds) {
    if (speed === Infinity) {
      this.at = this.length;
      return;
    }
    this.budget += speed * seconds;
    const due = Math.floor(this.budget);
    const running = this.lanes.filter((lane) => !lane.over);
    const there = running.length ? Math.min(...running.map((lane) => lane.length)) : this.length;
    const next = Math.min(this.at + due, Math.max(there, this.at));
    // What could not be shown, because it had not come, is not made up for.
    this.budget = next < this.at + due ? 0 : this.budget - due;
    this.at = next;
  }

  goTo(at) {
    this.playing = false;
    this.at = Math.max(0, Math.min(at, this.length));
    this.rest();
  }

  step() {
    this.playing = false;
    if (!this.length && !this.searching) {
      for (const lane of this.lanes) lane.begin();
      this.stepping = true;
      for (const lane of this.lanes) lane.link.more(1);
    } else if (this.at < this.length) this.goTo(this.at + 1);
    else if (!this.over) {
      this.stepping = true;
      for (const lane of this.lanes) lane.one();
    }
    this.buttons();
  }

  /** Paint the place where the search rests, and tell screen readers of it. */
  rest() {
    this.paint();
    for (const lane of this.lanes) lane.board.label();
    if (this.over && this.at >= this.length && this.lanes.some(({ log }) => log?.end?.event === "no_tour" || log?.end?.status === "none"))
      this.askProof();
  }

  paint(withBoard = true) {
    for (const lane of this.lanes) {
      lane.seek(this.at);
      lane.paint(withBoard);
    }
    this.painted += 1;
    const timeline = $("timeline");
    timeline.max = this.length;
    timeline.value = this.at;
    timeline.setAttribute("aria-valuetext", `event ${this.at} of ${this.length}`);
    $("at").textContent = `${this.at.toLocaleString("en")} / ${this.length.toLocaleString("en")}`;
    this.tell();
    this.buttons();
    this.showProof();
  }

  tell() {
    const now = performance.now(), fast = this.playing && this.speed > SPOKEN;
    if (fast && now - (this.told ?? 0) < STATUS_EVERY) return;
    this.told = now;
    if (!this.length) return;
    const ends = this.lanes.map(({ log, cursor }) => (cursor && log.end && cursor.at === log.length ? log.end : null));
    const words = this.lanes.map((lane) => (this.racing ? `${lane.name}: ${lane.words}` : lane.words)).join("\n");
    const found = ends.every((end) => end && (end.event === "tour_found" || end.status === "tour"));
    const none = ends.some((end) => end && (end.event === "no_tour" || end.status === "none"));
    this.say(words, found ? "found" : none ? "none" : "");
  }

  say(words, mood = "") {
    const status = $("status");
    status.setAttribute("aria-live", this.playing ? "off" : "polite");
    if (status.innerText !== words) status.innerText = words;
    if (status.className !== mood) status.className = mood;
  }

  buttons() {
    const play = $("play");
    const word = this.playing ? "Pause" : this.length && !(this.over && this.at >= this.length) ? "Resume" : this.length ? "Again" : "Play";
    if (play.textContent !== word) play.textContent = word;
    $("back").disabled = this.at === 0;
    $("forward").disabled = this.over && this.at >= this.length;
  }

  /** The certificate on the empty board and after the last event, never over a search. */
  showProof() {
    const { judgement, certificate } = this;
    const resting = !this.playing && (!this.length || (this.over && this.at >= this.length));
    const size = $("size");
    if (judgement) {
      size.textContent = `${judgement.squares.toLocaleString("en")} squares${judgement.impossible ? `: no ${this.setting.closed ? "closed" : "open"} tour. ${certificate ? "" : judgement.reason}` : ""}`;
      size.classList.toggle("impossible", judgement.impossible);
    } else {
      size.textContent = `${(this.setting.rows * this.setting.cols - this.setting.holes.length).toLocaleString("en")} squares`;
      size.classList.remove("impossible");
    }
    if (!this.length && judgement?.impossible && !this.searching && !this.fault) this.say(certificate?.asked ?? judgement.reason, "none");
    const found = this.lanes.some(({ log }) => log?.end?.event === "tour_found");
    // What was said of the board before stays until the new one is judged, so that nothing moves under a click that changes the setting.
    if (judgement || certificate || found) $("why").hidden = !certificate || found;
    if (certificate && $("why-sentence").textContent !== upper(certificate.sentence)) {
      $("why-sentence").textContent = upper(certificate.sentence);
      $("why-theorem").textContent = judgement?.theorem ?? "";
      $("why-words").textContent = certificate.words;
    }
    for (const lane of this.lanes) lane.board.prove(certificate && resting && !found ? certificate : null);
  }

  // --- what a click or a key on a square does ---

  use(square, tool) {
    const place = [Math.floor(square / this.setting.cols), square % this.setting.cols];
    const hole = this.setting.holes.some((other) => sameSquare(other, place));
    if (tool === "hole") {
      const holes = hole ? this.setting.holes.filter((other) => !sameSquare(other, place)) : [...this.setting.holes, place];
      if (holes.length < this.setting.rows * this.setting.cols) this.change({ holes });
    } else if (hole) this.say("That square is a hole: make it whole first.", "none");
    else if (tool === "end") {
      if (this.setting.closed && !this.setting.start) this.say("A closed tour has an end only if it has a start: click a start first.", "none");
      else this.change({ end: sameSquare(this.setting.end, place) ? null : place });
    } else {
      this.change({ start: place });
      this.play();
    }
  }
}

const upper = (words) => words[0].toUpperCase() + words.slice(1);

dress();
await loadKnight();
globalThis.watch = new Page();
