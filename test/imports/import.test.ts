// Imports of sources that cannot be read, and of content that the worker refuses.
import { expect, test } from "vitest";
import { MemError } from "../../src/core/errors.ts";
import { noImports } from "../../src/core/records/imports.ts";
import { type ImportPort, importAll } from "../../src/imports/import.ts";
import { recordStep, type Source } from "../../src/imports/source.ts";
import type { Json, JsonObject } from "../../src/text/json.ts";

function sourceOf(name: string, steps: Source["steps"]): Source {
  return { kind: "notes", name, key: name, host: "notes", size: 1, steps };
}

function sourceWith(records: JsonObject[]): Source {
  return sourceOf("good", async function* () {
    yield recordStep(records, { read: 1, lines: records.length, position: null });
  });
}

// biome-ignore lint/correctness/useYield: it has no steps
const bad = sourceOf("bad", async function* () {
  throw new RangeError("Maximum call stack size exceeded");
});

const note = (text: string): JsonObject => ({ type: "observation", claude_session_id: "s", text });

function portOf(importRecords: ImportPort["importRecords"]): ImportPort {
  return {
    importRecords,
    importBatch: async () => noImports,
    importState: async () => ({ position: null, waiting: 0 }),
  };
}

const takeAll = async (records: readonly Json[]) => ({ outcomes: records.map(() => "added") });

const run = (sources: Source[], importRecords: ImportPort["importRecords"]) =>
  importAll(sources, {
    port: portOf(importRecords),
    signal: new AbortController().signal,
    filter: null,
    onProgress: () => undefined,
  });

test("any error of one source is named with a next step, and the others are imported", async () => {
  const why =
    "bad cannot be read: Maximum call stack size exceeded. What it reads: `mem import notes --help`.";
  const ended = { records: 1, finished: 2, unreadable: [why] };
  expect(await run([bad, sourceWith([note("a")])], takeAll)).toMatchObject(ended);
});

test("an error of the only source is import_unreadable", async () => {
  await expect(run([bad], takeAll)).rejects.toMatchObject({ code: "import_unreadable" });
});

test("an error of the worker ends the import", async () => {
  const away = async () => {
    throw new MemError("unauthenticated");
  };
  await expect(run([bad, sourceWith([note("a")])], away)).rejects.toMatchObject({ code: "unauthenticated" });
});

test("a record that the worker refuses is left out, and the others are imported", async () => {
  const records = ["a", "b", "refused", "c"].map(note);
  const importRecords = async (part: readonly Json[]) => {
    if (JSON.stringify(part).includes("refused")) throw new MemError("payload_too_large");
    return takeAll(part);
  };
  expect(await run([sourceWith(records)], importRecords)).toMatchObject({ records: 3, skipped: 1 });
});

test("records go in requests of fewer bytes than the worker takes", async () => {
  const records = Array.from({ length: 60 }, () => note("\u6587".repeat(60_000)));
  let most = 0;
  const importRecords = async (part: readonly Json[]) => {
    most = Math.max(most, Buffer.byteLength(JSON.stringify(part)));
    return takeAll(part);
  };
  expect(await run([sourceWith(records)], importRecords)).toMatchObject({ records: 60 });
  expect(most).toBeLessThan(8 * 1024 * 1024);
});
