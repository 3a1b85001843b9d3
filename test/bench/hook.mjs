// Hooks exactly as hooks/hooks/hooks.json registers them, with real payloads, against a bare Node start:
// a warm worker with 100,000 observations, the hook in Node, and a worker that is down or hangs.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { installDataset } from "./dataset.mjs";
import { interleave, ratioFigure, timeProcess } from "./measure.mjs";
import { Database } from "./sqlite.mjs";
import { ask, benchHome, root, startWorker } from "./worker.mjs";

const plugin = join(root, "hooks");
const fixtures = join(root, "test", "fixtures", "host-events", "claude-code");
// Deadlines of src/hosts/hook/deadlines.ts: what a hung worker may cost on top.
export const captureDeadlineMs = 1_000;
export const promptDeadlineMs = 1_500;

export async function run({ say }) {
  const home = benchHome();
  await installDataset(home.dataDir, say);
  knownFile = fileOfLargestProject(home);
  const worker = await startWorker(home);
  const down = deadHome(home);
  const hung = brokenHome(home);
  const stopListening = await listenAndHang(hung.dataDir);
  const node = () => timeProcess(process.execPath, ["-e", "0"], { env: home.env }).ms;
  try {
    await giveRules(worker.port);
    for (const sample of ["SessionStart", "UserPromptSubmit", "PreToolUse", "PreToolUse.Bash"])
      bringsContext(sample, home);
    const warm = await interleave(
      {
        capture: () => hook("PostToolUse", home).ms,
        session: () => hook("SessionStart", home).ms,
        prompt: () => hook("UserPromptSubmit", home).ms,
        beforeRead: () => hook("PreToolUse", home).ms,
        beforeCommand: () => hook("PreToolUse.Bash", home).ms,
        inNode: () => nodeHook("PostToolUse", home).ms,
        node,
      },
      { rounds: 40 },
    );
    makeStatements(home);
    const among = await interleave(
      {
        session: () => hook("SessionStart", home).ms,
        prompt: () => hook("UserPromptSubmit", home).ms,
        node,
      },
      { rounds: 40 },
    );
    await worker.kill();
    const without = await interleave(
      {
        capture: () => hook("PostToolUse", down).ms,
        prompt: () => hook("UserPromptSubmit", down).ms,
        inNode: () => nodeHook("PostToolUse", down).ms,
        node,
      },
      { rounds: 40 },
    );
    const broken = await interleave(
      {
        capture: () => firstHung("PostToolUse", hung).ms,
        prompt: () => firstHung("UserPromptSubmit", hung).ms,
        next: () => hook("PostToolUse", hung).ms,
        node,
        idleNode: () => afterASecond(home),
      },
      { rounds: 10, warmup: 1 },
    );
    return [...warmFigures(warm), ...amongFigures(among), ...downFigures(without), ...hungFigures(broken)];
  } finally {
    stopListening();
    await worker.kill();
    for (const each of [home, down, hung]) each.remove();
  }
}

function warmFigures(sides) {
  const figure = figuresOf(sides);
  return [
    figure("capture hook as registered", "capture", "<= 0.45"),
    figure("context hook, SessionStart", "session", "<= 0.6"),
    figure("context hook, UserPromptSubmit", "prompt", "<= 0.6"),
    figure("context hook, PreToolUse Read", "beforeRead", "<= 0.6"),
    figure("context hook, PreToolUse Bash, 100 rules", "beforeCommand", "<= 0.6"),
    figure("capture hook in Node", "inNode", "<= 1.3"),
  ];
}

function amongFigures(sides) {
  const figure = figuresOf(sides);
  return [
    figure("context hook, SessionStart, 6,700 sentences", "session", "<= 0.6"),
    figure("context hook, UserPromptSubmit, 6,700 sentences", "prompt", "<= 0.6"),
  ];
}

function downFigures(sides) {
  const figure = figuresOf(sides);
  return [
    figure("capture hook, worker down", "capture", "<= 1.8"),
    figure("context hook, worker down", "prompt", "<= 1.8"),
    figure("capture hook in Node, worker down", "inNode", "<= 1.8"),
  ];
}

/** Figures against `sides.node`, the bare Node start. */
export function figuresOf(sides) {
  return (name, side, target) =>
    ratioFigure({
      name: `${name} / node -e 0`,
      unit: "ms",
      ours: { label: name, ...sides[side] },
      floor: { label: "node -e 0", ...sides.node },
      target,
    });
}

/** Figures without the deadline that a hung worker costs. `sides.idleNode` starts after a second of sleep. */
export function waitingFiguresOf(sides) {
  const idle = `node -e 0 after a second of sleep, minus that: ${sides.idleNode.p50.toFixed(1)} ms`;
  return (name, side, deadlineMs) => {
    const { p50, p95, n } = sides[side];
    return ratioFigure({
      name: `${name} / node -e 0`,
      unit: "ms",
      ours: { label: `${name}, minus its ${deadlineMs} ms`, p50: p50 - deadlineMs, p95: p95 - deadlineMs, n },
      floor: { label: "node -e 0", ...sides.node },
      target: "<= 1.8",
      note: idle,
    });
  };
}

function hungFigures(sides) {
  const figure = waitingFiguresOf(sides);
  return [
    figure("capture hook, worker hung", "capture", captureDeadlineMs),
    figure("context hook, worker hung", "prompt", promptDeadlineMs),
    ratioFigure({
      name: "capture hook, worker hung, after the first / node -e 0 after a second of sleep",
      unit: "ms",
      ours: { label: "capture hook, worker hung, after the first", ...sides.next },
      floor: { label: "node -e 0 after a second of sleep, minus that", ...sides.idleNode },
      target: "<= 1.8",
    }),
  ];
}

