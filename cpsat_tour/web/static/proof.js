// Why there is no tour: what is known of the board, the certificate on its squares, and the rows of its sum as they add up.

import { question } from "./setting.js";
import { counted, parts } from "./words.js";

const $ = (id) => document.getElementById(id);
const STEP_MS = 600;

export class Proof {
  constructor(page) {
    this.page = page;
    $("sum-play").addEventListener("click", () => this.toggle());
    $("sum-back").addEventListener("click", () => this.go(this.rows - 1));
    $("sum-on").addEventListener("click", () => this.go(this.rows + 1));
    $("sum-at").addEventListener("input", (event) => this.go(Number(event.target.value)));
    this.clear();
  }

  get most() { return this.certificate?.rows.length ?? 0; }

  /** The question is another one. */
  clear() {
    this.judgement = this.certificate = null;
    this.asked = false;
    this.rows = 0;
    this.stop();
  }

  /** Ask what is known of the board without a search. */
  judge() {
    const { page } = this;
    page.link.question("judge", { setting: question(page.setting) }, (judgement) => {
      this.judgement = judgement;
      this.show();
      if (judgement.reason && !page.setting.play) this.ask();
    });
  }

  /** Ask for the certificate, once for each question. */
  ask() {
    const [lane] = this.page.lanes;
    if (this.asked || this.certificate || this.page.searching || lane.state === "broken") return;
    this.asked = true;
    lane.prove();
  }

  proved(certificate) {
    this.certificate = certificate;
    this.go(this.most);
  }

  /** The certificate on the empty board and after the last event, never over a search. */
  show() {
    const { page, certificate } = this, { play } = page.setting;
    const resting = !page.playing && (!page.length || page.ended), found = page.lanes.some(({ outcome }) => outcome === "found");
    this.showSize();
    // What was said of the board before stays until the new one is judged, so that nothing moves under a click that changes the setting.
    if (this.judgement || certificate || found || play) $("why").hidden = !certificate || found || play;
    if (certificate) {
      $("why").dataset.parts = parts(certificate);
      write("why-sentence", certificate.sentence);
      write("why-theorem", this.judgement?.theorem ?? "");
      write("why-words", certificate.words);
    }
    for (const { board } of page.lanes) board.prove(certificate && resting && !found && !play ? certificate : null, this.rows);
    if (!page.length && this.judgement?.reason && !page.searching && !page.fault && !play) page.say(certificate?.asked ?? this.judgement.reason, "none");
  }

  showSize() {
    const { page, judgement, certificate } = this;
    const none = judgement?.reason ? `: no ${page.setting.closed ? "closed" : "open"} tour. ${certificate ? "" : judgement.reason}` : "";
    write("size", page.waits ? "" : counted(page.plan.order, page.plan) + none);
    $("size").classList.toggle("impossible", Boolean(none));
    document.body.dataset.none = Boolean(none && !page.length);
  }

  // --- the sum ---

  toggle() {
    if (this.timer) return void this.stop();
    if (this.rows >= this.most) this.go(0);
    this.timer = setInterval(() => (this.rows < this.most ? this.add(this.rows + 1) : this.stop()), STEP_MS);
    return void this.fill();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.fill();
  }

  /** Show the first rows of the sum, and add no more by itself. */
  go(rows) {
    this.stop();
    this.add(rows);
  }

  add(rows) {
    this.rows = Math.max(0, Math.min(this.most, rows));
    this.fill();
    this.show();
  }

  fill() {
    const { rows, most, certificate } = this, row = certificate?.rows[rows - 1];
    $("sum").hidden = !most;
    $("sum-play").textContent = this.timer ? "Pause" : "Add the rows up";
    $("sum-at").max = most;
    $("sum-at").value = rows;
    $("sum-row").textContent = row ? `${rows}. ${row.words}` : "Nothing is added yet.";
    if (!row) $("sum-says").textContent = "";
    else if (row.edges.length) $("sum-says").textContent = `So far: ${row.edges.length} edges, added with their signs, are at least ${signed(row.right)}.`;
    else $("sum-says").textContent = `Every edge cancels, and what is left says 0 ≥ ${signed(row.right)}: impossible.`;
  }
}

/** Write words where they differ, so that screen readers hear what changes. */
function write(id, words) {
  if ($(id).textContent !== words) $(id).textContent = words;
}

const signed = (number) => number.replace("-", "−");
