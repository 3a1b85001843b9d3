// What is written of errors: words instead of a driver's objects, and a count instead of a line for each in an outage.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MemError } from "../../src/core/errors.ts";
import { createLog } from "../../src/core/log.ts";
import { createRepeatedErrors, loggedError } from "../../src/core/log-errors.ts";
import { toStorageError } from "../../src/store/postgres/storage-error.ts";
import { createTestDatabase } from "../helpers/postgres.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const database = await createTestDatabase();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function written(work: (log: ReturnType<typeof createLog>["log"]) => void): Promise<{
  text: string;
  lines: Record<string, unknown>[];
}> {
  const file = join(tempDir(), "server.log");
  const { log, close } = createLog(file, "INFO");
  work(log);
  vi.useRealTimers();
  await close();
  const text = readFileSync(file, "utf8");
  return {
    text,
    lines: text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  };
}

async function refusedByPostgres(): Promise<unknown> {
  vi.useRealTimers();
  const client = new Client({ connectionString: database });
  await client.connect();
  await client.query("create temporary table kept (word text unique)");
  await client.query("insert into kept values ('hunter2-of-a-row')");
  const refused = await client
    .query("insert into kept values ('hunter2-of-a-row')")
    .catch((cause: unknown) => cause);
  await client.end();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  return Object.assign(refused as object, { client });
}

test("logs message and code of a driver error, not its connection, statement or row", async () => {
  const refused = await refusedByPostgres();
  const { text, lines } = await written((log) => {
    log.warn({ err: refused, request_id: "r-1" }, "a write failed");
    log.error({ err: toStorageError(refused) }, "request failed");
  });
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatchObject({
    msg: "a write failed",
    request_id: "r-1",
    err: { code: "23505", message: expect.stringContaining("duplicate key") },
  });
  expect(text).not.toMatch(/hunter2|_events|connectionParameters|secretKey|insert into/);
  expect(text.length).toBeLessThan(6_000);
});

test("logs a stack for unexpected errors, not for an unavailable database", () => {
  const gone = Object.assign(new Error("connect ECONNREFUSED\n  127.0.0.1"), { code: "ECONNREFUSED" });
  expect(loggedError(toStorageError(gone))).toEqual({
    code: "storage_failed",
    message: "The database did not answer.",
    causes: ["connect ECONNREFUSED 127.0.0.1 (ECONNREFUSED)"],
  });
  expect(loggedError(new TypeError("x is not a function")).stack).toContain("log-errors.test.ts");
  expect(loggedError(new MemError("internal", { cause: new TypeError("y") })).stack).toContain(
    "log-errors.test.ts",
  );
});

test("logs the first of repeated failures, then one line with the count every 10 s", async () => {
  const away = () => new MemError("storage_failed", { cause: new Error("gone") });
  const { lines } = await written((log) => {
    for (let n = 0; n < 500; n += 1) log.error({ err: away(), request_id: `r-${n}` }, "request failed");
    vi.advanceTimersByTime(10_000);
    for (let n = 0; n < 7; n += 1) log.error({ err: away() }, "request failed");
    vi.advanceTimersByTime(10_000);
    vi.advanceTimersByTime(10_000);
    log.error({ err: away() }, "request failed");
    log.error({ err: away() }, "request failed");
    log.error({ err: new TypeError("of ours") }, "request failed");
    log.error({ err: new TypeError("of ours too") }, "request failed");
    for (let n = 0; n < 3; n += 1) log.info("the server answers");
  });
  expect(lines.map(({ msg, repeated, request_id }) => [msg, repeated, request_id])).toEqual([
    ["request failed", undefined, "r-0"],
    ["request failed", 499, "r-499"],
    ["request failed", 7, undefined],
    ["request failed", undefined, undefined],
    ["request failed", undefined, undefined],
    ["request failed", undefined, undefined],
    ["the server answers", undefined, undefined],
    ["the server answers", undefined, undefined],
    ["the server answers", undefined, undefined],
    ["request failed", 1, undefined],
  ]);
});

test("kinds of failures are counted up to a thousand; further ones are written", () => {
  const repeated = createRepeatedErrors();
  const lines: unknown[] = [];
  const write = (...args: unknown[]) => void lines.push(args);
  for (let n = 0; n < 1_500; n += 1) {
    for (let twice = 0; twice < 2; twice += 1) {
      Reflect.apply(repeated.logMethod, {}, [[{ err: new Error(`fault ${n}`) }, "request failed"], write]);
    }
  }
  expect(lines).toHaveLength(1_000 + 2 * 500);
  repeated.flush();
  expect(lines).toHaveLength(2_000 + 1_000);
});
