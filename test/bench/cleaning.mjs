// What hostile texts cost: processor time of cleaning, how long they block the worker's event loop, and whether a private
// part survives that is split over JSON.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { importBundle } from "./bundle.mjs";
import { boundFigure, ratioFigure } from "./measure.mjs";
import { runTests } from "./vitest.mjs";
import { ask, benchHome, root, startWorker } from "./worker.mjs";

const size = 1_000_000;
const rounds = 3;
const costRounds = 7;
// In bytes. The largest body that the worker accepts, without the members around the flood.
const largestBody = 2_000_000;
// One that is cleaned in the worker itself.
const largestHere = 64_000;

export async function run({ say }) {
  const { cleanJson } = await importBundle("cleaning", 'export { cleanJson } from "./src/privacy/clean.ts";');
  const plain = costOf(cleanJson, prose(size));
  const kinds = Object.entries({ "plain text": () => prose(size), ...floods });
  const costs = kinds.map(([name, make]) => ({ name, ms: costOf(cleanJson, make()) }));
  const large = await blocksOf(kinds, largestBody);
  const small = await blocksOf(kinds, largestHere);
  for (const [at, { name, ms }] of costs.entries()) {
    const cost = `${ms.toFixed(1).padStart(7)} ms per MB, ${(ms / plain).toFixed(1).padStart(5)} of plain text`;
    const block = `blocks ${large[at].perMb.toFixed(1)} ms per MB, 64 KB of it ${small[at].ms.toFixed(1)} ms`;
    say(`${cost}; ${block}: ${name}`);
  }
  const dearest = mostOf(costs, ({ ms }) => ms);
  const worst = mostOf(large, ({ perMb }) => perMb);
  const worstSmall = mostOf(small, ({ ms }) => ms);
  const { failed } = runTests("test/privacy/clean.test.ts", { MEM_FUZZ: "30" });
  return [
    boundFigure({
      name: "worst cleaning time per MB, of hostile messages",
      unit: "ms",
      value: dearest.ms,
      n: costs.length,
      target: "<= 60",
      note: dearest.name,
    }),
    ratioFigure({
      name: "the same / plain text",
      unit: "ms",
      ours: { label: dearest.name, p50: dearest.ms, n: costs.length },
      floor: { label: "plain text", p50: plain, n: costRounds },
      target: "<= 12",
    }),
    boundFigure({
      name: "longest block of the event loop per MB of a hostile message of 2 MB",
      unit: "ms",
      value: worst.perMb,
      n: large.length,
      target: "<= 60",
      note: worst.name,
    }),
    boundFigure({
      name: "longest block of the event loop by a hostile message of 64 KB",
      unit: "ms",
      value: worstSmall.ms,
      n: small.length,
      target: "<= 60",
      note: worstSmall.name,
    }),
    boundFigure({
      name: "tests of cleaning that let something hidden through, of tags split over JSON strings",
      unit: "tests",
      value: failed,
      n: 18_000,
      target: "= 0",
    }),
  ];
}

function mostOf(values, measure) {
  return values.reduce((most, each) => (measure(each) > measure(most) ? each : most));
}

// The least of a few tries: what else runs on the machine only adds.
async function blocksOf(kinds, mostChars) {
  const home = benchHome();
  const written = join(home.dataDir, "delays");
  const preload = pathToFileURL(join(root, "test", "bench", "loop-delay.mjs"));
  const env = { NODE_OPTIONS: `--import ${preload}`, MEM_BENCH_DELAYS: written };
  const worker = await startWorker(home, { env });
  const longestBlock = async () => {
    rmSync(written, { force: true });
    process.kill(worker.pid, "SIGUSR2");
    while (!existsSync(written) || readFileSync(written, "utf8") === "") await sleep(2);
    return Number(readFileSync(written, "utf8"));
  };
  const blocks = [];
  for (const [name, make] of kinds) {
    const flood = cutTo(make(), mostChars);
    const body = (n) => ({
      ...{ session_id: `s-${blocks.length}`, prompt_id: "p", cwd: "/tmp/demo", tool_name: "Bash" },
      ...{ tool_use_id: `t-${n}`, tool_input: { command: "make" }, tool_response: flood },
    });
    const megabytes = Buffer.byteLength(JSON.stringify(flood)) / 1e6;
    let ms = Number.POSITIVE_INFINITY;
    for (let n = 0; n < rounds; n++) {
      await longestBlock();
      const { status, text } = await ask(worker.port, "/api/hooks/claude-code/PostToolUse", {
        method: "POST",
        body: body(n),
      });
      if (status !== 200) throw new Error(`a flood of ${name} was answered ${status}: ${text}`);
      ms = Math.min(ms, await longestBlock());
    }
    blocks.push({ name, ms, perMb: ms / megabytes });
  }
  await worker.stop();
  home.remove();
  return blocks;
}

// As much of the flood as fits into so many characters of JSON.
function cutTo(value, mostChars) {
  const length = Buffer.byteLength(JSON.stringify(value));
  if (typeof value === "string") {
    const whole = value.repeat(Math.ceil(mostChars / length));
    return whole.slice(0, Math.floor((value.length / length) * mostChars * 0.99));
  }
  const share = (mostChars / length) * 0.99;
  if (!Array.isArray(value)) return Object.fromEntries(cutList(Object.entries(value), share));
  return cutList(value, share);
}

function cutList(list, share) {
  const many = share > 1 ? Array.from({ length: Math.ceil(share) }, () => list).flat() : list;
  return many.slice(0, Math.floor(list.length * share));
}

// Processor time, which a busy machine stretches less than the clock; the best rounds after the code is compiled.
function costOf(clean, value) {
  const megabytes = JSON.stringify(value).length / 1e6;
  const times = Array.from({ length: costRounds }, () => {
    const before = process.cpuUsage();
    clean(value);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / megabytes;
  });
  return times.sort((a, b) => a - b)[Math.floor(costRounds / 2)];
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
  "token ",
  "token:",
  "?key=",
  "pass:",
  'pass="',
  "--token ",
  "://a:b@",
  "cookie: a=b; ",
  "Private-Lines: 1\n",
  "machine a login b ",
  ":*:",
  "AKIA",
  "AKIAABCDEFGHIJKLMNOP ",
  "scrypt:",
  'kty"',
  '{"kty"',
  "password=hunter2x ",
  "password: hunter2x\n",
  "%3D",
  "\u001b[0m",
  "\u001b[0m token=",
  "abandon ability ",
  "QUtJQQ",
  "a",
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
