// Every hook and plugin of every host, as it is really called, with every fault of the worker: nothing may exit with
// another code than 0, block the host, or stay behind. `--runs N` for each event and fault (50), `--only` for some forms.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { faults, faultyHome } from "./hook-hosts/faulty-homes.mjs";
import {
  commandHosts,
  nodeHooks,
  pluginFiles,
  pluginHooks,
  registeredHooks,
} from "./hook-hosts/registered.mjs";
import { samplePayload } from "./hook-hosts/samples.mjs";
import { boundFigure, ratioFigure, spread } from "./measure.mjs";

const forms = {
  "claude-code plugin": { host: "claude-code", hooks: pluginHooks },
  ...Object.fromEntries(
    commandHosts.map((host) => [host, { host, hooks: (home) => registeredHooks(home, host) }]),
  ),
  "mem hook": { host: "codex", hooks: (home) => nodeHooks(home, "codex") },
};
const inProcess = ["opencode", "openclaw"];
const eventsPerForm = 12;
// Hooks that wait for a worker need hardly any processor.
const lanes = { waiting: 12, working: 2 };
// A bare Node start among so many hooks.
const floorEvery = 25;

export async function run({ say, runs = "50", only = "" }) {
  const wanted = only === "" ? [...Object.keys(forms), ...inProcess] : only.split(",");
  const unknown = wanted.filter((form) => !(form in forms) && !inProcess.includes(form));
  if (unknown.length > 0) throw new Error(`no form ${unknown.join(", ")}`);
  const tally = { results: [], floor: [], left: 0 };
  const lane = async (waits, width) => {
    for (const [fault, { waits: isWaiting = false }] of Object.entries(faults)) {
      if (isWaiting === waits) await runFault(fault, { wanted, runs: Number(runs), width, tally, say });
    }
  };
  await Promise.all([lane(true, lanes.waiting), lane(false, lanes.working)]);
  return wanted.flatMap((form) => figuresOf(form, tally)).concat(leftFigure(tally));
}

async function runFault(fault, { wanted, runs, width, tally, say }) {
  const started = performance.now();
  const home = await faultyHome(fault);
  try {
    const jobs = wanted.filter((form) => form in forms).flatMap((form) => jobsOf(form, home, runs));
    await inParallel(mixed(jobs), width, async (job, at) => {
      if (at % floorEvery === 0)
        tally.floor.push((await runWords([process.execPath, "-e", "0"], home.env, "")).ms);
      // After the first timeout the others would not ask.
      if (faults[fault].waits) rmSync(join(home.dataDir, "worker-hung"), { force: true });
      tally.results.push(await runJob(job, fault));
    });
    for (const form of wanted.filter((one) => inProcess.includes(one)))
      tally.results.push(...(await runPlugin(form, home, runs)));
    const left = await processesLeft(home);
    tally.left += left.length;
    const seconds = Math.round((performance.now() - started) / 1_000);
    const notes = left.map((line) => `left: ${line}`);
    say([`${fault}: ${jobs.length} hooks, ${home.requests()} requests, ${seconds} s`, ...notes].join("; "));
  } finally {
    await home.end();
  }
}

// The registered events, then inputs that no host sends, through the hook of a tool use.
function jobsOf(form, home, runs) {
  const { host, hooks } = forms[form];
  const registered = hooks(home);
  const own = registered.map((hook) => ({ hook, input: JSON.stringify(samplePayload(host, hook.event)) }));
  const toolHook = registered.find(({ event }) => /^(postToolUse|AfterTool)$/i.test(event));
  const odd = oddInputs(samplePayload(host, toolHook.event)).map(({ name, input }) => ({
    hook: name === "unknown" ? renamed(toolHook) : { ...toolHook, event: `${toolHook.event}, ${name}` },
    input,
  }));
  const chosen = [...own, ...odd.slice(0, Math.max(4, eventsPerForm - own.length))];
  return chosen.flatMap((job) => Array.from({ length: runs }, () => ({ form, ...job })));
}

function oddInputs(payload) {
  const huge = { ...payload, tool_response: { stdout: "a line of output\n".repeat(60_000) } };
  return [
    { name: "malformed", input: `${JSON.stringify(payload).slice(0, -9)}` },
    { name: "empty", input: "" },
    { name: "huge", input: JSON.stringify(huge) },
    { name: "unknown", input: JSON.stringify({ ...payload, hook_event_name: "NoSuchEvent" }) },
    { name: "a list", input: "[1, null]" },
    {
      name: "wrong types",
      input: JSON.stringify({ session_id: 7, cwd: {}, tool_input: [], tool_name: null }),
    },
    { name: "deep", input: `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}` },
  ];
}

function renamed({ words, ...hook }) {
  const name = (word) => word.replace(/\b(post-tool-use|after-tool)\b/, "no-such-event");
  return { ...hook, event: "NoSuchEvent", words: words.map(name) };
}

// Neighbours differ: the hooks of one event would all wait together.
function mixed(jobs) {
  const step = 7919;
  return jobs.map((_job, at) => jobs[(at * step) % jobs.length]);
}

