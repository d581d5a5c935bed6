// What is on screen, to keep or to share: SVG, PNG and GIF as the command line draws them, its tour file, print, and links.

import { DEFAULTS, problemSetting, toHash } from "./setting.js";

/** The walk on the board; of a puzzle, as far as its numbers are known from 1. */
function pathOf(page) {
  const { path = [] } = page.search.scene(), gap = path.indexOf(null);
  return gap < 0 ? path : path.slice(0, gap);
}

/** The links to what there is now: each opens just this walk, puzzle or proof; `all` opens all of it. */
export function linksOf(page) {
  const { setting, plan, proof } = page, path = pathOf(page), here = location.origin + location.pathname;
  const link = (play, more) => here + toHash({ ...DEFAULTS, ...problemSetting({ ...setting, play }), play }, more);
  return {
    walk: path.length && !(setting.play && setting.givens.length) && link(true, { walk: path.map((place) => plan.names[place]).join("-") }),
    puzzle: setting.play && setting.givens.length && link(true),
    proof: Boolean(proof.certificate) && link(false, { proof: 1 }),
    all: here + page.address,
  };
}

/** Export in a form; the promise is of a sentence on what was done. */
export async function exportAs(page, form) {
  const link = linksOf(page)[form];
  if (link) return navigator.clipboard?.writeText(link).then(() => "The link is copied.", () => `Copy it: ${link}`) ?? `Copy it: ${link}`;
  if (form === "print") return void window.print();
  const { rows, cols, space } = page.setting, name = `tour-${space ? space.replace(/[^\w]+/g, "-").replace(/-$/, "") : `${rows}x${cols}`}`;
  const drawn = await drawing(page, form === "png" ? "svg" : form);
  return save(form === "png" ? await pngOf(drawn) : drawn, `${name}.${form}`);
}

function save(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  return `${name}, ${Math.max(1, Math.round(blob.size / 1024))} kB`;
}

/** The walk on the board, or the proof on the empty board, as the server draws or writes it. */
async function drawing(page, form) {
  const path = pathOf(page), proof = !path.length && Boolean(page.proof.certificate) && form === "svg";
  if (!path.length && !proof) throw new Error(`There is no walk on the ${page.setting.space ? "graph" : "board"} yet: search first, or play.`);
  const about = { setting: problemSetting(page.setting), form, path, proof };
  const { type, data } = await new Promise((hear, refuse) => page.link.question("export", about, hear, (reason) => refuse(new Error(reason))));
  return new Blob([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], { type });
}

async function pngOf(svg) {
  const picture = new Image(), address = URL.createObjectURL(svg);
  picture.src = address;
  await picture.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * picture.width, height: 2 * picture.height });
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(address);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}
