// Playing and scrubbing: which event of the search is shown, and how many are asked for.

import { SPEEDS } from "./setting.js";

const LONGEST_FRAME = 250;

export class Playback {
  at = 0;
  playing = false;
  target = 0;

  get speed() { return this.setting.animate ? SPEEDS[this.setting.speed] : Infinity; }
  get length() { return this.search.length; }
  get searching() { return this.search.searching; }
  get over() { return this.search.over; }
  /** Whether the last event is shown. */
  get ended() { return this.over && this.at >= this.length; }

  play() {
    if (this.playing) return void this.goTo(this.at);
    if (this.setting.play) return;
    if (this.waits) return void (this.go = true);
    this.target = 0;
    if (this.ended || !(this.length || this.searching)) {
      this.at = 0;
      this.search.begin();
      this.proof.asked = false;
      this.begun = performance.now();
      document.getElementById("log").textContent = "";
      this.say("");
    }
    this.playing = true;
    this.then = performance.now();
    this.budget = 0;
    this.buttons();
    this.proof.show();
    this.wake();
  }

  /** Search up to this event, and stay there. */
  reach(event) {
    this.stepping = false;
    this.search.begin();
    this.link.more(event);
    this.target = event;
  }

  /** The search has more events. */
  changed() {
    if (this.search.log.end?.event === "refused") this.goTo(this.length);
    else if (this.target && (this.over || this.length >= this.target)) this.goTo(this.target);
    else if (this.stepping) this.goTo(this.at + 1);
    else this.wake();
  }

  wake() {
    if (!this.frame) this.frame = requestAnimationFrame((now) => { this.frame = 0; this.tick(now); });
  }

  /** A frame: the search goes on as fast as it is to be shown. */
  tick(now) {
    if (this.playing) this.playFrame(now);
    this.paint(this.setting.animate || !this.playing);
    if (this.playing) this.wake();
  }

  playFrame(now) {
    const { speed } = this;
    // The time of a frame may lie before the click that began it.
    this.advance(speed, Math.max(0, Math.min(LONGEST_FRAME, now - this.then)) / 1000);
    this.then = now;
    this.search.feed(speed, speed === Infinity ? this.length : this.at);
    if (this.ended) this.goTo(this.at);
    else if (this.search.full && this.at >= this.length) {
      this.goTo(this.at);
      this.say(`${this.length.toLocaleString("en")} events are kept, and more would not fit: clear and search again.`, "note");
    }
  }

  advance(speed, seconds) {
    if (speed === Infinity) return void (this.at = this.length);
    this.budget += speed * seconds;
    const due = Math.floor(this.budget);
    const next = Math.min(this.at + due, Math.max(this.length, this.at));
    // What could not be shown, because it had not come, is not made up for.
    this.budget = next < this.at + due ? 0 : this.budget - due;
    this.at = next;
  }

  goTo(at) {
    this.playing = this.wasPlaying = this.stepping = false;
    this.target = 0;
    this.at = Math.max(0, Math.min(at, this.length));
    this.rest();
  }

  /** One event on, which may have to be searched for first. */
  step() {
    this.playing = false;
    if (this.waits || this.setting.play) return;
    if (this.at < this.length) return void this.goTo(this.at + 1);
    const begun = this.length || this.searching;
    if (!begun) this.search.begin();
    if (!this.over) {
      this.stepping = true;
      if (begun) this.search.askForOne();
      else this.link.more(1);
    }
    this.buttons();
  }

  /** Paint the place where the search rests, and tell screen readers of it. */
  rest() {
    this.paint();
    this.search.board.describeSquares();
    this.write();
    if (this.ended && this.search.outcome === "none") this.proof.ask();
  }
}
