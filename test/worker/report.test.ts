import { describe, expect, test } from "vitest";
import type { Injected } from "../../src/core/records/injection.ts";
import type { StatementMarks } from "../../src/core/records/statement.ts";
import { reportUse } from "../../src/worker/report.ts";
import { emptyMemory, type Memory } from "../store/sqlite/exported-memory.ts";
import { draft } from "../store/sqlite/regeneration-support.ts";

const fix: StatementMarks = {
  ...{ said_by: "tool", standing: false, reach: "project", salience: 1 },
  families: ["npm test"],
};

function session({ store }: Memory, name: string, now: number, project = "shop"): number {
  store.projects.ensure(project);
  const names = { claude_session_id: name, sdk_session_id: `sdk-${name}`, project };
  return store.sessions.insert({ ...names, host: "claude-code", cwd: "/w", now });
}

function observe(memory: Memory, of: string, made: Partial<ReturnType<typeof draft>>, at: number): number {
  const { store } = memory;
  const found = store.sessions.byClaudeId(of);
  const stored = store.observations.insert({
    draft: { ...draft(`${of} ${at}`), files_modified: [], ...made },
    ...{ session_id: found?.id ?? null, sdk_session_id: `sdk-${of}`, project: found?.project ?? "shop" },
    ...{ prompt_number: null, sources: [], generator: "local", agent_id: null, agent_type: null },
    ...{ discovery_tokens: 0, generation_key: `${of}:${at}`, created_at_epoch: at },
  });
  return stored?.id ?? 0;
}

function ran(memory: Memory, sessionId: number, command: string, failed: boolean, now: number): void {
  const payload = JSON.stringify({
    ...{ type: "observation", tool_name: "Bash", tool_input: { command } },
    ...{ tool_response: failed ? "Error: it broke\nexit code 1" : "ok", tool_failed: failed },
  });
  memory.store.rawEvents.insert({
    session_id: sessionId,
    kind: "observation",
    event_key: `${now}`,
    payload,
    now,
  });
}

function inject(
  { store }: Memory,
  of: string,
  ids: readonly number[],
  now: number,
  more: Partial<Injected> = {},
) {
  const records = ids.map((id) => ({ kind: "observation" as const, id }));
  const injected: Injected = { moment: "start", cause: null, text: "t", tokens: 10, records, ...more };
  store.injections.add({ session: of, reader: "" }, injected, now);
}

function report({ path }: Memory, more: { project?: string; since?: number } = {}) {
  const never = new AbortController().signal;
  return reportUse({ database: path, since: 0, now: 9_000, signal: never, ...more });
}

const none = { files_touched: 0, commands_passed: 0, commands_failed: 0, fetched: 0, used: 0 };

describe("a shown record is used", () => {
  test("when another file of it than the one it was shown for is touched afterwards", async () => {
    const memory = emptyMemory();
    session(memory, "old", 100);
    const [a, b] = [
      observe(memory, "old", { files_modified: ["src/a.ts"] }, 110),
      observe(memory, "old", { files_read: ["src/b.ts"] }, 120),
    ];
    for (const name of ["touches", "touched before", "same file"]) session(memory, name, 200);
    inject(memory, "touches", [a, b], 1_000);
    observe(memory, "touches", { files_read: ["src/a.ts"] }, 1_100);
    observe(memory, "touched before", { files_read: ["src/a.ts"] }, 900);
    inject(memory, "touched before", [a], 1_000);
    inject(memory, "same file", [a], 1_000, { moment: "file", cause: "/w/src/a.ts" });
    observe(memory, "same file", { files_modified: ["src/a.ts"] }, 1_100);
    const { total, kinds, injections, tokens, sessions } = await report(memory);
    expect({ injections, tokens, sessions }).toEqual({ injections: 3, tokens: 30, sessions: 3 });
    expect(total).toEqual({ ...none, shown: 4, files_touched: 1, used: 1 });
    expect(kinds).toEqual([{ kind: "work", ...total }]);
  });

  test("when its command passes afterwards, and not when it fails again", async () => {
    const memory = emptyMemory();
    session(memory, "old", 100);
    const known = observe(memory, "old", { obs_type: "bugfix", statement: fix }, 110);
    for (const [name, outcomes] of [
      ["passes", [false, false]],
      ["fails", [false, true]],
      ["does not run", []],
    ] as const) {
      const id = session(memory, name, 200);
      ran(memory, id, "npm test", true, 500);
      inject(memory, name, [known], 1_000, { moment: "command", cause: "npm test" });
      for (const [at, failed] of outcomes.entries()) ran(memory, id, "npm test -- --run", failed, 1_100 + at);
    }
    const { kinds } = await report(memory);
    expect(kinds).toEqual([
      { kind: "fix", ...none, shown: 3, commands_passed: 1, commands_failed: 1, used: 1 },
    ]);
  });

  test("when the agent reads it by its id; a record counts once for each session", async () => {
    const memory = emptyMemory();
    session(memory, "old", 100);
    const known = observe(memory, "old", {}, 110);
    session(memory, "reads", 200);
    inject(memory, "reads", [known], 1_000);
    inject(memory, "reads", [known], 1_500, { moment: "prompt", cause: "again" });
    memory.store.contextLedger.add({ session: "reads", reader: "#report" }, [`fetched:${known}`], 1_100);
    memory.store.contextLedger.clear({ session: "reads", reader: "" });
    const { total, moments } = await report(memory);
    expect(total).toEqual({ ...none, shown: 1, fetched: 1, used: 1 });
    expect(moments.map(({ moment, injections }) => [moment, injections])).toEqual([
      ["prompt", 1],
      ["start", 1],
    ]);
  });
});

test("kinds and projects are counted separately, deleted records too", async () => {
  const memory = emptyMemory();
  session(memory, "old", 100);
  const rule = observe(memory, "old", { statement: { ...fix, said_by: "user", standing: true } }, 110);
  const gone = observe(memory, "old", {}, 120);
  session(memory, "one", 200);
  session(memory, "two", 200, "blog");
  inject(memory, "one", [rule, gone], 1_000);
  inject(memory, "two", [rule], 1_000);
  await memory.store.commit(() => memory.store.deletions.observation(gone, 2_000));
  const all = await report(memory);
  expect(all.kinds.map(({ kind, shown }) => [kind, shown])).toEqual([
    ["rule", 2],
    ["gone", 1],
  ]);
  expect(all.projects.map(({ project, shown }) => [project, shown])).toEqual([
    ["blog", 1],
    ["shop", 2],
  ]);
  const blog = await report(memory, { project: "blog" });
  expect({ sessions: blog.sessions, shown: blog.total.shown }).toEqual({ sessions: 1, shown: 1 });
  expect((await report(memory, { since: 1_500 })).injections).toBe(0);
});

test("the same records are compared in sessions that they were not shown to", async () => {
  const memory = emptyMemory();
  session(memory, "old", 100);
  const known = observe(memory, "old", { files_modified: ["src/a.ts"] }, 110);
  session(memory, "shown", 1_000);
  inject(memory, "shown", [known], 1_000);
  session(memory, "touches", 1_100);
  observe(memory, "touches", { files_modified: ["src/a.ts"] }, 1_200);
  session(memory, "does not", 1_100);
  session(memory, "other project", 1_100, "blog");
  expect((await report(memory)).not_shown).toEqual({ pairs: 2, files_touched: 1 });
});
