// The page: the setting and its controls, playing and scrubbing, and what is said.

import { dress, listen } from "./controls.js";
import { loadInk } from "./ink.js";
import { Lane } from "./lane.js";
import { boardPlan, spacePlan } from "./plan.js";
import { Walk } from "./play.js";
import { handlePointer } from "./pointer.js";
import { SPEEDS, asked, boardFault, fromHash, question, raceStart, sameSquare, tidied, toHash } from "./setting.js";
import { Sum } from "./sum.js";
import { advise, count, parts, winner } from "./words.js";

const GLIDING = 10, SPOKEN = 20;
const SETTLED = 180, STATUS_EVERY = 140;

const $ = (id) => document.getElementById(id);
const still = matchMedia("(prefers-reduced-motion: reduce)");

class Page {
  constructor() {
    this.lanes = [];
    this.spaces = new Map();
    this.walk = new Walk(this);
    this.sum = new Sum(this);
    this.at = 0;
    this.playing = false;
    this.painted = 0;
    this.certificate = null;
    this.follow();
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

  /** Take the setting from the address; a bare one, and one that says so, begins at once. */
  follow() {
    const given = new URLSearchParams(location.hash.slice(1));
    this.setting = tidied(fromHash(location.hash));
    this.fault = boardFault(location.hash);
    if (still.matches && !given.has("animate")) this.setting.animate = false;
    this.go = !location.hash || given.get("go") === "1";
    this.given = given.get("walk");
    this.walk.told = !this.setting.givens.length;
    this.fill();
    this.clear();
  }

  /** Lay the board out; another space's plan comes from the server, and until then there is nothing to see. */
  layOut() {
    const { space } = this.setting;
    this.waits = space !== "" && !this.spaces.has(space);
    this.plan = this.waits ? boardPlan({ rows: 1, cols: 1, holes: [], leaper: [1, 2] }) : space ? this.spaces.get(space) : boardPlan(this.setting);
    if (this.waits) this.lanes[0].link.plan(question(this.setting));
  }

  planned(told) {
    if (told.of.space !== this.setting.space) return;
    this.spaces.set(told.of.space, spacePlan(told));
    const { order } = this.plan = this.spaces.get(told.of.space), off = (place) => place !== null && place >= order;
    if (off(this.setting.start) || off(this.setting.end)) Object.assign(this.setting, { start: null, end: null });
    this.clear();
  }

  /** Change the setting; what changes the question ends the search. */
  change(changes, { keep = false } = {}) {
    this.fault = "";
    if ("space" in changes) Object.assign(changes, { start: null, end: null });
    if (["space", "rows", "cols", "holes", "leaper", "closed"].some((part) => part in changes)) changes = { givens: [], ...changes };
    this.setting = tidied({ ...this.setting, ...changes });
    history.replaceState(null, "", toHash(this.setting));
    this.go = false;
    this.fill();
    if (!keep) this.clear();
  }

  /** Put the setting into the controls. */
  fill() {
    const { setting } = this;
    for (const key of ["rows", "cols", "space", "order", "prune", "order2", "prune2", "seed", "symmetry", "backend", "speed"]) if ($(key).value !== String(setting[key])) $(key).value = setting[key];
    for (const key of ["backtrack", "race", "animate"]) $(key).checked = setting[key];
    if (setting.space) $("rows").value = $("cols").value = "";
    $("leaper").value = setting.space ? "" : setting.leaper.join(",");
    $(setting.closed ? "closed" : "open").checked = true;
    $(setting.play ? "playing" : "watching").checked = true;
    document.body.dataset.mode = setting.play ? "play" : "watch";
    document.body.dataset.space = setting.space ? "other" : "board";
    $("native").hidden = $("race").parentElement.hidden = setting.backend !== "dfs";
    if (setting.race || setting.order !== "default" || setting.prune !== "default" || setting.seed) $("more").open = true;
    $("backend").options[0].disabled = setting.symmetry !== "none";
    $("rival").hidden = !setting.race;
    $("solver").hidden = setting.backend !== "cpsat" || setting.play;
    advise(setting);
    $("speed-words").textContent = setting.animate ? (SPEEDS[setting.speed] === Infinity ? "as fast as it goes" : `${SPEEDS[setting.speed].toLocaleString("en")} a second`) : "no animation";
    $("lanes").classList.toggle("glide", setting.animate && SPEEDS[setting.speed] <= GLIDING);
  }

  clear() {
    this.playing = false;
    this.at = 0;
    this.makeLanes();
    this.layOut();
    this.walk.leave();
    for (const lane of this.lanes) lane.clear(this.setting);
    this.judgement = null;
    this.proofAsked = false;
    this.certificate = null;
    this.sum.reset();
    $("log").textContent = "";
    this.shape = JSON.stringify({ ...asked(this.setting), order: "", prune: "", backend: "", seed: 0, backtrack: true });
    this.say(this.fault, this.fault ? "none" : "");
    clearTimeout(this.settling);
    if (this.setting.play && !this.waits) this.walk.enter(this.given);
    this.given = null;
    this.paint();
    if (this.waits) return;
    this.settling = setTimeout(() => this.ask(), SETTLED);
    if (this.go && !this.setting.play && !this.fault) this.play();
    this.go = false;
  }

  /** Ask what is known of the board without a search. */
  ask(setting = this.setting) {
    this.lanes[0].link.judge(question(setting));
  }

  // --- what the server says ---

  judged(judgement) {
    if (this.dragged) return void this.dragged(judgement);
    if (JSON.stringify(judgement.of) !== JSON.stringify(question(this.setting))) return;
    this.judgement = judgement;
    this.showProof();
    if (judgement.impossible && !this.setting.play) this.askProof();
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
    this.sum.reset();
    this.showProof();
  }

  refused(reason) {
    this.playing = this.walk.making = false;
    this.walk.fill();
    this.say(`${reason[0].toUpperCase()}${reason.slice(1)}.`, "none");
    this.buttons();
  }

  lost(first) {
    if (first) this.wasPlaying = this.playing;
    this.playing = false;
    $("connection").hidden = false;
    $("connection").textContent = "The connection to the server is lost. Trying again …";
    if (first) this.paint();
  }

  found() {
    $("connection").hidden = true;
    this.proofAsked = false;
    this.say("The server is back, and the page goes on where it was.");
    if (this.waits) this.lanes[0].link.plan(question(this.setting));
    else if (this.setting.play) this.walk.asked();
    else if (!this.length) this.ask();
    if (this.wasPlaying && !this.playing) this.play();
    this.wasPlaying = false;
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
    if (this.waits || this.setting.play) return;
    if (this.racing && this.setting.start === null) this.change({ start: raceStart(this.setting) });
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
    this.playing = this.wasPlaying = false;
    this.at = Math.max(0, Math.min(at, this.length));
    this.rest();
  }

  step() {
    this.playing = false;
    if (this.waits || this.setting.play) return;
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
    $("ring-key").classList.toggle("unseen", !this.lanes.some(({ board }) => board.ringed));
    if (this.setting.play && !this.waits) this.walk.fill();
    this.tell();
    this.buttons();
    this.showProof();
  }

  tell() {
    if (this.setting.play) return void this.say(...this.walk.words);
    const now = performance.now(), fast = this.playing && this.speed > SPOKEN;
    if (fast && now - (this.told ?? 0) < STATUS_EVERY) return;
    this.told = now;
    if (!this.length) return;
    const ends = this.lanes.map(({ log, cursor }) => (cursor && log.end && cursor.at === log.length ? log.end : null));
    const won = this.racing ? winner(this.lanes) : { words: "", lane: -1 };
    for (const lane of this.lanes) lane.figure.classList.toggle("winner", lane.number === won.lane);
    const words = won.words || this.lanes.map((lane) => (this.racing ? `${lane.name}: ${lane.words}` : lane.words)).join("\n");
    const found = ends.every((end) => end && (end.event === "tour_found" || end.status === "tour"));
    const none = ends.some((end) => end && (end.event === "no_tour" || end.status === "none"));
    this.say(words, found || won.lane >= 0 ? "found" : none ? "none" : "");
    return undefined;
  }

  say(words, mood = "") {
    const status = $("status");
    status.setAttribute("aria-live", this.playing ? "off" : "polite");
    // Asking for innerText would have the browser lay the page out in every frame.
    if (words !== this.said) status.innerText = this.said = words;
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
    const size = $("size"), { play, closed } = this.setting;
    const squares = this.waits ? "" : count(this.plan.placeOf.length, this.plan.nouns[0]);
    const none = judgement?.impossible ? `: no ${closed ? "closed" : "open"} tour. ${certificate ? "" : judgement.reason}` : "";
    if (size.textContent !== squares + none) size.textContent = squares + none;
    size.classList.toggle("impossible", Boolean(none));
    $("why").dataset.parts = certificate ? parts(certificate) : "";
    if (!this.length && judgement?.impossible && !this.searching && !this.fault && !play) this.say(certificate?.asked ?? judgement.reason, "none");
    const found = this.lanes.some(({ log }) => log?.end?.event === "tour_found");
    // What was said of the board before stays until the new one is judged, so that nothing moves under a click that changes the setting.
    if (judgement || certificate || found || play) $("why").hidden = !certificate || found || play;
    if (certificate && $("why-sentence").textContent !== upper(certificate.sentence)) {
      $("why-sentence").textContent = upper(certificate.sentence);
      $("why-theorem").textContent = judgement?.theorem ?? "";
      $("why-words").textContent = certificate.words;
    }
    for (const lane of this.lanes) lane.board.prove(certificate && resting && !found && !play ? certificate : null, this.sum.rows);
  }

  // --- what a click or a key on a square does ---

  use(square, tool) {
    if (this.setting.play && tool === "start") return void this.walk.step(square);
    if (this.setting.space && tool === "hole") return void this.say("Only boards have holes.", "none");
    const place = this.setting.space ? square : [Math.floor(square / this.setting.cols), square % this.setting.cols];
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
    return undefined;
  }

  /** The theme has changed. */
  recolour() {
    for (const lane of this.lanes) lane.board.recolour();
  }
}

const upper = (words) => words[0].toUpperCase() + words.slice(1);

dress();
await loadInk();
globalThis.watch = new Page();
