// Mouse, pen and touch on a board: a click on a square, and dragging the right or bottom border to resize.

import { MOST_SIDE, tidied } from "./setting.js";

const tag = document.getElementById("tag");

export function handlePointer(page, lane) {
  const { svg, board, frame } = lane;
  let drag = null;

  // Handles of HTML: browsers don't heed touch-action on what is inside an SVG.
  for (const side of ["right", "bottom"]) frame.append(Object.assign(document.createElement("div"), { className: `grip ${side}` }));
  for (const grip of frame.querySelectorAll(".grip")) {
    grip.setAttribute("aria-hidden", "true");
    grip.addEventListener("pointerdown", (event) => begin(event, grip));
    grip.addEventListener("pointermove", (event) => { if (drag) follow(event); });
    grip.addEventListener("pointerup", () => drop(true));
    grip.addEventListener("pointercancel", () => drop(false));
  }

  const begin = (event, grip) => {
    if (event.button !== 0) return;
    event.preventDefault();
    drag = { side: grip.classList.contains("right") ? "right" : "bottom", rows: board.rows, cols: board.cols, impossible: false };
    grip.setPointerCapture(event.pointerId);
    const { x, y } = board.units(event);
    drag.beyond = drag.side === "right" ? x - 100 * board.cols : y - 100 * board.rows;
    page.dragged = (judgement) => {
      if (!drag || judgement.of.rows !== drag.rows || judgement.of.cols !== drag.cols) return;
      drag.impossible = judgement.impossible;
      drag.reason = judgement.reason;
      show(event);
    };
    follow(event);
  };

  const show = () => {
    board.wishFor(drag.rows, drag.cols, drag.impossible);
    tag.hidden = false;
    tag.classList.toggle("impossible", drag.impossible);
    tag.textContent = `${drag.rows} × ${drag.cols} · ${drag.rows * drag.cols} squares`;
    if (drag.impossible) tag.append(Object.assign(document.createElement("small"), { textContent: drag.reason }));
    tag.style.left = `${Math.max(8, Math.min(innerWidth - tag.offsetWidth - 8, drag.x + 16))}px`;
    tag.style.top = `${Math.max(8, Math.min(innerHeight - tag.offsetHeight - 8, drag.y + 16))}px`;
  };

  const follow = (event) => {
    const { x, y } = board.units(event);
    Object.assign(drag, { x: event.clientX, y: event.clientY });
    const side = (length) => Math.max(1, Math.min(MOST_SIDE, Math.round(length / 100)));
    const { rows, cols } = drag;
    if (drag.side === "right") drag.cols = side(x - drag.beyond);
    else drag.rows = side(y - drag.beyond);
    if (drag.rows !== rows || drag.cols !== cols || !drag.asked) {
      drag.asked = true;
      page.ask(tidied({ ...page.setting, rows: drag.rows, cols: drag.cols }));
    }
    show();
  };

  const drop = (keep) => {
    if (!drag) return;
    const { rows, cols } = drag;
    drag = page.dragged = null;
    tag.hidden = true;
    board.wishFor(0, 0, false);
    if (keep && (rows !== board.rows || cols !== board.cols)) page.change({ rows, cols });
  };
  addEventListener("keydown", (event) => { if (event.key === "Escape") drop(false); });

  svg.addEventListener("click", (event) => {
    const square = board.under(event);
    if (square === null) return;
    board.moveCursor(square);
    const chosen = document.querySelector("input[name=tool]:checked").value;
    page.use(square, event.altKey || event.ctrlKey || event.metaKey ? "hole" : event.shiftKey ? "end" : chosen);
  });
}
