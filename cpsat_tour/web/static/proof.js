// Why there is no tour: what is known of the board, and the certificate on its squares.

import { problemSetting } from "./setting.js";
import { counted, legendParts } from "./words.js";

const $ = (id) => document.getElementById(id);

export class Proof {
  constructor(page) {
    this.page = page;
    this.clear();
  }

  /** Forget the certificate, as the question is another one. */
  clear() {
    this.judgement = this.certificate = null;
    this.asked = false;
  }

  /** Ask what is known of the board without a search. */
  judge() {
    const { page } = this;
    if (page.waits) return;
    page.link.question("judge", { setting: problemSetting(page.setting) }, (judgement) => {
      this.judgement = judgement;
      this.show();
      if (judgement.reason && !page.setting.play) this.ask();
    });
  }

  /** Ask for the certificate, once for each question; `aloud` says so, and says if there is none. */
  ask(aloud = false) {
    const { search } = this.page;
    if (this.asked || this.certificate || search.searching || search.state === "broken") return;
    Object.assign(this, { asked: true, aloud });
    if (aloud) this.page.say("A proof is looked for …");
    search.prove();
  }

  /** Hear how a proof has ended: with the certificate, or with the answer or refusal instead. */
  heard(last) {
    if (last.event === "certificate") this.certificate = last;
    if (this.aloud) this.page.say(last.asked ?? last.reason ?? (last.status === "tour" ? "There is a tour, so there is nothing to prove." : "No proof is found in time."), "none");
    this.show();
  }

  /** Show what is known of the board, and the certificate on the empty board and after the last event, never over a search. */
  show() {
    const { page, judgement, certificate } = this, { play, closed } = page.setting;
    const resting = !page.playing && (!page.length || page.ended), found = page.search.outcome === "found";
    const none = judgement?.reason ? `: no ${closed ? "closed" : "open"} tour. ${certificate ? "" : judgement.reason}` : "";
    write("size", page.waits ? "" : counted(page.plan.order, page.plan) + none);
    $("size").classList.toggle("impossible", Boolean(none));
    document.body.dataset.none = Boolean(none && !page.length);
    // What was said of the board before stays until the new one is judged, so that nothing moves under a click that changes the setting.
    if (judgement || certificate || found || play) $("why").hidden = !certificate || found || play;
    if (certificate) {
      $("why").dataset.parts = legendParts(certificate);
      write("why-sentence", certificate.sentence);
      write("why-theorem", judgement?.theorem ?? "");
      write("why-words", certificate.words);
    }
    page.search.board.prove(certificate && resting && !found && !play ? certificate : null);
    if (!page.length && (certificate || judgement?.reason) && !page.searching && !page.fault && !play) page.say(certificate?.asked ?? judgement.reason, "none");
  }
}

/** Write words where they differ, so that screen readers hear what changes. */
function write(id, words) {
  if ($(id).textContent !== words) $(id).textContent = words;
}
