// What is on screen, to take away: SVG, PNG, GIF, JSON, print, and the link.

import { make } from "./ink.js";
import { question, toHash } from "./setting.js";

/** What is painted, and how where nothing is said. */
const PAINT = {
  fill: "rgb(0, 0, 0)", "fill-opacity": "1", stroke: "none", "stroke-width": "1px", "stroke-opacity": "1", "stroke-dasharray": "none", "stroke-linecap": "butt",
  "stroke-linejoin": "miter", "paint-order": "normal", visibility: "visible", opacity: "1",
};
const LEFT_OUT = ".wish, .mark-square, .gone, .under, [visibility=hidden]";
const PIXELS = 64, GAP = 60;

/** Export in a form; the promise is of a sentence on what was done. */
export async function takeAway(page, form) {
  const { rows, cols, space } = page.setting, name = `tour-${space ? space.replace(/[^\w]+/g, "-").replace(/-$/, "") : `${rows}x${cols}`}`;
  switch (form) {
    case "svg": return save(new Blob([await drawing(page)], { type: "image/svg+xml" }), `${name}.svg`);
    case "png": return save(await pngOf(await drawing(page)), `${name}.png`);
    case "gif": return save(await gifOf(page), `${name}.gif`);
    case "json": return save(new Blob([`${JSON.stringify(dataOf(page), null, 1)}\n`], { type: "application/json" }), `${name}.json`);
    case "print": window.print(); return "";
    default:
      try {
        await navigator.clipboard.writeText(link(page));
        return "The link is copied; it holds all that is here.";
      } catch {
        return `Copy it: ${link(page)}`;
      }
  }
}

function save(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  return `${name}, ${Math.max(1, Math.round(blob.size / 1024))} kB`;
}

/** The address of what is on screen; it holds the whole setting and, of a walk, its squares. */
function link(page) {
  const walk = page.setting.play && page.walk.length ? `&walk=${page.walk.text}` : "";
  return location.origin + location.pathname + toHash(page.setting) + walk;
}

/** What is on screen as the command line draws it; two boards, and cycles, as they stand here. */
async function drawing(page) {
  const [lane] = page.lanes, path = pathOf(lane), proof = lane.board.shownProof !== null && !path.length;
  if (page.lanes.length > 1 || (!path.length && !proof)) return svgText(page);
  return (await asked("tour.svg", { setting: question(page.setting), path, proof })).text();
}

async function asked(where, what) {
  const answer = await fetch(where, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(what) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

/** The boards on screen as one drawing that needs no style sheet. */
function svgText(page) {
  const whole = make("svg");
  let width = 0, height = 0;
  for (const { svg } of page.lanes) {
    const copy = painted(svg);
    const [, , wide, high] = svg.getAttribute("viewBox").split(" ").map(Number);
    for (const [key, value] of Object.entries({ x: width, y: 0, width: wide, height: high })) copy.setAttribute(key, value);
    width += wide + GAP;
    height = Math.max(height, high);
    whole.append(copy);
  }
  width -= GAP;
  const ground = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim();
  whole.prepend(make("rect", { width, height, fill: ground }));
  whole.setAttribute("viewBox", `0 0 ${width} ${height}`);
  whole.setAttribute("width", Math.round((width * PIXELS) / 100));
  whole.setAttribute("height", Math.round((height * PIXELS) / 100));
  return new XMLSerializer().serializeToString(whole);
}

function painted(svg) {
  const copy = svg.cloneNode(true);
  for (const element of copy.querySelectorAll(LEFT_OUT)) element.remove();
  const originals = [...svg.querySelectorAll("*")].filter((element) => !element.matches(LEFT_OUT)), copies = [...copy.querySelectorAll("*")];
  copies.forEach((element, place) => {
    for (const left of ["style", "class", "id", "role", "aria-label", "aria-hidden"]) element.removeAttribute(left);
    if (["g", "title"].includes(element.localName)) return;
    const style = getComputedStyle(originals[place]);
    for (const [property, plain] of Object.entries(PAINT)) {
      const value = style.getPropertyValue(property);
      if (value !== plain) element.setAttribute(property, value);
      else element.removeAttribute(property);
    }
    const { transform } = originals[place].style;
    if (transform) element.setAttribute("transform", transform.replaceAll("px", ""));
  });
  for (const left of ["id", "tabindex", "role", "aria-activedescendant", "class"]) copy.removeAttribute(left);
  return copy;
}

async function pngOf(text) {
  const picture = new Image();
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  picture.src = address;
  await picture.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * picture.width, height: 2 * picture.height });
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

async function gifOf(page) {
  const path = pathOf(page.lanes[0]);
  if (!path.length) throw new Error("There is no walk on the board yet: search first.");
  return (await asked("tour.gif", { setting: question(page.setting), path })).blob();
}

const pathOf = (lane) => (lane.scene().path ?? []).map((place) => lane.board.plan.vertexOf[place]);

function dataOf(page) {
  return {
    link: link(page),
    setting: page.setting,
    searches: page.lanes.map((lane) => ({
      search: lane.name,
      event: lane.cursor?.at ?? 0,
      events: lane.length,
      path: (lane.scene().path ?? []).map((place) => lane.board.name(place)),
      positions: lane.cursor?.positions ?? 0,
      backtracks: lane.cursor?.backtracks ?? 0,
      end: lane.log?.end ?? null,
    })),
    certificate: page.certificate,
  };
}
