// The sentence on what has just happened, and the counters under a board.

export const count = (number, what) => `${number.toLocaleString("en")} ${number === 1 ? what : `${what}s`}`;

/** A number of squares or vertices. */
export const counted = (number, plan) => `${number.toLocaleString("en")} ${plan.noun(number)}`;

export function eventSentence(event, cursor, plan) {
  if (!event) return "";
  const { problem } = cursor.log, [noun, nouns] = plan.nouns, name = (place) => plan.names[place];
  const itself = problem.symmetry ? ` mapped to itself by ${problem.symmetry}` : "";
  const kind = `${problem.closed ? "closed" : "open"} tour${itself}`, a = problem.closed ? "A" : "An";
  const path = cursor.path();
  switch (event.kind) {
    case "search_begun":
      return event.gave_up ? "Leaves this start for another, and will come back to it." : "The search begins.";
    case "step": {
      const ways = event.candidates.length;
      const where = path.length > 1 ? `Move ${path.length - 1}: to ${name(event.square)}.` : `Starts on ${name(event.square)}.`;
      return `${where} ${ways ? `${counted(ways, plan)} to go on to.` : path.length === plan.order ? `Every ${noun} is visited.` : "There is no way on."}`;
    }
    case "refused":
      return `Does not enter ${name(event.square)}: the pruning ${event.pruning} shows that no tour goes on over it.`;
    case "back": {
      const whys = {
        refused: `prunings refuse every move (${event.prunings.join(", ")})`, tried: "no move from there led to a tour",
        stuck: `no unvisited ${noun} is a move away`, full: `every ${noun} is visited, and this is not a permitted end`,
      };
      return `Backs up from ${name(event.square)}${path.length ? ` to ${name(path.at(-1))}` : ""}: ${whys[event.why]}.`;
    }
    case "tour_found":
      return `${a} ${kind} is found, after ${count(event.positions, "position")} and ${count(cursor.backtracks, "step")} back.`;
    case "no_tour":
      return event.how === "exhausted"
        ? `The ${plan.squares ? "board" : "graph"} is exhausted: every possibility is tried, in ${count(event.positions, "position")}, and there is no ${kind}.`
        : `There is no ${kind}: ${event.reason}.`;
    case "search_stopped":
      return `The search stops without an answer: ${event.by}, after ${count(event.positions, "position")}.`;
    case "problem_simplified":
      return `Before the search ${counted(event.of_vertices - event.vertices, plan)} follow from the others, and what is left falls into ${count(event.parts, "part")}.`;
    case "two_factor_found":
      return event.cycles === 1 ? `One cycle through all ${nouns}: a tour.` : `Two moves at each ${noun}, in ${event.cycles} separate cycles (${sizes(event.members)} ${nouns}).`;
    case "cut_set_added":
      return `A cut set: at least two moves must leave these ${event.vertices} ${nouns}.`;
    case "answer":
      if (event.status === "tour") return `${a} ${kind} is found by ${event.backend} in ${event.seconds.toPrecision(2)} s.`;
      if (event.status === "none") return `There is no ${kind}: ${event.refutation.reason}.`;
      return `No answer: stopped by ${event.stopped_by}.`;
    default:
      return "";
  }
}

function sizes(members) {
  const all = members.map((cycle) => cycle.filter((vertex) => vertex >= 0).length);
  return all.length > 10 ? `${all.slice(0, 4).join(", ")}, … ${all.at(-1)}` : all.join(", ");
}

/** The counters under the board as [word, number]. */
export function counters(cursor, native) {
  if (native) return [["positions", cursor.positions], ["steps back", cursor.backtracks], ["refused", cursor.refused], ["visited", cursor.steps.length]];
  const { log } = cursor, [factor] = cursor.latest("two_factor_found");
  const work = { ...log.work, ...(log.end?.work ?? {}) };
  const wanted = ["rounds", "cut_sets", "prevented", "joined", "conflicts", "branches", "propagations"];
  const shown = wanted.filter((name) => work[name] !== undefined).map((name) => [name.replace("_", " "), work[name]]);
  return factor ? [["cycles", factor.cycles], ...shown] : shown;
}

/** The parts of a proof's picture that its legend explains. */
export function legendParts({ multipliers, bounds, cut_sets: shores }) {
  const some = { plus: multipliers.some(([, value]) => value.startsWith("+")), minus: multipliers.some(([, value]) => value.startsWith("-")), bound: bounds.length, shore: shores.length };
  return Object.keys(some).filter((part) => some[part]).join(" ");
}
