// Mouse, pen and touch on a board: a click on a square, and dragging the right or bottom border to resize.

import { MAX_SIDE, problemSetting, tidied } from "./setting.js";

const tag = document.getElementById("tag");

export function handlePointer(page, search) {
  const { svg, board, frame } = search;
  let drag = null;

  const begin = (event, grip) => {
    if (event.button !== 0 || page.waits) return;
    event.preventDefault();
    const { rows, cols } = page.setting, right = grip.classList.contains("right"), { x, y } = board.units(event);
    drag = { right, rows, cols, beyond: right ? x - 100 * cols : y - 100 * rows, reason: null };
    clearTimeout(page.settling); // else its question may take the place of one of the sizes dragged over
    grip.setPointerCapture(event.pointerId);
    addEventListener("keydown", escape);
    follow(event);
  };

  const show = () => {
    board.outlineSize(drag.rows, drag.cols, drag.reason);
    tag.hidden = false;
    tag.classList.toggle("impossible", Boolean(drag.reason));
    tag.textContent = `${drag.rows} × ${drag.cols} · ${drag.rows * drag.cols} squares`;
    if (drag.reason) tag.append(Object.assign(document.createElement("small"), { textContent: drag.reason }));
  };

  const follow = (event) => {
    const { x, y } = board.units(event), { rows, cols } = drag;
    drag[drag.right ? "cols" : "rows"] = Math.max(1, Math.min(MAX_SIDE, Math.round(((drag.right ? x : y) - drag.beyond) / 100)));
    if (drag.rows !== rows || drag.cols !== cols) {
      const wanted = tidied({ ...page.setting, rows: drag.rows, cols: drag.cols });
      page.link.question("judge", { setting: problemSetting(wanted) }, ({ reason }) => { if (drag) { drag.reason = reason; show(); } });
    }
    show();
  };

  const drop = (keep) => {
    if (!drag) return;
    const { rows, cols } = drag;
    drag = null;
    removeEventListener("keydown", escape);
    page.link.forget("judge");
    tag.hidden = true;
    board.outlineSize(0, 0, false);
    if (keep && (rows !== page.setting.rows || cols !== page.setting.cols)) page.change({ rows, cols });
    else page.proof.judge();
  };

  const escape = (event) => { if (event.key === "Escape") drop(false); };

  // Handles of HTML: browsers don't heed touch-action on what is inside an SVG.
  for (const side of ["right", "bottom"]) {
    const grip = Object.assign(document.createElement("div"), { className: `grip ${side}` });
    grip.setAttribute("aria-hidden", "true");
    grip.addEventListener("pointerdown", (event) => begin(event, grip));
    grip.addEventListener("pointermove", (event) => { if (drag) follow(event); });
    grip.addEventListener("pointerup", () => drop(true));
    grip.addEventListener("pointercancel", () => drop(false));
    frame.append(grip);
  }

  svg.addEventListener("click", (event) => {
    const square = board.placeUnder(event);
    if (square === null) return;
    board.moveCursor(square);
    const chosen = document.querySelector("input[name=tool]:checked").value;
    page.use(square, event.altKey || event.ctrlKey || event.metaKey ? "hole" : event.shiftKey ? "end" : chosen);
  });
}
