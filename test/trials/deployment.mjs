// Trial of a deployment: writes through the one address while processes of it are killed or renewed, and then asks for
// everything that was acknowledged. Not run by `npm test`. Start the compose file or the manifest, make a key that reads
// and writes one project, and say how processes end there:
//
//   MEM_TRIAL_KEY=mem_… node test/trials/deployment.mjs --url http://127.0.0.1:8080 --seconds 60 \
//     --disturb "docker kill --signal KILL deploy-http-1" --disturb "docker kill --signal KILL deploy-generate-1" \
//     --export "docker exec deploy-http-2 mem server export --team acme --project shop"
//
// Disturbances are spread over the time. `--export` prints the project as JSON lines: it shows events that are there twice.
import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:8080" },
    seconds: { type: "string", default: "60" },
    clients: { type: "string", default: "8" },
    disturb: { type: "string", multiple: true, default: [] },
    export: { type: "string" },
  },
});
const key = process.env.MEM_TRIAL_KEY;
if (key === undefined) throw new Error("MEM_TRIAL_KEY is the key that writes and reads");

const run = randomUUID().slice(0, 8);
const until = Date.now() + Number(values.seconds) * 1_000;
const statuses = new Map();
const acknowledged = new Map();
const notSentAgain = { acknowledged: 0, unknown: 0 };
const waits = [];
const faults = [];

function hold(what, isHeld, detail = "") {
  console.log(`${isHeld ? "  held" : "BROKEN"}  ${what}${detail === "" ? "" : `: ${detail}`}`);
  if (!isHeld) faults.push(what);
}

async function ask(method, path, body, headers = {}) {
  const began = performance.now();
  try {
    const answer = await fetch(`${values.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await answer.text();
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (answer.status < 300) waits.push(performance.now() - began);
    return { status: answer.status, body: text.startsWith("{") ? JSON.parse(text) : undefined };
  } catch (cause) {
    statuses.set(cause.name, (statuses.get(cause.name) ?? 0) + 1);
    return { status: 0 };
  }
}

const eventOf = (marker) => ({
  sourceType: "api",
  eventType: "tool_use",
  contentSessionId: `trial-${run}-${marker.slice(-1)}`,
  occurredAtEpoch: Date.now(),
  payload: {
    tool_name: "Bash",
    tool_input: { command: `echo ${marker}` },
    tool_response: `${marker} was printed`,
  },
});

// Every second event has a key and is sent until it is taken; the others are sent once, so that a repetition in between
// would show.
async function write(client) {
  for (let turn = 0; Date.now() < until; turn += 1) {
    const marker = `trial${run}x${client}x${turn}`;
    const isKeyed = turn % 2 === 0;
    const headers = isKeyed ? { "idempotency-key": marker } : {};
    const event = eventOf(marker);
    let { status, body } = await ask("POST", "/v1/events", event, headers);
    while (isKeyed && status !== 201 && Date.now() < until + 60_000) {
      await sleep(status === 429 ? 1_000 : 250);
      ({ status, body } = await ask("POST", "/v1/events", event, headers));
    }
    if (status === 201) acknowledged.set(marker, body.event.id);
    if (!isKeyed && status === 201) notSentAgain.acknowledged += 1;
    if (!isKeyed && status === 429) await sleep(1_000);
    if (!isKeyed && ![201, 429].includes(status)) notSentAgain.unknown += 1;
  }
}

async function disturb() {
  const pause = (until - Date.now()) / (values.disturb.length + 1);
  for (const command of values.disturb) {
    await sleep(pause);
    console.log(`        ${command}`);
    spawn("/bin/sh", ["-c", command], { stdio: ["ignore", "ignore", "inherit"] });
  }
}

async function jobsDone() {
  const deadline = Date.now() + 180_000;
  for (;;) {
    let open = 0;
    for (const status of ["queued", "processing"]) {
      const { body } = await ask("GET", `/v1/jobs?status=${status}&limit=1`);
      open += body?.jobs?.length ?? 1;
    }
    if (open === 0 || Date.now() > deadline) return open === 0;
    await sleep(1_000);
  }
}

async function missing() {
  const lost = [];
  for (const [marker, id] of acknowledged) {
    let answer = await ask("GET", `/v1/events/${id}`);
    while (answer.status === 429 || answer.status === 503) {
      await sleep(1_000);
      answer = await ask("GET", `/v1/events/${id}`);
    }
    if (answer.status !== 200) lost.push(marker);
  }
  return lost;
}

function countsIn(lines) {
  const counts = new Map();
  for (const line of lines.split("\n")) {
    if (!line.includes('"event"')) continue;
    const [marker] = new RegExp(`trial${run}x\\d+x\\d+`).exec(line) ?? [];
    if (marker !== undefined) counts.set(marker, (counts.get(marker) ?? 0) + 1);
  }
  return counts;
}

await Promise.all([
  disturb(),
  ...Array.from({ length: Number(values.clients) }, (_, client) => write(client)),
]);
waits.sort((a, b) => a - b);
const at = (part) => `${Math.round(waits[Math.floor(waits.length * part)] ?? 0)} ms`;
console.log(`answers: ${[...statuses].map(([status, count]) => `${status}: ${count}`).join(", ")}`);
console.log(`taken: median ${at(0.5)}, p99 ${at(0.99)}, longest ${at(0.99999)}`);
console.log(
  `sent once: ${notSentAgain.acknowledged} acknowledged, ${notSentAgain.unknown} without an answer that says`,
);
const lost = await missing();
hold(
  `none of ${acknowledged.size} acknowledged events is lost`,
  lost.length === 0,
  lost.slice(0, 5).join(" "),
);
hold("nothing waits to be generated", await jobsDone());
const [some] = [...acknowledged.keys()].slice(-1);
const { body: found } = await ask("POST", "/v1/search", { query: some ?? "" });
hold("the last one is found by the search", JSON.stringify(found ?? "").includes(some));
if (values.export !== undefined) {
  const lines = execFileSync("/bin/sh", ["-c", values.export], { encoding: "utf8", maxBuffer: 2 ** 30 });
  const counts = countsIn(lines);
  const twice = [...counts].filter(([, count]) => count > 1).map(([marker]) => marker);
  const absent = [...acknowledged.keys()].filter((marker) => !counts.has(marker));
  hold(
    `none of ${counts.size} exported events is there twice`,
    twice.length === 0,
    twice.slice(0, 5).join(" "),
  );
  hold("every acknowledged event is exported", absent.length === 0, absent.slice(0, 5).join(" "));
}
process.exitCode = faults.length === 0 ? 0 : 1;
