// The bench's tables as lines of text.

import { kinds, moments } from "./scenario-set.mjs";
import { quietNoise, summarize, summarizeMoment } from "./score.mjs";

/** One row for each kind, for all, and for those in other languages than English. */
export function kindTable(scores) {
  const groups = [
    ...kinds.map((kind) => [kind, scores.filter((score) => score.kind === kind)]),
    ["all", scores],
    ["not English", scores.filter(({ lang, delivered }) => lang !== "en" && delivered !== null)],
  ].filter(([, group]) => group.length > 0);
  const head = [
    "kind",
    "N",
    "delivered",
    "%",
    "at start/prompt/action",
    "never",
    ...tokenHeads,
    "facts/1,000 tokens",
  ];
  return renderRows([head, ...groups.map(([name, group]) => kindRow(name, group.length, summarize(group)))]);
}

const tokenHeads = moments.map((moment) => `${moment} tokens`);

function kindRow(name, count, { delivered, of, metAt, never, tokens, factsPer1000 }) {
  const costs = moments.map((moment) => meanAndP95(tokens[moment]));
  if (of === 0) return [name, count, "-", "-", "-", never, ...costs, "-"];
  const share = Math.round((delivered / of) * 100);
  const met = moments.map((moment) => metAt[moment]).join("/");
  return [name, count, `${delivered}/${of}`, share, met, never, ...costs, factsPer1000.toFixed(2)];
}

/** One row for each moment: needs due by then, and the tokens of the hooks that ran. */
export function momentTable(scores) {
  const head = ["moment", "needs met", "met here first", "hooks run", "injected", "tokens", "most"];
  const rows = moments.map((moment) => {
    const { met, due, first, runs, injected, tokens } = summarizeMoment(scores, moment);
    return [moment, `${met}/${due}`, first, runs, injected, meanAndP95(tokens), tokens.most];
  });
  return renderRows([head, ...rows]);
}

/** One line on prompts that nothing bears on. */
export function quietLine(scores) {
  const { scenarios, injected, tokens } = quietNoise(scores);
  return `quiet: ${meanAndP95(tokens)} tokens at the prompt (mean/p95), ${injected} of ${scenarios} got something`;
}

/** One line for each scenario that missed a need or violated a `never`. */
export function missLines(scores) {
  return scores.flatMap(({ id, needs, never }) => {
    const missed = needs
      .filter(({ met }) => !met)
      .map(({ at, missing }) => `${at} lacks ${missing.map((source) => `/${source}/`).join(" ")}`);
    const violated = never.map((source) => `never /${source}/`);
    return missed.length + violated.length === 0 ? [] : [`${id}: ${[...missed, ...violated].join("; ")}`];
  });
}

/** Everything that was injected for one scenario, and what became of its needs. */
export function scenarioLines(scenario, score, injected) {
  const { prompt, before } = scenario.now;
  return [
    `== ${scenario.id}: ${scenario.why ?? scenario.kind}`,
    `prompt: ${prompt}`,
    ...(before === undefined ? [] : [`action: ${before.tool} ${JSON.stringify(before.input)}`]),
    ...moments
      .filter((moment) => injected[moment] !== undefined)
      .flatMap((moment) => [`-- ${moment}, ${score.tokens[moment]} tokens`, ...injected[moment].split("\n")]),
    ...score.needs.map(({ at, met, metAt }) =>
      met
        ? `need at ${at}: met at ${metAt}`
        : `need at ${at}: missed${metAt === null ? "" : `, met at ${metAt}`}`,
    ),
    ...missLines([score]),
  ];
}

/** Rows of cells as aligned lines; the first column is text, the others are numbers. */
function renderRows(rows) {
  const texts = rows.map((row) => row.map(String));
  const widths = texts[0].map((_, column) => Math.max(...texts.map((row) => row[column].length)));
  return texts.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])))
      .join("  "),
  );
}

function meanAndP95({ mean, p95 }) {
  return `${Math.round(mean)}/${p95}`;
}
