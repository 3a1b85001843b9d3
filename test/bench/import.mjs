// `mem import` against bare reading and JSON parsing of the same lines: lines per second, memory, and what is left to do
// after a kill. 100,000 lines of transcripts; `--size` sets the lines.
import { spawn } from "node:child_process";
import { createReadStream, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { createSession } from "./delivery/claude-code-session.mjs";
import { boundFigure, ratioFigure } from "./measure.mjs";
import { Database } from "./sqlite.mjs";
import { createTranscript } from "./transcripts.mjs";
import { ask, benchHome, own, root, startWorker } from "./worker.mjs";

const mem = join(root, "bin", "mem.js");

export async function run({ say, size = 100_000 }) {
  if (process.platform !== "linux") throw new Error("resident memory is read from /proc: Linux only");
  return measure(say, {
    name: "transcripts",
    write: (home) => writeTranscripts(home, size),
    words: (home) => ["claude-code", join(home, "past")],
    bare: (home) => readBare(join(home, "past")),
  });
}

async function measure(say, { name, write, words, bare }) {
  const whole = benchHome();
  const cut = benchHome();
  try {
    const n = write(whole.env.HOME);
    const floor = await bare(whole.env.HOME);
    const once = await importInto(whole, words(whole.env.HOME));
    say(`${name}: ${n} in ${Math.round(once.ms)} ms, bare ${Math.round(floor)} ms`);
    const again = await importInto(whole, words(whole.env.HOME));
    // The same source: its place is part of its identity.
    const resumed = await importInto(cut, words(whole.env.HOME), { kills: 3, of: once.ms });
    const perSecond = (ms) => n / (ms / 1_000);
    const [ours, least] = [perSecond(once.ms), perSecond(floor)];
    return [
      ratioFigure({
        name: `import, ${name} a second`,
        unit: "/s",
        ours: { label: `mem import, ${n} ${name}`, p50: ours, n: 1 },
        floor: { label: "reading and parsing the same", p50: least, n: 1 },
        target: ">= 0.005",
      }),
      boundFigure({
        name: `peak RSS of the worker, ${name}`,
        unit: "MiB",
        value: once.workerMib,
        n: 1,
        target: "<= 400",
      }),
      boundFigure({
        name: `peak RSS of the command, ${name}`,
        unit: "MiB",
        value: once.commandMib,
        n: 1,
        target: "<= 200",
      }),
      boundFigure({
        name: `new after a second import, ${name}`,
        unit: "rows",
        value: differing(once, again),
        n,
        target: "= 0",
      }),
      boundFigure({
        name: `other rows after ${resumed.killed} kills and an import, ${name}`,
        ...{ unit: "rows", value: differing(once, resumed), n, target: "= 0" },
      }),
    ];
  } finally {
    whole.remove();
    cut.remove();
  }
}

async function importInto(home, words, { kills = 0, of = 0 } = {}) {
  const worker = await startWorker(home, { env: { MEM_EMBEDDER: "off" } });
  let killed = 0;
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const child = start(home, words);
      const gone = new Promise((resolve) => child.once("exit", (_code, signal) => resolve(signal)));
      await Promise.race([gone, sleep((of * kill) / (kills + 2) / 2)]);
      child.kill("SIGKILL");
      if ((await gone) === "SIGKILL") killed += 1;
    }
    const started = performance.now();
    const child = start(home, words);
    let commandMib = 0;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    const look = setInterval(() => {
      commandMib = Math.max(commandMib, peakOf(child.pid));
    }, 50);
    const code = await gone;
    clearInterval(look);
    if (code !== 0) throw new Error(`mem import ended with ${code}`);
    const ms = performance.now() - started;
    await drained(worker);
    return { ms, commandMib, workerMib: peakOf(worker.pid), killed, rows: rowsIn(home) };
  } finally {
    await worker.stop();
  }
}

function start({ env }, words) {
  return own(spawn(process.execPath, [mem, "import", ...words, "--json"], { env, stdio: "ignore" }));
}

async function drained({ port }) {
  for (;;) {
    const { text } = await ask(port, "/api/processing-status");
    if (JSON.parse(text).queueDepth === 0) return;
    await sleep(200);
  }
}

