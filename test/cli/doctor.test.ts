import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createWorkerClient } from "../../src/client/worker-client.ts";
import { dataPaths } from "../../src/core/paths.ts";
import { Database } from "../../src/store/sqlite/library.ts";
import { displayWidth } from "../../src/text/terminal-text.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { calledMem, type Mem, memsOfOneWorker, servedMem } from "./mem.ts";

const homeWithWorker = memsOfOneWorker();

test("doctor with the worker down names the next command, and ends with 0", async () => {
  const { code, stdout } = await calledMem()("doctor");
  expect(code).toBe(0);
  expect(stdout).toContain("mem worker start");
});

test("doctor with the worker up finds nothing broken", async () => {
  const mem = servedMem();
  await mem("worker", "start");
  const { code, stdout } = await mem("doctor", "--json");
  const { items: checks }: { items: { name: string; state: string }[] } = JSON.parse(stdout);
  expect(code).toBe(0);
  expect(checks.filter(({ state }) => state === "fail")).toEqual([]);
  expect(checks.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "Runtime",
      "Data directory",
      "SQLite",
      "Settings",
      "Database",
      "Worker",
      "Port",
      "Socket",
      "Spool",
      "Queue",
      "Provider",
    ]),
  );
});

test("doctor sees files that others can read, broken settings and a damaged database", async () => {
  const mem = calledMem();
  await mem("settings", "set", "MEM_MODE", "code");
  const { settings, database } = dataPaths(mem.home.dataDir);
  chmodSync(settings, 0o644);
  // No other user can reach the file behind a closed directory.
  expect((await mem("doctor")).stdout).toContain("closed to other users");
  chmodSync(mem.home.dataDir, 0o755);
  expect((await mem("doctor")).stdout).toMatch(/Other users can read[^.]*settings\.json/);
  writeFileSync(database, "this is no database, whatever it says", { mode: 0o600 });
  const damaged = await mem("doctor");
  expect(damaged.code).toBe(1);
  expect(damaged.stdout).toMatch(/fail {2}Database/);
  writeFileSync(settings, "{");
  const broken = await mem("doctor");
  expect(broken.code).toBe(1);
  expect(broken.stdout).toMatch(/fail {2}Settings/);
});

// Root may write where rights forbid it, but not into a folder of the kernel's.
const isRoot = process.getuid?.() === 0;
test.skipIf(process.platform === "win32" || (isRoot && process.platform !== "linux"))(
  "doctor and status name the repair of a data directory that cannot be written to",
  async () => {
    const dataDir = isRoot ? "/proc/self/task" : tempDir();
    if (!isRoot) chmodSync(dataDir, 0o500);
    const mem = calledMem({ MEM_DATA_DIR: dataDir });
    const { code, stdout } = await mem("doctor");
    expect(code).toBe(1);
    expect(stdout).toMatch(/fail {2}Data directory +.*cannot be written to/);
    if (isRoot) return;
    const status = await mem("status");
    expect(status).toMatchObject({ code: 0, stderr: expect.stringContaining("chmod u+rwx") });
    expect(status.stderr).not.toContain("mem worker start");
  },
);

test("doctor says which settings the worker has not taken up yet", async () => {
  const mem = servedMem();
  await mem("worker", "start");
  await mem("settings", "set", "MEM_MODE", "chill");
  await mem("settings", "set", "MEM_SKIP_TOOLS", "Bash");
  const { stdout } = await mem("doctor");
  expect(stdout.replaceAll(/\s+/g, " ")).toContain(
    "Changed since the worker started: MEM_MODE. -> mem worker restart",
  );
});

test("doctor leaves nothing behind in the data directory", async () => {
  const mem = calledMem();
  await mem("settings", "set", "MEM_MODE", "code");
  const before = readdirSync(mem.home.dataDir);
  await mem("doctor");
  expect(readdirSync(mem.home.dataDir)).toEqual(before);
});