async function inParallel(jobs, width, work) {
  let next = 0;
  const workers = Array.from({ length: width }, async () => {
    while (next < jobs.length) {
      const at = next++;
      await work(jobs[at], at);
    }
  });
  await Promise.all(workers);
}

const killAfterMs = 30_000;

function runWords([program, ...args], env, input) {
  return new Promise((resolve) => {
    const started = performance.now();
    const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "pipe"] });
    const output = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"])
      child[name].on("data", (chunk) => {
        output[name] += chunk;
      });
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
    const killer = setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    child.once("close", (code, signal) => {
      clearTimeout(killer);
      resolve({ code: code ?? signal, ...output, ms: performance.now() - started });
    });
  });
}

async function runJob({ form, hook, input }, fault) {
  const { code, stdout, stderr, ms } = await runWords(hook.words, hook.env, input);
  const waitMs = faults[fault].waits || startsWorker(hook.event) ? deadlineMs(hook.event) : 0;
  return {
    form,
    what: `${fault}, ${hook.event}`,
    ms,
    overMs: Math.max(0, ms - waitMs),
    problems: [...(code === 0 ? [] : [`code ${code}`]), ...refused(stdout), ...refusedText(stderr)],
  };
}

// src/hosts/hook/deadlines.ts. A session start waits for the worker that it starts, too.
function deadlineMs(event) {
  if (startsWorker(event)) return 3_000;
  if (/^(setup|userPromptSubmit|preToolUse|beforeAgent|beforeSubmitPrompt)$/i.test(event)) return 1_500;
  return /^sessionEnd$/i.test(event) ? 800 : 1_000;
}

function startsWorker(event) {
  return /^sessionStart$/i.test(event);
}

// Nothing, or one object with text for the agent or the user; everything else could block, stop or change something.
function refused(stdout) {
  if (stdout === "") return [];
  const fields = ["systemMessage", "hookSpecificOutput", "additionalContext", "additional_context"];
  try {
    const output = JSON.parse(stdout);
    const nested = Object.keys(output.hookSpecificOutput ?? {});
    const others = [
      ...Object.keys(output).filter((name) => !fields.includes(name)),
      ...nested.filter((name) => !["hookEventName", "additionalContext"].includes(name)),
    ];
    return others.map((name) => `field ${name}`);
  } catch {
    return [`no JSON: ${stdout.slice(0, 80)}`];
  }
}

// Hosts show it to the user, or treat it as an error.
function refusedText(stderr) {
  return stderr === "" ? [] : [`standard error: ${stderr.slice(0, 120)}`];
}

// In a separate process, with the environment of a host.
async function runPlugin(form, home, runs) {
  const script = fileURLToPath(new URL("./hook-hosts/plugin-faults.mjs", import.meta.url));
  const file = pluginFiles(home)[form];
  const words = [process.execPath, script, form, file, home.dataDir, String(runs)];
  const { code, stdout, stderr } = await runWords(words, home.env, "");
  const failed = { form, what: home.fault, ms: 0, overMs: 0, isLate: false };
  if (code !== 0) return [{ ...failed, problems: [`the host ended with ${code}: ${stderr.slice(-300)}`] }];
  return JSON.parse(stdout).map((result) => ({
    ...failed,
    ...result,
    what: `${home.fault}, ${result.event}`,
  }));
}

/** The command lines of processes of the home that are still there after 10 s. */
async function processesLeft({ dataDir }) {
  const mark = `MEM_DATA_DIR=${dataDir}`;
  for (let tries = 0; ; tries += 1) {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    const left = pids.filter((pid) => readProc(pid, "environ").split("\0").includes(mark));
    if (left.length === 0 || tries === 100)
      return left.map((pid) => readProc(pid, "cmdline").replaceAll("\0", " "));
    await sleep(100);
  }
}

function readProc(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

function figuresOf(form, { results, floor }) {
  const own = results.filter((result) => result.form === form);
  const bad = own.filter(({ problems }) => problems.length > 0);
  const side = (times) => ({ ...spread(times), max: Math.max(...times) });
  const slowest = own.toSorted((a, b) => b.overMs - a.overMs)[0];
  return [
    boundFigure({
      name: `${form}: runs with another code than 0, or output that a host refuses or that blocks`,
      unit: "runs",
      value: bad.length,
      n: own.length,
      target: "= 0",
      note: firstOf(bad.map(({ what, problems }) => `${what}: ${problems.join(", ")}`)),
    }),
    ratioFigure({
      name: `${form}: slowest run beyond its deadline / slowest node -e 0 among them`,
      unit: "ms",
      ours: { label: `${form}, less the deadline where it waits`, ...side(own.map(({ overMs }) => overMs)) },
      floor: { label: "node -e 0 among the hooks", ...side(floor) },
      by: "max",
      target: "<= 10",
      note: `slowest: ${slowest.what}, ${Math.round(slowest.ms)} ms in all`,
    }),
  ];
}

function firstOf(lines) {
  return [...new Set(lines)].slice(0, 5).join("; ") || undefined;
}

function leftFigure({ left, results }) {
  const name = "processes of hooks that are left 10 s later";
  return [boundFigure({ name, unit: "processes", value: left, n: results.length, target: "= 0" })];
}
