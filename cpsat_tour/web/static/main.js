// The page: the setting and its controls, the answers of the server, and the line that says what goes on.

import { listen } from "./controls.js";
import { NO_PLAN, planOf } from "./plan.js";
import { Filling } from "./filling.js";
import { Walk } from "./play.js";
import { Playback } from "./playback.js";
import { Proof } from "./proof.js";
import { Search } from "./search.js";
import { PRUNINGS, SPEEDS, fromHash, boardSetting, tidied, toHash } from "./setting.js";

const GLIDING = 10, SPOKEN = 20, DAILY_GRADE = 2;
const SETTLED = 180, STATUS_EVERY = 140, SILENT = 1500, MAX_FILE = 3e4;

const $ = (id) => document.getElementById(id);
const still = matchMedia("(prefers-reduced-motion: reduce)");

class Page extends Playback {
  constructor() {
    super();
    this.plan = NO_PLAN;
    this.typing = null; // the id of the control that is being typed in
    this.search = new Search(this);
    this.proof = new Proof(this);
    this.walks = [new Walk(this), new Filling(this)];
    this.follow();
    listen(this);
  }

  /** The line that questions go over. */
  get link() { return this.search.link; }

  /** The walk, or the filling of a puzzle. */
  get walk() { return this.walks[Number(this.setting.givens.length > 0)]; }

  // --- the setting ---

  /** Take the setting from the address; a bare one, and one that says so, begins at once. */
  follow() {
    const given = new URLSearchParams(location.hash.slice(1)), { setting, fault } = fromHash(location.hash);
    this.written = location.hash;
    this.setting = tidied(setting);
    this.wanted = setting;
    this.fault = fault;
    if (still.matches && !given.has("animate")) this.setting.animate = false;
    this.go = !location.hash || given.get("go") === "1";
    this.given = given;
    this.fill();
    this.clear();
  }

  /** Change the setting; what changes the question ends the search. */
  change(changes, { keep = false } = {}) {
    Object.assign(this, { fault: "", wanted: null, go: false, given: new URLSearchParams() });
    if ("space" in changes) Object.assign(changes, { start: null, end: null });
    if (["space", "rows", "cols", "holes", "leaper", "closed"].some((part) => part in changes)) changes = { givens: [], ...changes };
    this.setting = tidied({ ...this.setting, ...changes });
    this.writeNow(keep ? this.address : toHash(this.setting));
    this.fill();
    if (!keep) this.clear();
  }

  /** The address of all that is here now. */
  get address() {
    const watched = this.length ? { event: this.at } : { proof: Number(this.proof.certificate !== null) };
    return toHash(this.setting, this.setting.play ? this.walk.parts : watched);
  }

  writeNow(address) {
    history.replaceState(null, "", address);
    this.written = location.hash;
  }

