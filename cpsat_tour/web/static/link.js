// One WebSocket to the server: asks for a search and then for so many of its events. Reconnects by itself.

const FIRST_WAIT = 400;
const LONGEST_WAIT = 4000;

export class Link {
  /** `on` has the functions lines(array of objects), judgement(object), plan(object), walk(object), puzzle(object), refused(reason, to), lost() and found(). */
  constructor(path, on) {
    this.on = on;
    this.url = new URL(path, location.href);
    this.url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.url.hash = "";
    this.wait = FIRST_WAIT;
    this.waiting = [];
    this.answersDue = 0;
    this.outstanding = 0;
    this.lost = false;
    this.connect();
  }

  connect() {
    this.socket = new WebSocket(this.url);
    this.socket.addEventListener("open", () => {
      this.wait = FIRST_WAIT;
      for (const text of this.waiting.splice(0)) this.socket.send(text);
      if (this.lost) this.on.found();
      this.lost = false;
    });
    this.socket.addEventListener("message", (message) => this.receive(message.data));
    this.socket.addEventListener("close", () => {
      this.answersDue = this.outstanding = 0;
      this.waiting = [];
      if (this.over) return;
      this.on.lost(!this.lost);
      this.lost = true;
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(LONGEST_WAIT, this.wait * 1.6);
    });
  }

  receive(text) {
    const lines = JSON.parse(`[${text.replaceAll("\n", ",")}]`);
    const first = lines[0];
    if (["judgement", "plan", "walk", "puzzle"].includes(first.event)) return this.on[first.event](first);
    if (first.event === "refused" && first.to !== undefined) {
      if (first.to === "ask") this.answersDue -= 1;
      if (this.answersDue === 0) this.on.refused(first.reason, first.to);
      return undefined;
    }
    if (first.event === "problem") this.answersDue -= 1;
    if (this.answersDue > 0) return undefined;
    this.outstanding -= lines.length;
    return this.on.lines(lines);
  }

  send(message) {
    const text = JSON.stringify(message);
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(text);
    else if (!this.lost) this.waiting.push(text);
  }

  /** Begin a search; its first line comes without being asked for. */
  ask(setting) {
    this.answersDue += 1;
    this.outstanding = 1;
    this.send({ do: "ask", setting });
  }

  more(events) {
    if (events <= 0) return;
    this.outstanding += events;
    this.send({ do: "more", events });
  }

  stop() {
    this.outstanding = 0;
    this.send({ do: "stop" });
  }

  judge(setting) {
    this.send({ do: "judge", setting });
  }

  /** Ask where the vertices of a space lie. */
  plan(setting) {
    this.send({ do: "plan", setting });
  }

  /** Ask whether a walk can be completed; the answers have its number. */
  walk(setting, walk, number) {
    this.send({ do: "walk", setting, walk, number });
  }

  /** Ask for a puzzle. */
  puzzle(setting, seed, grade) {
    this.send({ do: "puzzle", setting, seed, grade });
  }

  close() {
    this.over = true;
    this.socket.close();
  }
}