test("doctor says that the worker crashed, and where the reason is", async () => {
  const mem = calledMem();
  await mem("settings", "set", "MEM_MODE", "code");
  const { logs, crashFile } = dataPaths(mem.home.dataDir);
  mkdirSync(logs, { mode: 0o700 });
  writeFileSync(crashFile, "boom", { mode: 0o600 });
  const { code, stdout } = await mem("doctor");
  expect(code).toBe(0);
  expect(stdout).toContain("The worker crashed just now.");
  expect(stdout).toContain(`tail ${crashFile}`);
});

test("doctor counts events that wait, and names lines that were set aside", async () => {
  const mem = calledMem();
  await mem("settings", "set", "MEM_MODE", "code");
  const { spool } = dataPaths(mem.home.dataDir);
  mkdirSync(spool, { mode: 0o700 });
  writeFileSync(join(spool, "rejected"), "x".repeat(3_000), { mode: 0o600 });
  expect(await checkNamed(mem, "Spool")).toMatchObject({
    state: "warn",
    message: expect.stringContaining("set aside"),
    next: expect.stringContaining(join(spool, "rejected")),
  });
  writeFileSync(join(spool, "2026-11-21T07.jsonl"), "y".repeat(1_000), { mode: 0o600 });
  expect(await checkNamed(mem, "Spool")).toMatchObject({
    message: "1.0 kB of events wait for the worker.",
  });
});

test("doctor says when another program has the port", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const { stdout } = await calledMem({ MEM_WORKER_PORT: String(port) })("doctor");
  expect(stdout).toContain(`${port} is used by another program`);
});

test("doctor says whether Claude Code's hooks are registered, and counts them", async () => {
  const mem = homeWithWorker();
  expect(await checkNamed(mem, "Host agents")).toMatchObject({ state: "warn" });
  mkdirSync(join(mem.home.env.HOME ?? "", ".claude"));
  expect(await checkNamed(mem, "Claude Code")).toMatchObject({
    state: "warn",
    next: "mem install claude-code",
  });
  expect((await mem("install", "claude-code")).code).toBe(0);
  expect(await checkNamed(mem, "Claude Code")).toMatchObject({
    state: "ok",
    message: expect.stringContaining("9 hooks"),
  });
});

test("doctor says when a host last sent an event and got context", async () => {
  const mem = calledMem();
  await mem("install", "claude-code");
  expect((await checkNamed(mem, "Claude Code"))?.message).toMatch(/; no event yet$/);
  await mem("remember", "Never use npm.", "--project", "shop");
  const { host, port } = JSON.parse(readFileSync(dataPaths(mem.home.dataDir).workerFile, "utf8"));
  const start = {
    session_id: "s1",
    cwd: "/home/user/shop",
    hook_event_name: "SessionStart",
    source: "startup",
  };
  await fetch(`http://${host}:${port}/api/hooks/claude-code/session-start`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(start),
  });
  expect((await checkNamed(mem, "Claude Code"))?.message).toMatch(
    /; last event just now, last context just now$/,
  );
  await mem("worker", "stop");
  expect((await checkNamed(mem, "Claude Code"))?.message).toMatch(
    /; last event not known while the worker is stopped$/,
  );
});

test("status knows the hosts that doctor knows, also after a restart of the worker", async () => {
  const mem = calledMem();
  await mem("worker", "start");
  expect((await mem("status")).stdout).toMatch(/^Hosts +none found on this machine$/m);
  await mem("install", "claude-code");
  await mem("worker", "restart");
  const hosts = async () => (await mem("status")).stdout;
  expect(await hosts()).toMatch(/^Hosts +Claude Code: hooks registered, no event yet$/m);
  const { host, port } = JSON.parse(readFileSync(dataPaths(mem.home.dataDir).workerFile, "utf8"));
  const prompt = {
    session_id: "s1",
    cwd: "/home/user/shop",
    hook_event_name: "UserPromptSubmit",
    prompt: "Go.",
  };
  await fetch(`http://${host}:${port}/api/hooks/claude-code/user-prompt-submit`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(prompt),
  });
  await mem("worker", "restart");
  expect(await hosts()).toMatch(/^Hosts +Claude Code: hooks registered, last event just now$/m);
});

