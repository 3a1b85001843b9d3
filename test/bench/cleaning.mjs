// What cleaning costs at worst, by the hostile texts we know, and whether a private part survives that is split over JSON.

import { importBundle } from "./bundle.mjs";
import { boundFigure, ratioFigure } from "./measure.mjs";
import { runTests } from "./vitest.mjs";

const documents = Number(process.env.MEM_TEST_DOCUMENTS ?? 20_000);
const size = 1_000_000;
const rounds = 7;

export async function run({ say }) {
  const { cleanJson } = await importBundle("cleaning", 'export { cleanJson } from "./src/domain/clean.ts";');
  const plain = costOf(cleanJson, prose(size));
  const costs = Object.entries(floods).map(([name, make]) => {
    const ms = costOf(cleanJson, make());
    say(
      `${ms.toFixed(1).padStart(7)} ms per MB, ${(ms / plain).toFixed(1).padStart(5)} of plain text: ${name}`,
    );
    return { name, ms };
  });
  const worst = costs.reduce((most, each) => (each.ms > most.ms ? each : most));
  const { failed } = runTests("test/domain/clean.test.ts", { MEM_TEST_DOCUMENTS: String(documents) });
  return [
    boundFigure({
      name: "worst cleaning time per MB, of hostile messages",
      unit: "ms",
      value: worst.ms,
      n: costs.length,
      target: "<= 60",
      note: worst.name,
    }),
    ratioFigure({
      name: "the same / plain text",
      unit: "ms",
      ours: { label: worst.name, p50: worst.ms, n: costs.length },
      floor: { label: "plain text", p50: plain, n: rounds },
      target: "<= 12",
    }),
    boundFigure({
      name: "tests of cleaning that let something hidden through, of tags split over JSON strings",
      unit: "tests",
      value: failed,
      n: documents,
      target: "= 0",
    }),
  ];
}

// Processor time, which a busy machine stretches less than the clock; the best rounds after the code is compiled.
function costOf(clean, value) {
  const megabytes = JSON.stringify(value).length / 1e6;
  const times = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage();
    clean(value);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / megabytes;
  });
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)];
}

function prose(length) {
  return repeated(
    "The build reads each file once, and writes what changed; a second run is short.\n",
    length,
  );
}

function repeated(piece, length = size) {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

const strings = [
  "<private>",
  "<private",
  "<private ",
  '<private "',
  "<private a='1' ",
  "<private:",
  "<private/>",
  "</private>",
  "<private>x</private>",
  "<pri</private>vate>",
  "<mem-context-0a>",
  "</mem-context-0a1b2c3d>",
  "<",
  "&lt;private&gt;",
  "\\u003cprivate\\u003e",
  "<\u200bpri\u200bvate>",
  "&amp;",
  "-",
  "-1",
  "\\",
  "\u200b",
  "password=",
  "api_key: ",
  "token token ",
  "authorization: ",
  "eyJ",
  "sk-",
  "AKIAIOSFODNN7EXAMPLE ",
  "://a:",
  "-----BEGIN RSA PRIVATE KEY-----\n",
  "-----END RSA PRIVATE KEY-----\n",
  "cXVpY2sgYnJvd24gZm94IGp1bXBzIG92ZXIgdGhlIGxhenkgZG9n",
  "0123456789abcdef",
];

const floods = {
  ...Object.fromEntries(strings.map((piece) => [JSON.stringify(piece), () => repeated(piece)])),
  "lines of ten characters": () =>
    Array.from({ length: size / 13 }, (_, n) => `line ${String(n).padStart(5)}`),
  "lines of <private>": () => Array.from({ length: size / 12 }, () => "<private>"),
  "blocks of text": () => Array.from({ length: size / 36 }, (_, n) => ({ type: "text", text: `line ${n}` })),
  "records of three": () =>
    Array.from({ length: size / 45 }, (_, n) => ({ id: `r-${n}`, title: `title ${n}`, text: "<pri" })),
  "different names": () =>
    Object.fromEntries(Array.from({ length: size / 18 }, (_, n) => [`k${n}`, `value ${n % 9}`])),
  "deep nesting": () => Array.from({ length: 200 }, () => nested(prose(4_800))),
};

function nested(leaf) {
  let value = leaf;
  for (let level = 0; level < 60; level++) value = level % 2 === 0 ? { level: value } : [value];
  return value;
}
