import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import type { Observation } from "../../src/core/records/records.ts";
import { buildFreshness } from "../../src/worker/freshness.ts";
import { createInjections, type Injections } from "../../src/worker/injections.ts";
import { createMemoryContext } from "../helpers/memory-context.ts";
import { createMemoryStore, ledgerIn, type MemoryStore } from "../helpers/memory-store.ts";
import { tempDir } from "../helpers/temp-dir.ts";

let memory: MemoryStore;
let root: string;
let file: string;
let injections: Injections;
let keep: (observation: Observation) => Promise<void>;

beforeEach(() => {
  memory = createMemoryStore();
  onTestFinished(memory.close);
  root = tempDir();
  file = join(root, "src", "a.ts");
  mkdirSync(join(root, "src"));
  writeFileSync(file, "one");
  const { store } = memory;
  const projects = {
    placeOf: () => ({
      folder: root,
      main: root,
      repository: null,
      identities: [],
      labels: ["app"],
      objectFormat: "sha1" as const,
    }),
    labelOf: () => "app",
  };
  keep = async (observation) => {
    memory.db.prepare("update sessions set cwd = ?").run(root);
    const { blobHashes } = buildFreshness({ store, clock: systemClock, projects });
    blobHashes.add([observation]);
    await blobHashes.stop();
  };
  // A busy machine takes longer than a hook may wait.
  const deadlineMs = 60_000;
  const { changedSince, contentOf } = buildFreshness({ store, clock: systemClock, projects, deadlineMs });
  injections = createInjections({
    context: createMemoryContext(memory, {}, { changedSince, contentOf }),
    ledger: ledgerIn(store, Date.now),
    projectOf: () => "app",
    projectNamed: (label) => label,
    sessionOf: () => undefined,
    editedPaths: () => [],
    writtenFor: async () => new Set(),
  });
});

const hasLeft = () => false;
const base = () => ({
  sessionId: "s-1",
  cwd: root,
  agentId: null,
  agentType: null,
  eventKey: null,
  promptKey: null,
});

async function read(agentId: string | null = null): Promise<string | null> {
  const event = { ...base(), agentId, kind: "before_file", toolName: "Read", paths: [file] } as const;
  const text = await injections.beforeFile(event, { hasLeft });
  return text?.split("\n").slice(1, -1).join("\n") ?? null;
}

async function record(): Promise<Observation> {
  const observation = memory.addObservation({ title: "Renamed", files_modified: [file], at: Date.now() });
  await keep(observation);
  return observation;
}

test("reports a change of a shown file once for each new content", async () => {
  await record();
  expect(await read()).toContain("#1");
  expect(await read()).toBeNull();
  writeFileSync(file, "two!");
  expect(await read()).toBe(`${file} changed since these records were shown: #1.`);
  expect(await read()).toBeNull();
  utimesSync(file, 1, 1);
  expect(await read()).toBeNull();
  writeFileSync(file, "three");
  expect(await read()).toContain("changed since these records were shown: #1.");
  rmSync(file);
  expect(await read()).toBe(`${file} was removed since these records were shown: #1.`);
});

test("does not repeat a reported change until the file changes again", async () => {
  await record();
  writeFileSync(file, "two!");
  expect(await read()).toContain("(changed since: a.ts)");
  expect(await read()).toBeNull();
  writeFileSync(file, "three");
  expect(await read()).toContain("changed since these records were shown: #1.");
});

test("does not repeat a file change from the session start, but reports the next one", async () => {
  await record();
  const start = { ...base(), kind: "session_start", source: "startup" } as const;
  expect(await injections.atStart(start, { host: "scripted", eventKey: "start", hasLeft })).toContain(
    "Renamed",
  );
  expect(await read()).toBeNull();
  writeFileSync(file, "two!");
  expect(await read()).toContain("changed since these records were shown: #1.");
});

test("does not repeat before a file a change that the start reported", async () => {
  await record();
  writeFileSync(file, "two!");
  const start = { ...base(), kind: "session_start", source: "startup" } as const;
  expect(await injections.atStart(start, { host: "scripted", eventKey: "start", hasLeft })).toContain(
    "changed since: a.ts",
  );
  expect(await read()).toBeNull();
  writeFileSync(file, "three");
  expect(await read()).toContain("changed since these records were shown: #1.");
});

test("reports a change to other agents, not to the one that wrote it", async () => {
  await record();
  await read();
  await read("sub-1");
  writeFileSync(file, "two!");
  const edit = { toolName: "Edit", toolInput: {}, toolResponse: null, failed: false, wrote: [file] };
  await injections.afterUse({ ...base(), kind: "tool_use", ...edit });
  expect(await read()).toBeNull();
  expect(await read("sub-1")).toContain("changed since these records were shown: #1.");
});

test("reports a change in one block with a new record", async () => {
  await record();
  await read();
  writeFileSync(file, "two!");
  await record();
  const text = await read();
  expect(text).toContain(`${file} changed since these records were shown: #1.\nEarlier records about`);
  expect(text).toContain("#2");
  expect(text).not.toContain("#2 (changed");
});
