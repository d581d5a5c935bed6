// One WebSocket to the server: asks for a search and then for so many of its events, and asks questions. Reconnects by itself.

const FIRST_WAIT = 400;
const LONGEST_WAIT = 4000;

export class Link {
  /** `on` has the functions lines(array of objects), refused(reason), lost(first) and found(). */
  constructor(path, on) {
    this.on = on;
    this.url = new URL(path, location.href);
    this.url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.url.hash = "";
    this.wait = FIRST_WAIT;
    this.waiting = [];
    this.questions = new Map();
    this.number = 0;
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
      this.again = setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(LONGEST_WAIT, this.wait * 1.6);
    });
  }

  receive(text) {
    const lines = JSON.parse(`[${text.replaceAll("\n", ",")}]`), [first] = lines;
    if (first.to === "ask") {
      this.answersDue -= 1;
      if (this.answersDue === 0) this.on.refused(first.reason);
    } else if (first.to !== undefined) this.receiveAnswer(first);
    else {
      if (first.event === "problem") this.answersDue -= 1;
      if (this.answersDue > 0) return;
      this.outstanding -= lines.length;
      this.on.lines(lines);
    }
  }

  receiveAnswer(answer) {
    const { number, hear, refuse } = this.questions.get(answer.to) ?? {};
    if (number !== answer.number) return;
    if (answer.event === "refused") refuse(answer.reason);
    else hear(answer);
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

  /** Ask a question; of two with the same `what` the later one alone is heard. */
  question(what, about, hear, refuse = this.on.refused) {
    const number = (this.number += 1);
    this.questions.set(what, { number, hear, refuse });
    this.send({ do: what, number, ...about });
  }

  /** Hear no more answers to such a question. */
  forget(what) {
    this.questions.delete(what);
  }

  close() {
    this.over = true;
    clearTimeout(this.again);
    this.socket.close();
  }
}
