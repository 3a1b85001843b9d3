// The spool on disk: private, whole lines from concurrent writers, bounded, and safe from planted links.
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { spoolEvent } from "../../../src/hosts/hook/spool.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { volume } from "../../helpers/volume.ts";
import { type HookHome, hookHome, launchers, runHook, spooled } from "./run-hook.ts";

const megabyte = 1_048_576;

function spool({ dataDir }: HookHome, payload: unknown, event = "post-tool-use"): void {
  spoolEvent({ host: "claude-code", event, payload: Buffer.from(JSON.stringify(payload)), dataDir });
}

function onlyFile({ dataDir }: HookHome): string {
  const names = readdirSync(join(dataDir, "spool"));
  expect(names).toHaveLength(1);
  return join(dataDir, "spool", names[0] ?? "");
}

test("concurrent hooks leave a whole line each", async () => {
  const home = hookHome();
  const ids = Array.from({ length: volume(40, 12) }, (_, index) => `toolu_${index}`);
  const runs = ids.map((id) => {
    const payload = { session_id: "s", tool_use_id: id, tool_response: "x".repeat(20_000) };
    return runHook(launchers["the Node bundle"]("post-tool-use"), home, JSON.stringify(payload));
  });
  for (const { code } of await Promise.all(runs)) expect(code).toBe(0);
  expect(
    spooled(home)
      .map(({ payload }) => payload?.tool_use_id)
      .toSorted(),
  ).toEqual(ids.toSorted());
});

test("a line that a killed writer left unfinished does not swallow the next one", () => {
  const home = hookHome();
  spool(home, { n: 1 });
  appendFileSync(onlyFile(home), '\n{"v":1,"host":"claude-co');
  spool(home, { n: 2 });
  expect(spooled(home).map(({ payload }) => payload)).toEqual([{ n: 1 }, { n: 2 }]);
});

test.each([0o000, 0o022])("folders and files are for their owner alone under umask %o", async (mask) => {
  const home = hookHome();
  const line = `umask ${mask.toString(8)}; exec ${launchers["the Node bundle"]("stop").join(" ")}`;
  await runHook(["/bin/sh", "-c", line], home, '{"session_id":"s"}');
  expect(statSync(home.dataDir).mode & 0o777).toBe(0o700);
  expect(statSync(join(home.dataDir, "spool")).mode & 0o777).toBe(0o700);
  expect(statSync(onlyFile(home)).mode & 0o777).toBe(0o600);
});

test("what was open to others is closed", () => {
  const home = hookHome();
  spool(home, { n: 1 });
  const file = onlyFile(home);
  chmodSync(file, 0o644);
  chmodSync(join(home.dataDir, "spool"), 0o755);
  spool(home, { n: 2 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(home.dataDir, "spool")).mode & 0o777).toBe(0o700);
});

test("a data directory behind a link is used, a spool behind one is not", () => {
  const home = hookHome();
  const elsewhere = tempDir();
  symlinkSync(elsewhere, home.dataDir);
  spool(home, { n: 1 });
  expect(spooled(home)).toHaveLength(1);

  const trapped = hookHome();
  const target = tempDir();
  mkdirSync(trapped.dataDir);
  symlinkSync(target, join(trapped.dataDir, "spool"));
  expect(() => spool(trapped, { n: 1 })).toThrow(expect.objectContaining({ code: "data_dir_unusable" }));
  expect(readdirSync(target)).toEqual([]);
});

test.each([
  ["link", symlinkSync],
  ["second name", linkSync],
] as const)("a spool file that is a %s of another file is not written to", (_what, make) => {
  const home = hookHome();
  spool(home, { n: 1 });
  const name = onlyFile(home);
  const target = join(tempDir(), "target");
  writeFileSync(target, "theirs");
  const trapped = hookHome();
  mkdirSync(join(trapped.dataDir, "spool"), { recursive: true });
  make(target, join(trapped.dataDir, "spool", name.split("/").at(-1) ?? ""));
  expect(() => spool(trapped, { n: 1 })).toThrow();
  expect(readFileSync(target, "utf8")).toBe("theirs");
});

test("beyond 32 MB the newest is dropped, and counted", () => {
  const home = hookHome();
  spool(home, { n: 1 });
  const folder = join(home.dataDir, "spool");
  writeFileSync(join(folder, "2026-01-01T00.jsonl"), "x".repeat(32 * megabyte - 1_000));
  spool(home, { n: 2, text: "y".repeat(2_000) });
  spool(home, { n: 3, text: "y".repeat(2_000) });
  spool(home, { n: 4 });
  expect(spooled(home).map(({ payload }) => payload?.n)).toEqual([1, 4]);
  expect(statSync(join(folder, "dropped")).size).toBe(2);
});

test("what was rejected takes no room from events", () => {
  const home = hookHome();
  spool(home, { n: 1 });
  writeFileSync(join(home.dataDir, "spool", "rejected"), "x".repeat(32 * megabyte));
  spool(home, { n: 2 });
  expect(existsSync(join(home.dataDir, "spool", "dropped"))).toBe(false);
  rmSync(join(home.dataDir, "spool", "rejected"));
  expect(spooled(home).map(({ payload }) => payload?.n)).toEqual([1, 2]);
});

test("events past their age make room when the spool is full", () => {
  const home = hookHome();
  spool(home, { n: 1 });
  const old = join(home.dataDir, "spool", "2020-01-01T00.jsonl");
  writeFileSync(old, "x".repeat(32 * megabyte));
  const then = new Date("2020-01-01T01:00:00Z");
  utimesSync(old, then, then);
  spool(home, { n: 2 });
  expect(existsSync(old)).toBe(false);
  expect(spooled(home).map(({ payload }) => payload?.n)).toEqual([1, 2]);
});

test.each(["{", "[1]", '"text"'])("%j is spooled without its payload, to be counted", (text) => {
  const home = hookHome();
  const event = { host: "claude-code", event: "stop", payload: Buffer.from(text), dataDir: home.dataDir };
  spoolEvent(event);
  spoolEvent({ ...event, failed: "status-400" });
  expect(spooled(home)).toMatchObject([{ host: "claude-code", event: "stop", payload: null }]);
});

test("an empty payload is no event, and leaves no line", () => {
  const home = hookHome();
  spoolEvent({ host: "claude-code", event: "stop", payload: Buffer.alloc(0), dataDir: home.dataDir });
  expect(spooled(home)).toEqual([]);
});
