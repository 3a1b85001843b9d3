import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createTestDatabase } from "../helpers/postgres.ts";
import { volume } from "../helpers/volume.ts";
import { calledMem, endOf, type Mem, runMem } from "./mem.ts";

const url = await createTestDatabase();
const bin = fileURLToPath(new URL("../../bin/mem.js", import.meta.url));
const shop = ["--team", "acme", "--project", "shop"];

/** `mem server …` with something on its standard input. */
async function piped(mem: Mem, input: string | Buffer, ...words: string[]) {
  const child = spawn(process.execPath, [bin, "server", ...words], { env: mem.home.env });
  child.stdin.on("error", () => undefined).end(input);
  return endOf(child);
}

function anExport(n: number): string {
  const id = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
  const counts = { sessions: 1, events: n, observations: 0 };
  const head = {
    mem: "project-export",
    formatVersion: 1,
    product: "0.1.0",
    exportedAt: "2026-01-01T00:00:00.000Z",
  };
  const session = {
    ...{ id: id(0), contentSessionId: "s", platformSource: "", agentId: null, agentType: null, title: null },
    ...{ status: "completed", promptCount: 1, metadata: {}, startedAtEpoch: 1, lastActiveAtEpoch: 2 },
    ...{ endedAtEpoch: 3, lastGeneratedAtEpoch: null },
  };
  const event = (index: number) => ({
    ...{
      id: id(index),
      contentSessionId: "s",
      sourceType: "hook",
      sourceEventId: null,
      eventType: "tool_use",
    },
    ...{
      platformSource: "",
      payload: { index },
      metadata: {},
      occurredAtEpoch: index,
      receivedAtEpoch: index,
    },
  });
  const lines = [
    { ...head, team: "old", project: "old", projectId: id(999_999), counts },
    { session },
    ...Array.from({ length: n }, (_, index) => ({ event: event(index + 1) })),
  ];
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

test("exports to and imports from a pipe and a private file", async () => {
  const mem = calledMem({ MEM_DATABASE_URL: url });
  const first = await piped(mem, anExport(500), "import", ...shop, "--json");
  expect(first.code, first.stderr).toBe(0);
  const counts = { sessions: 1, events: 500, observations: 0 };
  expect(JSON.parse(first.stdout)).toMatchObject({ read: counts, created: counts });
  const file = join(mem.home.dataDir, "..", "shop.jsonl");
  const out = await mem("server", "export", ...shop, "--out", file);
  expect([out.code, out.stdout]).toEqual([0, ""]);
  expect(out.stderr).toBe(`1 session, 500 events and 0 observations in ${file}.\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const refused = await mem("server", "export", ...shop, "--out", file);
  expect(refused).toMatchObject({ code: 65, stderr: expect.stringContaining(`--out ${file} --force`) });
  expect((await mem("server", "export", ...shop, "--out", file, "--force")).code).toBe(0);
  const streamed = await runMem(mem.home, ["server", "export", ...shop]);
  expect(streamed.code).toBe(0);
  // The header carries the time.
  expect(streamed.stdout.split("\n").slice(1)).toEqual(readFileSync(file, "utf8").split("\n").slice(1));
  const again = await mem("server", "import", ...shop, file);
  expect(again.stdout).toBe(
    "Read 1 session, 500 events and 0 observations; new: 0 sessions, 0 events and 0 observations.\n",
  );
  const beside = await mem("server", "import", "--team", "acme", "--project", "copy", file, "--json");
  expect(JSON.parse(beside.stdout).created).toEqual(counts);
});

test("a bad export, project or file ends with an exit code and creates nothing", async () => {
  const mem = calledMem({ MEM_DATABASE_URL: url });
  const nothing = ["--team", "nobody", "--project", "none"];
  expect(await mem("server", "export", ...nothing)).toMatchObject({ code: 66, stdout: "" });
  const damaged = await piped(mem, "hello\n", "import", ...nothing);
  expect(damaged).toMatchObject({ code: 65, stdout: "" });
  expect(damaged.stderr).toContain("The first line is not the header of a project export");
  expect((await mem("server", "import", ...nothing, "/nonexistent/a.jsonl")).code).toBe(66);
  expect((await mem("server", "export", ...nothing)).code).toBe(66);
  expect((await mem("server", "export", "--team", "acme")).code).toBe(64);
  // What is damaged further on, before anything is stored, leaves no team and no project either.
  const { counts } = JSON.parse((await mem("server", "status", "--json")).stdout);
  const cut = await piped(mem, `${anExport(1).split("\n", 1)[0]}\n{"event":{}}\n`, "import", ...nothing);
  expect(cut.code).toBe(65);
  expect(cut.stderr).toContain("Line 2");
  expect(cut.stderr).toContain("Nothing was imported");
  expect(JSON.parse((await mem("server", "status", "--json")).stdout).counts).toEqual(counts);
  // A project that was there stays, and so does what stands before the damage.
  const there = ["--team", "acme", "--project", "shop"];
  expect((await piped(mem, `${anExport(1).split("\n", 1)[0]}\n{}\n`, "import", ...there)).code).toBe(65);
  expect((await runMem(mem.home, ["server", "export", ...there])).code).toBe(0);
  const blank = await piped(mem, anExport(1), "import", "--team", " ", "--project", "a");
  expect(blank.code).toBe(64);
});

test("a closed pipe ends an export silently", async () => {
  const mem = calledMem({ MEM_DATABASE_URL: url });
  const many = ["--team", "acme", "--project", "many"];
  expect((await piped(mem, anExport(volume(5_000, 1_000)), "import", ...many)).code).toBe(0);
  const child = spawn(process.execPath, [bin, "server", "export", ...many], {
    env: mem.home.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = text(child.stderr);
  await once(child.stdout, "data");
  child.stdout.destroy();
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  expect(await said).toBe("");
});

test("without a database, an export says so and creates none", async () => {
  const { code, stderr } = await calledMem()("server", "export", ...shop);
  expect(code).toBe(66);
  expect(stderr).toContain("MEM_DATABASE_URL");
});