function peakOf(pid) {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

const contents = {
  sessions: "select claude_session_id, project, prompt_count, created_at_epoch from sessions",
  prompts:
    "select claude_session_id, prompt_number, prompt_text, event_key, created_at_epoch from user_prompts",
  events: "select kind, event_key, payload, created_at_epoch from raw_events",
  observations: "select title, summary, obs_type, prompt_number, created_at_epoch from observations",
  summaries: "select summary_text, prompt_number, created_at_epoch from session_summaries",
};

/** Every row that an import writes, as text, with how often it is there. */
function rowsIn({ dataDir }) {
  const file = readdirSync(dataDir).find((name) => name.endsWith(".db"));
  const db = new Database(join(dataDir, file), { readonly: true });
  const counts = new Map();
  for (const [table, sql] of Object.entries(contents)) {
    for (const row of db.prepare(sql).iterate()) {
      const text = `${table} ${JSON.stringify(row)}`;
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  db.close();
  return counts;
}

function differing({ rows: a }, { rows: b }) {
  const texts = new Set([...a.keys(), ...b.keys()]);
  return [...texts].reduce((sum, text) => sum + Math.abs((a.get(text) ?? 0) - (b.get(text) ?? 0)), 0);
}

// One turn: a prompt, six tool uses and the agent's last words are 14 lines.
const turnsPerSession = 6;
const linesPerTurn = 14;
const topics = [
  "login",
  "invoice",
  "upload",
  "search",
  "calendar",
  "webhook",
  "cache",
  "parser",
  "mailer",
  "report",
];

function writeTranscripts(home, size) {
  let lines = 0;
  for (let number = 0; lines < size; number++) {
    const directory = `/home/user/project-${number % 7}`;
    const session = createSession({ name: `import ${number}`, directory, home });
    const { session_id } = session.start();
    const transcript = createTranscript(join(home, "past", `project-${number % 7}`, `${session_id}.jsonl`));
    let at = Date.UTC(2026, 0, 1) + number * 3_600_000;
    const add = (payload) => {
      at += 1_000;
      transcript.add(payload, at);
    };
    for (let turn = 0; turn < turnsPerSession && lines < size; turn++, lines += linesPerTurn)
      addTurn(session, add, number * turnsPerSession + turn);
    transcript.write();
  }
  return lines;
}

function addTurn(session, add, number) {
  const topic = topics[number % topics.length];
  const file = `src/${topic}-${number % 90}.ts`;
  const turn = session.turn(
    `The ${topic} fails when the list is empty (case ${number}). Why, and can you fix it?`,
  );
  const output = Array.from(
    { length: 30 },
    (_, line) => `${line} ${topic} ${number} const value = read(${line});`,
  ).join("\n");
  const uses = [
    { tool: "Bash", input: { command: `grep -rn ${topic} src` }, output },
    { tool: "Read", input: { file_path: file }, output },
    {
      tool: "Bash",
      input: { command: `npm test -- ${topic}` },
      error: `Exit code 1\n${topic} ${number}: expected 3, got 0`,
    },
    {
      tool: "Edit",
      input: { file_path: file, old_string: `read(${number})`, new_string: `read(${number}) ?? []` },
    },
    { tool: "Bash", input: { command: `npm test -- ${topic}` }, output: `ok ${number}` },
    { tool: "Bash", input: { command: "git status --short" }, output: ` M ${file}` },
  ];
  add(turn.prompt());
  for (const use of uses) add(turn.tool(use).after());
  add(
    turn.stop(
      `The ${topic} failed because read(${number}) gives undefined for an empty list. ` +
        `I return an empty list in ${file} instead of throwing, so that callers need no check.`,
    ),
  );
}

async function readBare(folder) {
  const started = performance.now();
  let kept = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const lines = createInterface({ input: createReadStream(join(entry.parentPath, entry.name)) });
    for await (const line of lines) kept += JSON.parse(line).type.length;
  }
  if (kept === 0) throw new Error("nothing was read");
  return performance.now() - started;
}
