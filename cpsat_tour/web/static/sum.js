// The rows of a proof as they add up, one after the other, beside the board and on it.

const $ = (id) => document.getElementById(id);
const STEP_MS = 600;

export class Sum {
  /** `page` has the certificate, and paints the board with the first `rows` rows. */
  constructor(page) {
    this.page = page;
    this.rows = null;
    $("sum-play").addEventListener("click", () => this.toggle());
    $("sum-back").addEventListener("click", () => this.go((this.rows ?? this.most) - 1));
    $("sum-on").addEventListener("click", () => this.go((this.rows ?? -1) + 1));
    $("sum-at").addEventListener("input", (event) => this.go(Number(event.target.value)));
  }

  get most() { return this.page.certificate?.rows.length ?? 0; }

  /** Another certificate, or none. */
  reset() {
    this.stop();
    this.rows = null;
    this.fill();
  }

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
    this.page.showProof();
  }

  fill() {
    const { rows, most } = this, certificate = this.page.certificate;
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
