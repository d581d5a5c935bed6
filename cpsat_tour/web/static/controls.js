// Buttons, fields and keys: what each of them asks of the page; and light or dark.

import { exportAs, linksOf } from "./exports.js";
import { nextPlace } from "./plan.js";
import { DEFAULTS, MAX_SIDE, PRUNINGS, SPEEDS, readLeaper } from "./setting.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const $ = (id) => document.getElementById(id);

/** Make every control work on this page. */
export function listen(page) {
  $("play").addEventListener("click", () => page.play());
  $("back").addEventListener("click", () => page.goTo(page.at - 1));
  $("forward").addEventListener("click", () => page.step());
  $("clear").addEventListener("click", () => (page.length || page.searching ? (page.clear(), page.write()) : page.change({ start: null, end: null, holes: [] })));
  for (const [id, act] of Object.entries({ undo: "undo", hint: "hint", rest: "showRest", anew: "again", "go-back": "back" })) $(id).addEventListener("click", () => page.walk[act]());
  $("puzzle").addEventListener("click", () => page.walk.puzzle());
  $("no-puzzle").addEventListener("click", () => page.change({ givens: [] }));
  for (const [id, ahead] of [["lower", -1], ["higher", 1]]) $(id).addEventListener("click", () => page.walk.turn(ahead));
  $("next").addEventListener("change", ({ target }) => page.walk.choose(Math.round(Number(target.value))));
  $("pencil").addEventListener("click", () => page.walk.takePencil());
  $("tell").addEventListener("change", (event) => { page.walk.judges = event.target.checked; page.paint(); });
  $("timeline").addEventListener("input", (event) => page.goTo(Number(event.target.value)));
  $("speed").addEventListener("input", (event) => page.change({ speed: Number(event.target.value), animate: true }, { keep: true }));
  $("animate").addEventListener("change", (event) => page.change({ animate: event.target.checked }, { keep: true }));
  $("panel").addEventListener("submit", (event) => event.preventDefault());
  $("panel").addEventListener("input", ({ target }) => { page.typing = target.id; });
  for (const done of ["change", "focusout"]) $("panel").addEventListener(done, () => { page.typing = null; });
  $("panel").addEventListener("change", ({ target }) => target.id in CHANGES && page.change(CHANGES[target.id](target)));
  $("file").addEventListener("change", ({ target }) => { page.open(target.files[0]); target.value = ""; });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => { event.preventDefault(); page.open(event.dataTransfer.files[0]); });
  $("prune").addEventListener("change", () => page.change({ prune: chosenPrunings() }));
  const exports = [...document.querySelectorAll("[data-export]")];
  $("export").addEventListener("beforetoggle", () => { for (const { dataset, classList } of exports) classList.toggle("absent", !(linksOf(page)[dataset.export] ?? true)); });
  for (const button of exports)
    button.addEventListener("click", () => exportAs(page, button.dataset.export).then((words) => ($("exported").textContent = words), (fault) => ($("exported").textContent = fault.message)));
  document.addEventListener("keydown", (event) => key(page, event));
  addEventListener("hashchange", () => page.follow());
  $("theme").value = localStorage.getItem("theme") ?? "auto";
  showTheme();
  $("theme").addEventListener("change", (event) => { localStorage.setItem("theme", event.target.value); showTheme(); });
  dark.addEventListener("change", showTheme);
  addEventListener("pagehide", () => { page.link.close(); });
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
}

/** What a control changes in the setting, by its id. */
const CHANGES = {
  watching: () => ({ play: false }), playing: () => ({ play: true }), closed: () => ({ closed: true }), open: () => ({ closed: false }),
  space: ({ value }) => ({ space: value.trim().slice(0, 80) }), rows: readSide, cols: readSide, leaper: ({ value }) => (readLeaper(value) ? { leaper: readLeaper(value) } : {}),
  seed: ({ value }) => ({ seed: Math.min(2 ** 31 - 1, Math.max(0, Math.round(Number(value)) || 0)) }),
  order: readName, symmetry: readName, backend: readName, backtrack: readCheckbox,
};

function readSide({ id, value }) { return { space: "", [id]: Math.min(MAX_SIDE, Math.max(1, Math.round(Number(value)) || DEFAULTS[id])) }; }
/** The prunings that are ticked, by the word for them if there is one. */
function chosenPrunings() {
  const chosen = [...$("prune").querySelectorAll(":checked")].map(({ value }) => value);
  const called = Object.keys(PRUNINGS).find((word) => PRUNINGS[word].length === chosen.length && PRUNINGS[word].every((name) => chosen.includes(name)));
  return called ?? chosen.join(",");
}

function readName({ id, value }) { return { [id]: value.trim().slice(0, 80) || DEFAULTS[id] }; }
function readCheckbox({ id, checked: on }) { return { [id]: on }; }

function key(page, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input:not([type=checkbox]):not([type=radio]), select, textarea, pre")) return;
  const { svg, board } = page.search, arrow = event.key.startsWith("Arrow");
  // Who plays may press the board's keys before it has the focus; while a search is shown, arrows go through that.
  const meansBoard = svg.contains(event.target) || (arrow ? page.setting.play && !event.target.matches("input") : event.target === document.body);
  if (meansBoard && boardKey(page, event, board)) return void (event.preventDefault(), svg.focus());
  const walk = page.setting.play && { u: "undo", Backspace: "undo", i: "hint", r: "showRest", p: "takePencil" }[event.key];
  if (page.setting.play && page.walk.turn && "+-".includes(event.key)) return void page.walk.turn(event.key === "+" ? 1 : -1);
  if (walk && page.walk[walk]) return void (event.preventDefault(), page.walk[walk]());
  if (page.setting.play) return undefined;
  const act = {
    " ": () => page.play(), ArrowLeft: () => page.goTo(page.at - 1), ArrowRight: () => page.step(), Home: () => page.goTo(0), End: () => page.goTo(page.length),
    "+": () => page.change({ speed: Math.min(SPEEDS.length - 1, page.setting.speed + 1), animate: true }, { keep: true }),
    "-": () => page.change({ speed: Math.max(0, page.setting.speed - 1), animate: true }, { keep: true }),
    c: () => $("clear").click(),
  }[event.key];
  if (!act || (event.key === " " && event.target.matches("button, input, summary")) || (arrow && event.target.matches("input"))) return undefined;
  event.preventDefault();
  return act();
}

function boardKey(page, event, board) {
  const ahead = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (ahead) {
    const to = nextPlace(page.plan, board.cursor, ahead);
    if (to >= 0) board.moveCursor(to);
    return true;
  }
  const tool = { Enter: "start", e: "end", h: "hole" }[event.key];
  if (tool) page.use(board.cursor, tool);
  return Boolean(tool);
}

/** Light or dark, as chosen here or in the system. */
function showTheme() {
  const chosen = $("theme").value;
  document.documentElement.dataset.theme = chosen !== "auto" ? chosen : dark.matches ? "dark" : "light";
}
