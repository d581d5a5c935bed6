// Why there is no tour: what is known of the board, the certificate on its squares, and the rows of its sum as they add up.

import { question } from "./setting.js";
import { counted, parts } from "./words.js";

const $ = (id) => document.getElementById(id);
const STEP_MS = 600;

export class Proof {
  constructor(page) {
    this.page = page;
    $("sum-play").addEventListener("click", () => this.toggle());
    $("sum-back").addEventListener("click", () => this.go((this.rows ?? this.most) - 1));
    $("sum-on").addEventListener("click", () => this.go((this.rows ?? -1) + 1));
    $("sum-at").addEventListener("input", (event) => this.go(Number(event.target.value)));
    this.clear();
  }

  get most() { return this.certificate?.rows.length ?? 0; }

  /** The question is another one. */
  clear() {
    this.judgement = this.certificate = this.rows = null;
    this.asked = false;
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
    this.rows = null;
    this.stop();
    this.show();
  }

  /** The certificate on the empty board and after the last event, never over a search. */
  show() {
    const { page, certificate } = this, { play } = page.setting;
    const resting = !page.playing && (!page.length || page.ended), found = page.lanes.some(({ log }) => log?.end?.event === "tour_found");
    this.showSize();
    // What was said of the board before stays until the new one is judged, so that nothing moves under a click that changes the setting.
    if (this.judgement || certificate || found || play) $("why").hidden = !certificate || found || play;
    if (certificate) this.showWords();
    for (const { board } of page.lanes) board.prove(certificate && resting && !found && !play ? certificate : null, this.rows);
    if (!page.length && this.judgement?.reason && !page.searching && !page.fault && !play) page.say(certificate?.asked ?? this.judgement.reason, "none");
  }

  showSize() {
    const { page, judgement, certificate } = this, size = $("size");
    const none = judgement?.reason ? `: no ${page.setting.closed ? "closed" : "open"} tour. ${certificate ? "" : judgement.reason}` : "";
    const words = page.waits ? "" : counted(page.plan.order, page.plan) + none;
    if (size.textContent !== words) size.textContent = words;
    size.classList.toggle("impossible", Boolean(none));
    document.body.dataset.none = Boolean(none && !page.length);
  }

  showWords() {
    const { certificate, judgement } = this;
    $("why").dataset.parts = parts(certificate);
    if ($("why-words").textContent === certificate.words) return;
    $("why-sentence").textContent = certificate.sentence;
    $("why-theorem").textContent = judgement?.theorem ?? "";
    $("why-words").textContent = certificate.words;
  }

  // --- the sum ---

  toggle() {
    if (this.timer) return void this.stop();
    if (this.rows === null || this.rows >= this.most) this.go(0);
    this.timer = setInterval(() => (this.rows >= this.most ? this.stop() : this.go(this.rows + 1, true)), STEP_MS);
    return void this.fill();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    this.fill();
  }

  go(rows, going = false) {
    if (!going) this.stop();
    this.rows = Math.max(0, Math.min(this.most, rows));
    this.fill();
    this.show();
  }

  fill() {
    const { rows, most, certificate } = this;
    $("sum").hidden = !most;
    $("sum-play").textContent = this.timer ? "Pause" : "Add the rows up";
    $("sum-at").max = most;
    $("sum-at").value = rows ?? most;
    const at = rows ?? most, row = at ? certificate?.rows[at - 1] : null, edges = row?.edges.length ?? 0;
    $("sum-row").textContent = rows === null ? `All ${most} rows together:` : row ? `${at}. ${row.words}` : "Nothing is added yet.";
    const cancelled = row && `Every edge cancels, and what is left says 0 ≥ ${signed(row.right)}: impossible.`;
    $("sum-says").textContent = edges ? `So far: ${edges} edges, added with their signs, are at least ${signed(row.right)}.` : (cancelled ?? "");
  }
}

const signed = (number) => number.replace("-", "−");
