// What the OpenClaw plugin adds to a tool call in the gateway: the time of its handlers on top of a call of `true`, and the
// processor time with its work in the background; with a worker that answers, one that is down, and one that hangs.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import plugin from "../../hooks/openclaw/index.js";
import { interleave, ratioFigure, spread } from "./measure.mjs";
import { benchHome, root, startWorker } from "./worker.mjs";

const callsPerRound = 20;
const rounds = 30;
const thinkingMs = 10;

export async function run() {
  const home = benchHome();
  const [down, hung] = [benchHome(), benchHome()];
  const worker = await startWorker(home);
  const server = createServer(() => undefined);
  await new Promise((resolve) => server.listen(join(hung.dataDir, "worker.sock"), resolve));
  const states = { "worker up": home, "worker down": down, "worker hung": hung };
  try {
    const measured = await measureAll(states);
    return Object.keys(states).flatMap((state) => figuresOf(state, measured));
  } finally {
    server.close();
    await worker.kill();
    for (const each of [home, down, hung]) each.remove();
  }
}

// Each round measures every side: milliseconds in handlers, and processor time of the whole process.
async function measureAll(states) {
  const sides = { bare: new Map() };
  for (const [state, home] of Object.entries(states)) sides[state] = registered(home);
  const handling = Object.fromEntries(Object.keys(sides).map((side) => [side, []]));
  const cpu = Object.fromEntries(Object.keys(sides).map((side) => [side, []]));
  const calls = await interleave(
    Object.fromEntries(
      Object.entries(sides).map(([side, handlers]) => [
        side,
        async () => {
          const taken = await makeCalls(handlers);
          handling[side].push(taken.handlingMs);
          cpu[side].push(taken.cpuMs);
          return taken.callMs;
        },
      ]),
    ),
    { rounds },
  );
  const spreads = (times) =>
    Object.fromEntries(Object.entries(times).map(([side, values]) => [side, spread(values.slice(-rounds))]));
  return { calls, handling: spreads(handling), cpu: spreads(cpu) };
}

function figuresOf(state, { calls, handling, cpu }) {
  const [bare, added] = [calls.bare, handling[state]];
  const sum = { p50: bare.p50 + added.p50, p95: bare.p95 + added.p95, n: bare.n };
  return [
    ratioFigure({
      name: `call of true with the plugin's handlers, ${state} / without`,
      unit: "ms",
      ours: { label: `call of true and handlers, ${state}`, ...sum },
      floor: { label: "call of true", ...bare },
      target: "<= 1.1",
      note: `handlers: ${(added.p50 * 1_000).toFixed(0)} µs, p95 ${(added.p95 * 1_000).toFixed(0)} µs`,
    }),
    ratioFigure({
      name: `processor time of the gateway for a call of true, ${state} / without`,
      unit: "ms",
      ours: { label: `with the plugin, ${state}`, ...cpu[state] },
      floor: { label: "without", ...cpu.bare },
      target: "<= 2.5",
    }),
  ];
}

const gateways = new Map();

function registered({ dataDir }) {
  const known = gateways.get(dataDir);
  if (known !== undefined) return known;
  const handlers = new Map();
  plugin.register({
    id: "mem",
    pluginConfig: { dataDir },
    on: (event, handler) => handlers.set(event, handler),
  });
  gateways.set(dataDir, handlers);
  return handlers;
}

const fixtures = join(root, "test", "fixtures", "host-events", "openclaw");
const recorded = (name) => JSON.parse(readFileSync(join(fixtures, `${name}.json`), "utf8"));
const samples = Object.fromEntries(
  ["before_tool_call", "after_tool_call", "tool_result_persist"].map((name) => [name, recorded(name)]),
);
let calls = 0;

async function makeCalls(handlers) {
  let [handlingMs, callMs] = [0, 0];
  const before = process.cpuUsage();
  for (let call = 0; call < callsPerRound; call++) {
    const toolCallId = `call_${process.pid}_${++calls}`;
    const emit = (name) => {
      const { event, ctx } = samples[name];
      const given = [
        { ...event, toolCallId },
        { ...ctx, toolCallId },
      ];
      const started = performance.now();
      handlers.get(name)?.(...given);
      handlingMs += performance.now() - started;
    };
    emit("before_tool_call");
    const started = performance.now();
    await new Promise((resolve) => spawn("true", { stdio: "ignore" }).once("exit", resolve));
    callMs += performance.now() - started;
    emit("after_tool_call");
    emit("tool_result_persist");
    // The gateway waits for its model now: the plugin sends.
    await sleep(thinkingMs);
  }
  const { user, system } = process.cpuUsage(before);
  const each = (sum) => sum / callsPerRound;
  return { handlingMs: each(handlingMs), callMs: each(callMs), cpuMs: each((user + system) / 1_000) };
}
