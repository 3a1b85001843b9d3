// `npm run bench [-- names... --json --table --data <folder> --peers <folder> --size <records>]`: every figure is taken in one run, with both of its sides.
// A name picks benches (hook, gateway, start, ingest, search, context, vectors, rss, faults, documents, secrets, cleaning, abandoned, stream, viewer, server-events, server-drain, server-search, server-mcp, server-processes, sync); without one all of them run.
// retrieval, server-retrieval and delivery (they need --data)
// run only when named, and so do import (100,000 lines, or `--size`), tui, hook-hosts (they take minutes) and install (npm, and Node 22.14). README.md beside this file describes the options of delivery.
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { renderFigure, renderTable } from "./measure.mjs";

const known = [
  "hook",
  "gateway",
  "start",
  "ingest",
  "search",
  "context",
  "vectors",
  "rss",
  "faults",
  "documents",
  "secrets",
  "cleaning",
  "abandoned",
  "stream",
  "viewer",
  "server-events",
  "server-drain",
  "server-search",
  "server-mcp",
  "server-processes",
  "sync",
];
// Only by name: they need --data, or minutes.
const named = ["retrieval", "server-retrieval", "import", "delivery", "hook-hosts", "install", "tui"];

// Node reads these certificates at each start: the floors would rise by 70 ms, and the ratios fall.
delete process.env.NODE_EXTRA_CA_CERTS;

const text = { type: "string" };
const flag = { type: "boolean" };
const { values: given, positionals: names } = readWords({
  json: flag,
  table: flag,
  data: text,
  peers: text,
  size: text,
  "noise-sessions": text,
  mixed: text,
  only: text,
  show: text,
  misses: flag,
  imported: flag,
  model: text,
});
const { json = false, table = false, size, ...options } = given;
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
      ...options,
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
if (table) for (const row of renderTable(figures.filter((figure) => !figure.error))) say(row);
say(`\n${figures.length - missed.length} of ${figures.length} figures met`);
// A bench that failed half way may have left a timer or a connection.
process.exit(missed.length === 0 ? 0 : 1);

function readWords(options) {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (cause) {
    console.error(cause.message);
    process.exit(64);
  }
}