test("doctor looks at the rest where no home says where Claude Code's settings are", async () => {
  const mem = calledMem({ HOME: "", USERPROFILE: "" });
  expect(await checkNamed(mem, "Claude Code")).toMatchObject({
    state: "fail",
    next: expect.stringContaining("HOME"),
  });
  expect(await checkNamed(mem, "Port")).toMatchObject({ state: "ok" });
  expect(await checkNamed(mem, "Data directory")).toMatchObject({
    message: expect.stringContaining(`${mem.home.dataDir} does not exist yet`),
  });
});

test.runIf(existsSync("/proc/self"))("doctor fails where the data directory cannot be made", async () => {
  const mem = calledMem({ MEM_DATA_DIR: "/proc/nope" });
  expect(await checkNamed(mem, "Data directory")).toMatchObject({
    state: "fail",
    message: "/proc/nope cannot be made (ENOENT), so nothing is recorded.",
  });
});

const faults: [string, (settings: string) => string, string, string][] = [
  ["are switched off", (text) => text.replace("{", '{"disableAllHooks": true,'), "fail", "disableAllHooks"],
  [
    "start a launcher that is gone",
    (text) => text.replaceAll(/ '[^']*\/bin'; /g, " '/gone/hooks'; "),
    "fail",
    "/gone/hooks/mem-hook.sh",
  ],
  ["stand in broken settings", (text) => text.slice(0, -4), "fail", "cannot be read as settings"],
  [
    "are registered in part",
    (text) => text.replace(/"Stop": \[.*?\]\s*\}\s*\],/s, ""),
    "warn",
    "8 of 9 hooks",
  ],
];

test.each(faults)("doctor notices that the hooks %s", async (_what, change, state, sentence) => {
  const mem = homeWithWorker();
  await mem("install", "claude-code");
  const file = join(mem.home.env.HOME ?? "", ".claude", "settings.json");
  const before = readFileSync(file, "utf8");
  expect(change(before)).not.toBe(before);
  writeFileSync(file, change(before));
  expect(await checkNamed(mem, "Claude Code")).toMatchObject({
    state,
    message: expect.stringContaining(sentence),
  });
  if (sentence.startsWith("/gone")) expect((await mem("status")).stderr).toContain(sentence);
});

test("hooks of the plugin count as registered", async () => {
  const mem = calledMem();
  const folder = join(mem.home.env.HOME ?? "", ".claude");
  mkdirSync(folder);
  writeFileSync(join(folder, "settings.json"), '{"enabledPlugins":{"agent-mem@agent-mem":true}}');
  expect(await checkNamed(mem, "Claude Code")).toMatchObject({ state: "ok" });
});

test("warns without hooks and plugin, also after a recent session", async () => {
  const mem = servedMem();
  await mem("worker", "start");
  const client = createWorkerClient({ dataDir: mem.home.dataDir });
  onTestFinished(() => client.close());
  const session = { claudeSessionId: "s", cwd: "/home/user/shop", project: "shop", prompt: "Mend it" };
  await client.postSession("init", { ...session, platformSource: "another" });
  expect(await checkNamed(mem, "Host agents")).toMatchObject({ state: "warn" });
  await client.postSession("init", { ...session, claudeSessionId: "t", platformSource: "claude-code" });
  expect(await checkNamed(mem, "Claude Code")).toMatchObject({
    state: "warn",
    message: expect.stringMatching(/^No hooks are registered and no plugin is enabled\. The last session/),
    next: "mem install claude-code",
  });
});

test("doctor warns when both the plugin and the settings have hooks", async () => {
  const mem = homeWithWorker();
  const folder = join(mem.home.env.HOME ?? "", ".claude");
  mkdirSync(folder);
  writeFileSync(join(folder, "settings.json"), '{"enabledPlugins":{"agent-mem@agent-mem":true}}');
  await mem("install", "claude-code", "--force");
  expect(await checkNamed(mem, "Claude Code")).toMatchObject({
    state: "warn",
    message: expect.stringContaining("twice"),
    next: "mem uninstall claude-code",
  });
});

