// The capture and the prompt hook of each host as `mem install` registers them, against a bare Node start: with a worker
// that answers, one that is down, and one that hangs. The time in which a host's login shell reads its profiles is
// measured beside and subtracted: it is the host's. `--only` for some hosts.
import {
  afterASecond,
  brokenHome,
  captureDeadlineMs,
  deadHome,
  figuresOf,
  listenAndHang,
  promptDeadlineMs,
  waitingFiguresOf,
  withoutMark,
} from "./hook.mjs";
import { commandHosts, emptyShells, installHosts, registeredHooks } from "./hook-hosts/registered.mjs";
import { samplePayload } from "./hook-hosts/samples.mjs";
import { interleave, timeProcess } from "./measure.mjs";
import { ask, benchHome, startWorker } from "./worker.mjs";

const rounds = 30;
const targets = { capture: "<= 0.45", prompt: "<= 0.6" };
const kinds = {
  capture: { event: /^(postToolUse|AfterTool)$/i, deadlineMs: captureDeadlineMs },
  prompt: { event: /^(userPromptSubmit|BeforeAgent|beforeSubmitPrompt)$/i, deadlineMs: promptDeadlineMs },
};

export async function run({ only = commandHosts.join(",") }) {
  const hosts = only.split(",");
  const homes = [benchHome(), benchHome(), benchHome()];
  for (const each of homes) installHosts(each, hosts);
  const [home, ...others] = homes;
  const worker = await startWorker(home);
  const rule = { text: "Never run `release-now` here", project: "demo", reach: "project" };
  await ask(worker.port, "/api/rules", { method: "POST", body: rule });
  const [down, hung] = [deadHome(home, others[0]), brokenHome(home, others[1])];
  const stopListening = await listenAndHang(hung.dataDir);
  const node = () => timeProcess(process.execPath, ["-e", "0"], { env: home.env }).ms;
  try {
    for (const host of hosts) bringsContext(host, home);
    const up = await interleave({ ...sidesOf(hosts, home), node }, { rounds });
    await worker.kill();
    const without = await interleave({ ...sidesOf(hosts, down), node }, { rounds });
    const idleNode = () => afterASecond(home);
    const first = sidesOf(hosts, hung, () => withoutMark(hung));
    const broken = await interleave({ ...first, node, idleNode }, { rounds, warmup: 1 });
    return hosts.flatMap((host) => figuresOfHost(host, { up, without, broken }));
  } finally {
    stopListening();
    await worker.kill();
    for (const each of homes) each.remove();
  }
}

function figuresOfHost(host, { up, without, broken }) {
  const [answered, refused, waited] = [
    figuresOf(withoutProfiles(up, host)),
    figuresOf(withoutProfiles(without, host)),
    waitingFiguresOf(withoutProfiles(broken, host)),
  ];
  return Object.entries(kinds).flatMap(([kind, { deadlineMs }]) => {
    const [name, side] = [`${host}: ${kind} hook`, sideName(host, kind)];
    return [
      answered(name, side, targets[kind]),
      refused(`${name}, worker down`, side, "<= 1.8"),
      waited(`${name}, worker hung`, side, deadlineMs),
    ];
  });
}

function withoutProfiles(times, host) {
  if (!startsLoginShell(host)) return times;
  const profilesMs = times[sideName(host, "shell")].p50 - times[sideName(host, "plainShell")].p50;
  const less = ({ p50, p95, n }) => ({ p50: p50 - profilesMs, p95: p95 - profilesMs, n });
  const own = Object.keys(kinds).map((kind) => sideName(host, kind));
  return { ...times, ...Object.fromEntries(own.map((side) => [side, less(times[side])])) };
}

function startsLoginShell(host) {
  const { shell, plainShell } = emptyShells(host);
  return shell.join() !== plainShell.join();
}

function sidesOf(hosts, home, prepare = () => undefined) {
  const pairs = hosts.flatMap((host) => Object.keys(kinds).map((kind) => [host, kind]));
  const measure = (host, kind) => () => {
    prepare();
    return runHook(host, kind, home).ms;
  };
  const shells = hosts.filter(startsLoginShell).flatMap((host) => shellSides(host, home));
  return Object.fromEntries([
    ...pairs.map(([host, kind]) => [sideName(host, kind), measure(host, kind)]),
    ...shells,
  ]);
}

function shellSides(host, { env }) {
  const start = ([program, ...args]) => timeProcess(program, args, { env }).ms;
  return Object.entries(emptyShells(host)).map(([name, words]) => [sideName(host, name), () => start(words)]);
}

function sideName(host, kind) {
  return `${host} ${kind}`;
}

// A prompt hook that brings nothing back would be a fast one.
function bringsContext(host, home) {
  const { stdout } = runHook(host, "prompt", home);
  if (!/additional_?context/i.test(stdout)) throw new Error(`a prompt brought no context to ${host}`);
}

function runHook(host, kind, home) {
  const hook = registeredHooks(home, host).find(({ event }) => kinds[kind].event.test(event));
  const [program, ...args] = hook.words;
  return timeProcess(program, args, { env: hook.env, input: newPayload(host, hook.event) });
}

let runs = 0;

// The same event twice would be stored once, and a session that knows its context gets none: both are fast answers.
function newPayload(host, event) {
  const sample = samplePayload(host, event);
  const id = `bench-${process.pid}-${++runs}`;
  const fields = ["session_id", "conversation_id", "generation_id", "turn_id", "prompt_id", "tool_use_id"];
  for (const name of fields) if (name in sample) sample[name] = id;
  if ("prompt" in sample) sample.prompt = `What did we say about the release? (${runs})`;
  if ("timestamp" in sample) sample.timestamp = new Date(1_795_000_000_000 + runs).toISOString();
  return JSON.stringify({ ...sample, cwd: "/home/user/demo" });
}