// The first hook whose wait times out leaves a mark for the next hooks.
function firstHung(event, home) {
  withoutMark(home);
  return hook(event, home);
}

/** The next hook asks the hung worker again. */
export function withoutMark({ dataDir }) {
  rmSync(join(dataDir, "worker-hung"), { force: true });
}

/** A machine that has slept for a while starts anything slower: what a hung worker's deadline does to what follows it. */
export function afterASecond(home) {
  return timeProcess("/bin/sh", ["-c", "sleep 1; node -e 0"], { env: home.env }).ms - 1_000;
}

// Nothing listens on port 1 of a loopback.
const deadPort = 1;

const registered = () => JSON.parse(readFileSync(join(plugin, "hooks", "hooks.json"), "utf8")).hooks;
let runs = 0;
let knownFile = "";

/** Runs what the host runs: the registered command in a shell, the payload on stdin. */
function hook(sample, home) {
  const [event] = sample.split(".");
  const command = registered()[event]?.[0]?.hooks?.[0]?.command;
  if (command === undefined) throw new Error(`hooks.json registers nothing for ${event}`);
  const env = { ...home.env, CLAUDE_PLUGIN_ROOT: plugin };
  return timeProcess("/bin/sh", ["-c", command], { env, input: payload(sample) });
}

// The last one forbids the command that the agent is about to run.
async function giveRules(port) {
  const tools = Array.from({ length: 99 }, (_, n) => `Never run \`deploy-${n}\` from a laptop`);
  for (const text of [...tools, `Never run \`${forbidden}\` here`]) {
    const body = { text, project: "project-00", reach: "project" };
    const { status, text: answer } = await ask(port, "/api/rules", { method: "POST", body });
    if (status >= 300) throw new Error(`a rule was answered with ${status}: ${answer}`);
  }
}

const forbidden = "release-now";

function nodeHook(event, home) {
  const args = [join(root, "dist", "hook.cjs"), "claude-code", event];
  return timeProcess(process.execPath, args, { env: home.env, input: payload(event) });
}

// A context hook that brings nothing back would be a fast one.
function bringsContext(event, home) {
  if (!hook(event, home).stdout.includes("additionalContext")) throw new Error(`${event} brought no context`);
}

const samples = {
  PostToolUse: "PostToolUse.Bash",
  PreToolUse: "PreToolUse.Read",
  SessionStart: "SessionStart.startup",
  UserPromptSubmit: "UserPromptSubmit",
};

// A recorded event, moved into the largest project of the data set. Every one is new: the same tool use twice would be
// stored once, and cost less.
function payload(event) {
  const sample = JSON.parse(readFileSync(join(fixtures, `${samples[event] ?? event}.json`), "utf8"));
  runs += 1;
  const id = `bench-${process.pid}-${runs}`;
  sample.cwd = "/home/user/project-00";
  // In a session that knows it already nothing would be said, which is a fast answer.
  if (event !== "PostToolUse") sample.session_id = id;
  if ("tool_use_id" in sample) sample.tool_use_id = id;
  if ("prompt_id" in sample) sample.prompt_id = id;
  if ("prompt" in sample) sample.prompt = `${sample.prompt} (${runs})`;
  if (event === "PreToolUse") sample.tool_input.file_path = knownFile;
  if (event === "PreToolUse.Bash") sample.tool_input.command = forbidden;
  return JSON.stringify(sample);
}

// As after a year of work: a start and a prompt choose among thousands of sentences.
function makeStatements(home) {
  const db = new Database(join(home.dataDir, "mem.db"));
  db.exec(
    `update observations
     set salience = id * 7919 % 500 / 100.0 - 2, said_by = iif(id % 3 = 0, 'user', 'agent'), statement_kind = 'fact',
       summary = substr(summary, 1, 160)
     where project = 'project-00' and id % 2 = 0`,
  );
  db.close();
}

function fileOfLargestProject(home) {
  const db = new Database(join(home.dataDir, "mem.db"), { readonly: true });
  const newest =
    "select files_modified from observations where project = 'project-00' order by id desc limit 1";
  const [file] = JSON.parse(db.prepare(newest).pluck().get());
  db.close();
  return file;
}

/** What a killed worker leaves: where Node and the hook's bundle are, its worker.json and its socket. Nothing answers. */
export function deadHome(home, given) {
  const dead = brokenHome(home, given);
  const listen = `require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))`;
  spawnSync(process.execPath, ["-e", listen, join(dead.dataDir, "worker.sock")]);
  if (!existsSync(join(dead.dataDir, "worker.sock")))
    throw new Error("the socket of the dead worker is missing");
  return dead;
}

/** Like `home` with a worker.json of no worker; `broken` may have other files already. */
export function brokenHome(home, broken = benchHome()) {
  copyFileSync(join(home.dataDir, "hook-runtime"), join(broken.dataDir, "hook-runtime"));
  const file = JSON.parse(readFileSync(join(home.dataDir, "worker.json"), "utf8"));
  const gone = { ...file, port: deadPort, socket: join(broken.dataDir, "worker.sock") };
  writeFileSync(join(broken.dataDir, "worker.json"), JSON.stringify(gone), { mode: 0o600 });
  mkdirSync(join(broken.dataDir, "spool"), { mode: 0o700, recursive: true });
  return broken;
}

/** A worker that hangs; returns what ends it. */
export async function listenAndHang(dataDir) {
  const server = createServer(() => undefined);
  await new Promise((resolve) => server.listen(join(dataDir, "worker.sock"), resolve));
  return () => server.close();
}
