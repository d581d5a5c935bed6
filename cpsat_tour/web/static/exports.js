// What is on screen, to keep: SVG, PNG and GIF as the command line draws them, its tour file, print, and the link.

import { problemSetting, toHash } from "./setting.js";

/** Export in a form; the promise is of a sentence on what was done. */
export async function exportAs(page, form) {
  const { rows, cols, space } = page.setting, name = `tour-${space ? space.replace(/[^\w]+/g, "-").replace(/-$/, "") : `${rows}x${cols}`}`;
  switch (form) {
    case "svg": case "gif": case "json": return save(await fetchDrawing(page, `tour.${form}`), `${name}.${form}`);
    case "png": return save(await pngOf(await fetchDrawing(page, "tour.svg")), `${name}.png`);
    case "print": window.print(); return "";
    default:
      try {
        await navigator.clipboard.writeText(addressOf(page));
        return "The link is copied; it holds all that is here.";
      } catch {
        return `Copy it: ${addressOf(page)}`;
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
function addressOf(page) {
  const walk = page.setting.play && page.walk.length ? `&walk=${page.walk.text}` : "";
  return location.origin + location.pathname + toHash(page.setting) + walk;
}

/** The walk on the board, of a race the winner's, or the proof on the empty board, as the server draws or writes it. */
async function fetchDrawing(page, form) {
  const path = page.foremost.scene().path ?? [], proof = !path.length && Boolean(page.proof.certificate) && form === "tour.svg";
  if (!path.length && !proof) throw new Error(`There is no walk on the ${page.setting.space ? "graph" : "board"} yet: search first, or play.`);
  const body = JSON.stringify({ setting: problemSetting(page.setting), path, proof });
  const answer = await fetch(form, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.blob();
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
