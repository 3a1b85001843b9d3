// Editing and undoing through the worker's routes, on a real database file.
import { describe, expect, test } from "vitest";
import { disagreements } from "../../src/store/sqlite/derived-check.ts";
import { ask, db, eachWithAWorker, hits, remove, restore, rows, tablesWith, workIn } from "./trash-world.ts";

eachWithAWorker();

describe("an edit", () => {
  test.each([
    [
      "observations",
      { title: "Mango", facts: ["Ripe."], concepts: ["gotcha"], obs_type: "bugfix", subtitle: "" },
    ],
    ["observations", { text: "A mango.\n\nIt is ripe." }],
    ["summaries", { learned: "A mango is ripe.", notes: "" }],
    ["prompts", { prompt_text: "Look at the mango." }],
    ["sessions", { title: "Mango" }],
  ])("of %s with %j is undone", async (kind, change) => {
    await workIn("s-1", "kumquat");
    await ask("PATCH", "/sessions/1", { title: "Before" });
    const before = rows();
    const single = {
      observations: "observation",
      summaries: "summary",
      prompts: "prompt",
      sessions: "session",
    };
    const changed = await ask("PATCH", `/api/${kind}/1`, change);
    expect(changed.status).toBe(200);
    expect(JSON.stringify(changed.body)).toMatch(/mango/i);
    if (kind !== "sessions") expect(await hits("mango")).toBe(1);
    const { items } = (await ask("GET", "/api/trash?limit=1")).body;
    expect(items).toMatchObject([{ kind: single[kind as keyof typeof single], id: 1, action: "edited" }]);
    const undone = await restore(items[0].trash_id);
    expect(undone.status).toBe(200);
    expect(await hits("mango")).toBe(0);
    const same = (all: Record<string, string[]>) =>
      JSON.parse(JSON.stringify(all).replaceAll(/\\"revision\\":\d+/g, ""));
    expect(same(rows())).toEqual(same(before));
    expect(disagreements(db)).toEqual({});
  });

  test("that a later edit hides is undone after that one", async () => {
    await ask("POST", "/observations", { claudeSessionId: "s-1", project: "app", title: "One" });
    for (const title of ["Two", "Three"]) await ask("PATCH", "/api/observations/1", { title });
    const { items } = (await ask("GET", "/api/trash")).body;
    const [later, earlier] = items;
    expect(items).toMatchObject([{ title: "Two" }, { title: "One" }]);
    expect((await restore(earlier.trash_id)).status).toBe(409);
    await restore(later.trash_id);
    await restore(earlier.trash_id);
    expect((await ask("GET", "/api/observation/1")).body.title).toBe("One");
  });

  test("of a deleted record is undone after the record is restored", async () => {
    await ask("POST", "/observations", { claudeSessionId: "s-1", project: "app", title: "One" });
    await ask("PATCH", "/api/observations/1", { title: "Two" });
    const { body } = await remove("/api/observations/1");
    const edited = (await ask("GET", "/api/trash")).body.items[1];
    const refused = await restore(edited.trash_id);
    expect(refused.status).toBe(409);
    expect(refused.body.error.hint).toContain(`/api/trash/${body.trash_id}/restore`);
  });

  test("stores neither private parts nor secrets, and the same text changes nothing", async () => {
    await workIn("s-1", "kumquat");
    const secret = "Ripe <private>CANARY</private> AKIAIOSFODNN7EXAMPLE";
    for (const [path, body] of [
      ["/api/observations/1", { subtitle: secret, facts: [secret] }],
      ["/api/summaries/1", { notes: secret }],
      ["/api/prompts/1", { prompt_text: secret }],
      ["/api/sessions/1", { title: secret }],
    ] as const) {
      expect((await ask("PATCH", path, body)).status).toBe(200);
      expect((await ask("PATCH", path, body)).status).toBe(200);
    }
    expect(tablesWith("CANARY")).toEqual([]);
    expect(tablesWith("AKIAIOSFODNN7EXAMPLE")).toEqual([]);
    expect((await ask("GET", "/api/trash")).body.items).toHaveLength(4);
    const refused = await ask("PATCH", "/api/prompts/1", { prompt_text: "<private>all</private>" });
    expect(refused.status).toBe(400);
  });
});
