// Only its user can read the data directory, and mem never writes through a planted link.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findCanaries, tempDir } from "../helpers/temp-dir.ts";
import {
  drained,
  spawnWorker,
  startWorker,
  type WorkerProcess,
  workerBundle,
  workerHome,
} from "../helpers/worker-process.ts";

test("under umask 000 directories are 0700 and files 0600", async () => {
  const home = workerHome();
  const command = ["/bin/sh", "-c", 'umask 000; exec "$0" "$1"', process.execPath, workerBundle];
  const worker = await startWorker(home, command);
  await rememberSomething(worker);
  expect(openToOthers(home.dataDir)).toEqual([]);
  await worker.kill();
  expect(openToOthers(home.dataDir)).toEqual([]);
});

test("what was open to others before is closed when the worker starts", async () => {
  const home = workerHome();
  for (const name of ["logs", "spool"]) mkdirSync(join(home.dataDir, name), { recursive: true });
  writeFileSync(join(home.dataDir, "settings.json"), "{}");
  for (const name of ["", "logs", "spool"]) chmodSync(join(home.dataDir, name), 0o755);
  chmodSync(join(home.dataDir, "settings.json"), 0o644);
  const worker = await startWorker(home);
  expect(openToOthers(home.dataDir)).toEqual([]);
  await worker.stop();
});

test.each(["logs", "spool"])("refuses a link at %s/ and writes nothing to its target", async (name) => {
  const home = workerHome();
  const target = tempDir();
  mkdirSync(home.dataDir, { mode: 0o700 });
  symlinkSync(target, join(home.dataDir, name));
  const { exited, output } = spawnWorker(home);
  expect((await exited).code).toBe(78);
  expect(output()).toContain("is not a directory of this user");
  expect(readdirSync(target)).toEqual([]);
});

const planted = ["worker.json", "hook-runtime", "worker.sock", ".install-version"];

test("a planted symlink does not lead the worker to another file", async () => {
  const home = workerHome();
  const victims = tempDir();
  mkdirSync(home.dataDir, { mode: 0o700 });
  for (const name of planted) {
    writeFileSync(join(victims, name), "mine\n");
    symlinkSync(join(victims, name), join(home.dataDir, name));
  }
  const worker = await startWorker(home);
  await rememberSomething(worker);
  await worker.stop();
  const texts = planted.map((name) => readFileSync(join(victims, name), "utf8"));
  expect(texts).toEqual(planted.map(() => "mine\n"));
});

test("a settings file that is a symlink is refused, not followed and not replaced", async () => {
  const home = workerHome();
  const victim = join(tempDir(), "victim");
  writeFileSync(victim, "{}\n");
  mkdirSync(home.dataDir, { mode: 0o700 });
  symlinkSync(victim, join(home.dataDir, "settings.json"));
  const { exited, output } = spawnWorker(home);
  expect((await exited).code).toBe(78);
  expect(output()).toContain("symbolic link");
  expect(readFileSync(victim, "utf8")).toBe("{}\n");
  expect(lstatSync(join(home.dataDir, "settings.json")).isSymbolicLink()).toBe(true);
});

test("no file of the data directory contains private text or a secret", async () => {
  const home = workerHome();
  const worker = await startWorker(home);
  const canary = "canary-7f3a9c";
  const key = ["sk-ant-api03-", "Q7".repeat(46), "AA"].join("");
  for (const [index, text] of [
    `<private>${canary}</private>`,
    `< PRIVATE a="b">${canary}`,
    `token=${key}`,
  ].entries()) {
    const { status } = await worker.post("/api/sessions/observations", {
      claudeSessionId: "private",
      tool_use_id: `private-${index}`,
      tool_name: "Bash",
      tool_input: { command: `echo ${text}` },
      tool_response: { stdout: text },
    });
    expect(status).toBe(200);
  }
  const prompt = await worker.post("/api/sessions/init", {
    claudeSessionId: "private",
    prompt: `<private>${canary}</private> please`,
  });
  expect(prompt.status).toBe(200);
  await drained(worker);
  expect(findCanaries(home.dataDir, [canary, key])).toEqual([]);
  await worker.stop();
  expect(findCanaries(home.dataDir, [canary, key])).toEqual([]);
});

async function rememberSomething(worker: WorkerProcess): Promise<void> {
  const { status } = await worker.post("/api/sessions/observations", {
    claudeSessionId: "files",
    tool_name: "Read",
    tool_input: { file_path: "/home/user/app/a.ts" },
    tool_response: { content: "a" },
  });
  expect(status).toBe(200);
  await drained(worker);
}

/** Every path in the directory, and the directory, that others may read, write or enter. */
function openToOthers(directory: string): string[] {
  const paths = readdirSync(directory, { recursive: true }).map((name) => join(directory, String(name)));
  return [directory, ...paths]
    .map((path) => ({ path, mode: lstatSync(path).mode & 0o777 }))
    .filter(({ mode }) => (mode & 0o077) !== 0)
    .map(({ path, mode }) => `${path} ${mode.toString(8)}`);
}