test("doctor and status name an unusable mode once, with the next step", async () => {
  const mem = calledMem({ MEM_MODE: "gone" });
  const problem = 'There is no mode "gone".';
  const down = await checkNamed(mem, "Mode");
  expect(down).toMatchObject({ state: "warn", message: expect.stringContaining(problem) });
  expect(down?.next).toContain("mem mode use <name>");
  await mem("worker", "start");
  expect((await mem("status")).stderr).toContain(problem);
  const { stdout } = await mem("doctor", "--json");
  expect(stdout.split("There is no mode")).toHaveLength(2);
});

test("doctor names words for the context that the mode does not have", async () => {
  const mem = calledMem({ MEM_CONTEXT_OBSERVATION_TYPES: "bug", MEM_CONTEXT_OBSERVATION_CONCEPTS: "gotcha" });
  expect(await checkNamed(mem, "Context words")).toMatchObject({
    state: "warn",
    message: expect.stringContaining("The mode code has no type bug. Known:"),
    next: expect.stringContaining("mem settings set"),
  });
  expect(await checkNamed(calledMem(), "Context words")).toBeUndefined();
});

test("status names a provider without a key, doctor what is missing and what to run", async () => {
  const mem = servedMem({ MEM_PROVIDER: "secondary" });
  await mem("worker", "start");
  expect((await mem("status")).stderr).toContain(
    "secondary is not set up. See what is missing: `mem doctor`.",
  );
  expect(await checkNamed(mem, "Provider")).toEqual({
    name: "Provider",
    state: "warn",
    message: "local, because secondary is not set up: it has no key, MEM_SECONDARY_API_KEY is not set.",
    next: "mem settings set MEM_SECONDARY_API_KEY <key> && mem worker restart",
  });
});

test("no line of doctor is wider than the terminal, the next steps included", async () => {
  for (const provider of ["secondary", "compat"]) {
    const { stdout } = await calledMem({ MEM_MODE: "gone", MEM_PROVIDER: provider }).on80Columns("doctor");
    expect(stdout).toMatch(/-> (Run `)?mem settings set MEM_\w+_API_KEY <key>/);
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  }
});

interface PrintedCheck {
  name: string;
  state: string;
  message: string;
  next?: string;
}

async function checkNamed(mem: Mem, name: string): Promise<PrintedCheck | undefined> {
  const { stdout } = await mem("doctor", "--json");
  const { items: checks }: { items: PrintedCheck[] } = JSON.parse(stdout);
  return checks.find((check) => check.name === name);
}

test("doctor names an index that differs from the records, and --repair rebuilds it", async () => {
  const mem = servedMem();
  await mem("worker", "start");
  const client = createWorkerClient({ dataDir: mem.home.dataDir });
  onTestFinished(() => client.close());
  for (const text of ["peppermint", "spearmint"])
    await client.postSession("init", { claudeSessionId: "s-1", project: "shop", prompt: text });
  expect((await mem("doctor")).stdout).toMatch(/ok {4}Index +full text, files and vectors agree/);
  const db = new Database(dataPaths(mem.home.dataDir).database);
  db.prepare("delete from user_prompts_fts where rowid = 1").run();
  db.close();
  const found = await mem("doctor");
  expect(found.stdout).toMatch(
    /warn {2}Index +Differs from the records: full text of prompts \(1 record\)\./,
  );
  expect(found.stdout).toContain("-> mem doctor --repair");
  const repaired = await mem("doctor", "--repair");
  expect(repaired).toMatchObject({ code: 0, stdout: expect.stringMatching(/ok {4}Index/) });
  expect(repaired.stderr).toContain("Rebuilding the indexes of 2 records.");
  expect(repaired.stderr).not.toContain("\n\n\n");
  expect((await mem("search", "peppermint")).stdout).toContain("peppermint");
});

test("a repair starts the worker", async () => {
  const mem = calledMem();
  expect(await mem("doctor", "--repair")).toMatchObject({ code: 0 });
  expect((await mem("worker", "status")).code).toBe(0);
});
