import { describe, expect, test } from "vitest";
import type { HostEvent } from "../../src/hosts/host-event.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { createMeasured, isInControl } from "../../src/worker/control-group.ts";
import type { Injections } from "../../src/worker/injections.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const sessions = Array.from({ length: 1_000 }, (_, number) => `session-${number}`);
const inControl = sessions.find((session) => isInControl(session, 10)) ?? "";
const outside = sessions.find((session) => !isInControl(session, 50)) ?? "";

/** Injections that always have a text, measured; what was noted. */
function measured(percent: number) {
  const noted: string[] = [];
  const text = async () => "context";
  const injections = {
    ...{ atStart: text, atPrompt: text, beforeFile: text, beforeCommand: text, ofProject: text },
    ...{ afterTool: text, afterWrite: async () => undefined, beforeCompact: async () => undefined },
  } satisfies Injections;
  const contextLedger = {
    since: ({ session }: { session: string }, item: string) =>
      noted.includes(`${session} ${item}`) ? 1 : undefined,
    add: ({ session, reader }: { session: string; reader: string }, added: readonly string[]) => {
      expect(reader).toBe("#report");
      noted.push(...added.map((item) => `${session} ${item}`));
    },
  };
  const measure = createMeasured({
    settings: loadSettings({ dataDir: tempDir(), env: { MEM_CONTROL_GROUP_PERCENT: `${percent}` } }),
    store: { contextLedger, commit: async (work) => work() },
    clock: { now: () => 1, monotonicMs: () => 1 },
  });
  return { noted, ...measure(injections) };
}

const event = <K extends HostEvent["kind"]>(kind: K, sessionId: string, fields: object = {}) =>
  ({ kind, sessionId, ...fields }) as Extract<HostEvent, { kind: K }>;
const how = { host: "claude-code", eventKey: "e", hasLeft: () => false };

describe("the control group", () => {
  test("has about its share of sessions, and keeps them when the share grows", () => {
    const of = (percent: number) => sessions.filter((session) => isInControl(session, percent));
    expect(of(0)).toEqual([]);
    expect(of(10).length).toBeGreaterThan(60);
    expect(of(10).length).toBeLessThan(140);
    expect(of(20)).toEqual(expect.arrayContaining(of(10)));
  });

  test("gets nothing at any moment, and is noted once", async () => {
    const { noted, ...injections } = measured(10);
    const all = (session: string) =>
      Promise.all([
        injections.atStart(event("session_start", session), how),
        injections.atPrompt(event("prompt", session), how),
        injections.beforeFile(event("before_file", session), how),
        injections.beforeCommand(event("before_command", session), how),
        injections.ofProject(event("context", session), how),
        injections.afterTool(event("tool_use", session), how),
      ]);
    expect(await all(inControl)).toEqual([null, null, null, null, null, null]);
    expect(new Set(noted)).toEqual(new Set([`${inControl} control`]));
    expect(await all(outside)).toEqual(Array(6).fill("context"));
    expect(new Set(noted).size).toBe(1);
  });

  test("is empty by default", async () => {
    const { noted, ...injections } = measured(0);
    expect(await injections.atStart(event("session_start", inControl), how)).toBe("context");
    expect(noted).toEqual([]);
  });
});

test.each([
  ["mcp__mem__get_observations", { ids: [12, "S3"] }, ["12", "S3"]],
  ["mcp__plugin_mem_mem__get_observations", { ids: ["P4"] }, ["P4"]],
  ["mcp__mem__search", { query: "12" }, []],
  ["Bash", { command: "cd /w && npx mem show 12 '#S3' --json" }, ["12", "S3"]],
  ["Bash", { command: "mem search 12" }, []],
  ["Bash", { command: "git show 12" }, []],
])("records that an agent reads by id are noted: %s %j", async (toolName, toolInput, names) => {
  const { noted, afterWrite } = measured(0);
  await afterWrite(event("tool_use", outside, { toolName, toolInput }));
  expect(noted).toEqual(names.map((name) => `${outside} fetched:${name}`));
});
