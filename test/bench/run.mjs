// `npm run bench [-- names... --json --table --data <folder> --peers <folder> --size <records>]`: every figure is taken in one run, with both of its sides.
// A name picks benches (hook, start, ingest, search, context, vectors, rss, faults, documents, secrets, cleaning, fuzz, tokens, abandoned, server-events, server-drain, server-search, server-mcp, server-processes); without one all of them run.
// retrieval, fit, embedder-weight and server-retrieval (they need --data) and server-scale (it takes --size) run only
// when named.
import { cpus } from "node:os";
import { renderFigure, renderTable } from "./measure.mjs";

const known = [
  "hook",
  "start",
  "ingest",
  "search",
  "context",
  "canaries",
  "vectors",
  "rss",
  "faults",
  "documents",
  "secrets",
  "cleaning",
  "fuzz",
  "tokens",
  "abandoned",
  "server-events",
  "server-drain",
  "server-search",
  "server-mcp",
  "server-processes",
];
// Only by name: they need --data, or minutes.
const named = ["retrieval", "fit", "embedder-weight", "server-retrieval", "server-scale"];

const words = process.argv.slice(2);
const json = words.includes("--json");
// Options that the word after them belongs to.
const valued = ["--data", "--peers", "--size"];
const names = words.filter((word, at) => !word.startsWith("-") && !valued.includes(words[at - 1]));
const [data, peers, size] = valued.map((option) => words[words.indexOf(option) + 1 || words.length]);
const unknown = names.filter((name) => ![...known, ...named].includes(name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(", ")}. Known: ${[...known, ...named].join(", ")}.`);
  process.exit(64);
}

const say = json ? () => undefined : (line) => console.log(line);
say(
  `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), ${process.platform}`,
);

const figures = [];
for (const name of names.length > 0 ? names : known) {
  say(`\n${name}`);
  const bench = await import(`./${name}.mjs`);
  try {
    const taken = await bench.run({
      say: (line) => say(`  ${line}`),
      data,
      peers,
      size: size && Number(size),
    });
    for (const figure of taken) {
      figures.push({ bench: name, ...figure });
      for (const line of renderFigure(figure)) say(line);
    }
  } catch (cause) {
    figures.push({ bench: name, name, error: String(cause), met: false });
    say(`  failed: ${cause instanceof Error ? cause.stack : cause}`);
  }
}

const missed = figures.filter((figure) => !figure.met);
if (json) console.log(JSON.stringify({ node: process.version, cores: cpus().length, figures }, null, 2));
if (words.includes("--table"))
  for (const row of renderTable(figures.filter((figure) => !figure.error))) say(row);
say(`\n${figures.length - missed.length} of ${figures.length} figures met`);
// A bench that failed half way may have left a timer or a connection.
process.exit(missed.length === 0 ? 0 : 1);
