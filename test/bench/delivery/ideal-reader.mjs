// Which sentences of a turn an ideal reader would pass on: those that the needs of its scenario ask for.
import { matches } from "./scenario-set.mjs";

const kindsOfStatement = {
  rule: "rule",
  preference: "preference",
  cause: "cause",
  decision: "decision",
  fix: "fix",
  state: "open",
  superseded: "rule",
};

/** A function from the texts of a turn, as they were shown to the model, to its statements. */
export function createIdealReader(scenarios) {
  const byTurn = new Map();
  for (const scenario of scenarios) {
    for (const turn of scenario.past.flatMap(({ turns }) => turns))
      byTurn.set(keyOf(turn.prompt, turn.closing), { scenario, turn });
  }
  return ({ user = "", agent = "" }) => {
    const found = byTurn.get(keyOf(user, agent));
    return found === undefined ? [] : statementsOf(found.scenario, found.turn, { user, agent });
  };
}

// Long texts are shown without their middle.
function keyOf(user, agent) {
  const start = (text) => text.replace(/\s+/g, " ").trim().slice(0, 80);
  return `${start(user)}\n${start(agent)}`;
}

function statementsOf({ kind, need }, { did = [] }, { user, agent }) {
  const commands = did.filter(({ error }) => error === undefined).map(({ input }) => input.command ?? "");
  const sources = [
    ...sentencesOf(user).map((quote) => ({ quote, said_by: "user" })),
    ...sentencesOf(agent).map((quote) => ({ quote, said_by: "agent" })),
    ...commands.filter((command) => !/^\s*$|\n/.test(command)).map((quote) => ({ quote, said_by: "tool" })),
  ];
  const wanted = need.flatMap(({ all }) => all);
  return sources
    .filter(({ quote }) => wanted.some((source) => matches(source, quote)))
    .map(({ quote, said_by }) => statementOf({ kind, quote, said_by }));
}

function statementOf({ kind, quote, said_by }) {
  const meant = said_by === "tool" ? "fix" : kindsOfStatement[kind];
  const isRule = ["rule", "preference"].includes(meant);
  return {
    // Only the user sets rules; what the agent says of one is a decision.
    kind: isRule && said_by !== "user" ? "decision" : meant,
    said_by,
    quote,
    title: quote.split(/\s+/).slice(0, 10).join(" "),
    standing: isRule && said_by === "user",
    reach: "project",
  };
}

const segmenter = new Intl.Segmenter("und", { granularity: "sentence" });

function sentencesOf(text) {
  return text
    .split("\n")
    .flatMap((line) => [...segmenter.segment(line)].map(({ segment }) => segment.trim()))
    .filter((sentence) => sentence !== "");
}
