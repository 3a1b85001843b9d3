import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MemError } from "../../src/core/errors.ts";
import { renderSpoolLine } from "../../src/core/records/spool.ts";
import { isJsonObject, type JsonObject } from "../../src/text/json.ts";
import { createSpoolDrain } from "../../src/worker/spool-drain.ts";

const day = 24 * 3_600_000;
const now = 1_795_000_000_000;

let directory: string;
let received: { host: string; event: string; payload: JsonObject; at: number }[];
let fail: (payload: JsonObject) => void;
let warned: string[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "mem-spool-"));
  received = [];
  fail = () => undefined;
  warned = [];
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function drain(isStopping: () => boolean = () => false): Promise<void> {
  return createSpoolDrain({
    directory,
    clock: { now: () => now, monotonicMs: () => now },
    log: pino({ level: "warn" }, { write: (line: string) => void warned.push(line) }),
    async receive(host, event, sent, { at }) {
      const payload = isJsonObject(sent) ? sent : {};
      fail(payload);
      received.push({ host, event, payload, at });
      return "";
    },
  }).drain(isStopping);
}

function spool(name: string, ...lines: string[]): void {
  writeFileSync(join(directory, name), lines.map((line) => `${line}\n`).join(""));
}

const line = (n: number, at = now - 1_000) =>
  renderSpoolLine({
    v: 1,
    host: "claude-code",
    event: "post-tool-use",
    received_at_epoch: at,
    payload: { n },
  });

describe("draining the spool", () => {
  test("takes every line in, in order, with the time it happened, and removes the file", async () => {
    spool("2026-11-21T07.jsonl", line(1), line(2, now - 60_000));
    spool("2026-11-21T08.jsonl", line(3));
    await drain();
    expect(received.map(({ payload }) => payload.n)).toEqual([1, 2, 3]);
    expect(received[1]).toMatchObject({ host: "claude-code", event: "post-tool-use", at: now - 60_000 });
    expect(readdirSync(directory)).toEqual([]);
  });

  test("takes up a file that a killed worker had begun", async () => {
    spool("2026-11-21T07.jsonl.draining", line(1));
    spool("2026-11-21T07.jsonl", line(2));
    await drain();
    expect(received.map(({ payload }) => payload.n).sort()).toEqual([1, 2]);
    expect(readdirSync(directory)).toEqual([]);
  });

  test("drops what is older than seven days", async () => {
    spool("old.jsonl", line(1, now - 8 * day), line(2, now - 6 * day));
    await drain();
    expect(received.map(({ payload }) => payload.n)).toEqual([2]);
  });

  test("sets torn and refused lines aside for a person, and goes on", async () => {
    fail = (payload) => {
      if (payload.n === 2) throw new MemError("host_unknown");
    };
    spool("a.jsonl", '{"v":1,"host":"cla', line(1), line(2), line(3));
    await drain();
    expect(received.map(({ payload }) => payload.n)).toEqual([1, 3]);
    expect(readFileSync(join(directory, "rejected"), "utf8")).toBe(`{"v":1,"host":"cla\n${line(2)}\n`);
  });

  test("keeps the file when the store cannot take it now", async () => {
    fail = () => {
      throw new MemError("storage_full");
    };
    spool("a.jsonl", line(1));
    await expect(drain()).rejects.toThrow();
    fail = () => undefined;
    await drain();
    expect(received.map(({ payload }) => payload.n)).toEqual([1]);
  });

  test("stops at the next line with the worker, and continues after the next start", async () => {
    spool("a.jsonl", line(1), line(2), line(3));
    await drain(() => received.length === 1);
    expect(received.map(({ payload }) => payload.n)).toEqual([1]);
    await drain();
    expect(new Set(received.map(({ payload }) => payload.n))).toEqual(new Set([1, 2, 3]));
    expect(readdirSync(directory)).toEqual([]);
  });

  test("takes in a line that a stopped hook wrote while the file was read", async () => {
    let late = [line(2), line(3)];
    fail = () => {
      for (const text of late) appendFileSync(join(directory, "a.jsonl.draining"), `\n${text}\n`);
      late = [];
    };
    spool("a.jsonl", line(1));
    await drain();
    expect(received.map(({ payload }) => payload.n)).toEqual([1, 2, 3]);
    expect(readdirSync(directory)).toEqual([]);
  });

  test("what was rejected stays below 1 MB, and goes after seven days", async () => {
    const rejected = join(directory, "rejected");
    spool("a.jsonl", ...Array.from({ length: 30 }, () => "x".repeat(50_000)));
    await drain();
    expect(statSync(rejected).size).toBeGreaterThan(900_000);
    expect(statSync(rejected).size).toBeLessThanOrEqual(1_048_576);
    utimesSync(rejected, (now - 6 * day) / 1_000, (now - 6 * day) / 1_000);
    await drain();
    expect(existsSync(rejected)).toBe(true);
    utimesSync(rejected, (now - 8 * day) / 1_000, (now - 8 * day) / 1_000);
    await drain();
    expect(existsSync(rejected)).toBe(false);
  });

  test("the log says how many events had no room, once", async () => {
    writeFileSync(join(directory, "dropped"), "...");
    await drain();
    await drain();
    expect(warned.map((text) => JSON.parse(text))).toMatchObject([{ events: 3 }]);
    expect(readdirSync(directory)).toEqual([]);
  });
});