  /** Write the address in a moment, as browsers refuse to do it often; unless a link has been followed meanwhile. */
  write() {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => { if (!this.waits && location.hash === this.written) this.writeNow(this.address); }, SETTLED);
  }

  /** Put the setting into the controls, but not into the one that is being typed in. */
  fill() {
    const { setting } = this, speed = SPEEDS[setting.speed];
    for (const key of ["rows", "cols", "leaper", "space", "seed", "symmetry", "backend", "speed"]) {
      const value = setting.space && ["rows", "cols", "leaper"].includes(key) ? "" : String(setting[key]);
      if (key !== this.typing && $(key).value !== value) $(key).value = value;
    }
    for (const key of ["backtrack", "animate"]) $(key).checked = setting[key];
    if (![...$("order").options].some(({ value }) => value === setting.order)) $("order").add(new Option(setting.order));
    $("order").value = setting.order;
    const prunings = setting.prune.split(",").flatMap((name) => PRUNINGS[name] ?? name);
    for (const box of $("prune").querySelectorAll("input")) box.checked = prunings.includes(box.value);
    $(setting.closed ? "closed" : "open").checked = true;
    $(setting.play ? "playing" : "watching").checked = true;
    document.body.dataset.mode = setting.play ? "play" : "watch";
    const puzzle = setting.play && setting.givens.length > 0;
    document.body.dataset.puzzle = puzzle;
    if (puzzle) document.querySelector("input[name=tool]").checked = true;
    document.body.dataset.space = setting.space ? "other" : "board";
    $("native").hidden = setting.backend !== "dfs";
    if (setting.order !== "default" || setting.prune !== "default" || setting.seed) $("more").open = true;
    $("backend").options[0].disabled = setting.symmetry !== "none";
    $("solver").hidden = setting.backend !== "cpsat" || setting.play;
    $("speed-words").textContent = setting.animate ? (speed === Infinity ? "as fast as it goes" : `${speed.toLocaleString("en")} ${speed === 1 ? "step" : "steps"} a second`) : "the end alone";
    document.querySelector("figure").classList.toggle("glide", setting.animate && speed <= GLIDING);
  }

  // --- the board ---

  /** End what is under way, and lay the board out. */
  clear() {
    this.playing = this.stepping = false;
    this.at = this.target = 0;
    this.walk.leave();
    this.proof.clear();
    this.search.clear(this.setting);
    $("log").textContent = "";
    clearTimeout(this.settling);
    for (const what of ["judge", "walk"]) this.link.forget(what);
    const key = JSON.stringify(boardSetting(this.setting));
    this.waits = key !== this.planKey;
    if (this.waits) this.askPlan(key);
    else this.layOut();
  }

  /** Ask where the vertices lie; until then the board before stays, and where there is none such, none. */
  askPlan(key) {
    const heard = (event) => {
      if (!this.waits) return; // another layout has been shown since, and may be at work
      Object.assign(this, { planKey: key, plan: planOf(event) });
      this.clear();
    };
    this.link.question("plan", { setting: boardSetting(this.setting) }, heard, (reason) => {
      if (!this.waits) return;
      this.search.svg.replaceChildren();
      this.refused(reason);
    });
  }

  layOut() {
    this.dropUnknownNames();
    this.search.setting = this.setting;
    this.search.drawEmpty();
    document.body.dataset.layers = new Set(this.plan.titles).size > 1;
    for (const word of document.querySelectorAll(".noun")) word.textContent = this.plan.noun(1);
    this.say(this.fault, this.fault ? "note" : "");
    const { given, go } = this, day = given.get("day")?.replace("today", new Date().toISOString().slice(0, 10));
    Object.assign(this, { go: false, given: new URLSearchParams() });
    if (this.setting.play) this.walk.enter(given);
    this.paint();
    if (day && this.setting.play) this.walk.puzzle(Number(day.replaceAll("-", "")), DAILY_GRADE, `The puzzle of ${day}`);
    if (Number(given.get("event")) && !this.setting.play && !this.fault) this.reach(Number(given.get("event")));
    if (given.get("proof") === "1" && !this.setting.play) this.proof.ask(true);
    this.settling = setTimeout(() => this.proof.judge(), SETTLED);
    if (go && !this.setting.play && !this.fault) this.play();
  }

  /** Leave out what is not in this space, and name a part of the link that does not fit. */
  dropUnknownNames() {
    const { setting, plan } = this, there = (name) => (plan.placeOf.has(name) ? name : null);
    this.setting = { ...setting, start: there(setting.start), end: there(setting.end), givens: setting.givens.filter(([name, number]) => there(name) && number <= plan.placeOf.size) };
    const part = this.wanted && ["start", "end", "holes", "givens"].find((key) => String(this.wanted[key]) !== String(this.setting[key]));
    this.fill();
    if (part) this.fault ||= `What the link says of ${part === "givens" ? "at" : part} does not fit here: the page goes on without it.`;
  }

  // --- answers of the server ---

  refused(reason) {
    this.playing = this.stepping = false;
    this.say(reason, "note");
    this.buttons();
  }

  lost(first) {
    if (first) this.wasPlaying = this.playing;
    this.playing = this.making = false;
    $("connection").hidden = false;
    $("connection").textContent = "The connection to the server is lost. Trying again …";
    if (first) this.paint();
  }

  found() {
    $("connection").hidden = true;
    this.proof.asked = false;
    this.say("The server is back, and the page goes on where it was.");
    if (this.waits) this.clear();
    else if (this.setting.play) this.walk.ask();
    else if (!this.length) this.proof.judge();
    if (this.wasPlaying && !this.playing) this.play();
    this.wasPlaying = false;
  }

  logged(line) {
    const log = $("log");
    log.append(`${line}\n`);
    log.scrollTop = log.scrollHeight;
  }

  // --- the line that says what goes on ---

  paint(withBoard = true) {
    if (this.waits) return;
    this.search.paint(this.at, withBoard);
    const timeline = $("timeline");
    timeline.max = this.length;
    timeline.value = this.at;
    timeline.setAttribute("aria-valuetext", `event ${this.at} of ${this.length}`);
    $("at").textContent = `step ${this.at.toLocaleString("en")} of ${this.length.toLocaleString("en")}`;
    $("ring-key").classList.toggle("unseen", !this.search.board.ringed);
    if (this.setting.play) this.walk.fill();
    this.sayState();
    this.buttons();
    this.proof.show();
  }

  sayState() {
    if (this.setting.play) return void this.say(...this.walk.words);
    const now = performance.now(), fast = this.playing && this.speed > SPOKEN;
    if (fast && now - (this.spoken ?? 0) < STATUS_EVERY) return;
    this.spoken = now;
    if (this.length) this.sayEvent();
    else if (this.playing && now - this.begun > SILENT) this.say(`The search is at work: ${Math.floor((now - this.begun) / 1000)} s, and nothing to show yet.`);
  }

  sayEvent() {
    const { log, outcome, words } = this.search, ended = log.end && this.at === log.length;
    if (ended && log.end.event === "refused") this.say(log.end.reason, "note");
    else this.say(words, ended ? outcome : "");
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
    const word = this.playing ? "Pause" : this.length && !this.ended ? "Resume" : this.length ? "Again" : "Search";
    if (play.textContent !== word) play.textContent = word;
    const begun = this.length > 0 || this.searching, { start, end, holes } = this.setting;
    $("clear").textContent = begun ? "Clear search" : "Clear board";
    $("clear").disabled = !begun && start === null && end === null && !holes.length;
    $("back").disabled = this.at === 0;
    $("forward").disabled = this.ended;
  }

  /** Show what is in a file. */
  async open(file) {
    const { leaper, closed } = this.setting;
    if (file?.size > MAX_FILE) this.refused(`${file.name} has more than ${MAX_FILE} bytes.`);
    else if (file) this.link.question("file", { setting: { leaper, closed }, name: file.name, text: await file.text() }, ({ link }) => { location.hash = link; });
  }

  // --- what a click or a key on a square does ---

  use(place, tool) {
    const name = this.plan.names[place], { holes, start, end, closed, play } = this.setting;
    if (name === undefined || (this.waits && play)) return undefined;
    if (play && tool === "start") return void this.walk.step(place);
    if (tool === "hole") return void this.toggleHole(name);
    if (holes.includes(name)) return void this.say("That square is a hole: make it whole first.", "note");
    if (tool === "end" && closed && start === null) return void this.say("A closed tour has an end only if it has a start: set a start first.", "note");
    if (tool === "end") return void this.change({ end: end === name ? null : name });
    this.change({ start: name });
    return void this.play();
  }

  /** Make a hole, or a square whole again. */
  toggleHole(name) {
    const { holes, space } = this.setting;
    if (space) return void this.say("Only boards have holes.", "note");
    if (holes.includes(name)) return void this.change({ holes: holes.filter((other) => other !== name) });
    if (this.plan.order > 1) this.change({ holes: [...holes, name] });
  }
}

globalThis.watch = new Page();
