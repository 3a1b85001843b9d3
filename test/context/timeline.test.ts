import { describe, expect, it } from "vitest";
import { textTokens } from "../../src/context/budget.ts";
import { createMemoryContext } from "../helpers/memory-context.ts";
import { eachMemoryStore, someTime } from "../helpers/memory-store.ts";
import { addLongRecords } from "./long-records.ts";

const hour = 60 * 60 * 1000;

const memory = eachMemoryStore();

const pin = "update observations set pinned = 1 where id = ?";
const addMany = (count: number, title?: string) => addLongRecords(memory, count, title);

describe("the timeline", () => {
  it("groups the records of a day by file, relative to the project's folder", async () => {
    const about = (title: string, file: string | null, at: number) =>
      memory.addObservation({ title, files_modified: file === null ? [] : [file], at: someTime + at });
    about("Older a", "/w/app/src/a.ts", 1);
    about("Older b", "/w/app/src/b.ts", 2);
    about("Newer a", "/w/app/src/a.ts", 3);
    about("No file", null, 4);
    about("Elsewhere", "/etc/very/far/away.conf", 5);
    about("Edited src/c.ts: says so itself", "/w/app/src/c.ts", 0);
    about("Edited d.ts: first", "/w/app/src/d.ts", 6);
    about("Edited d.ts: second", "/w/app/src/d.ts", 7);
    const text = await createMemoryContext(memory, { fullCount: 0 }).sessionText("app");
    const cells = text.match(/^\|.*\|$/gm)?.map((line) => line.split(" |").slice(0, 2).join(" |")) ?? [];
    expect(cells.slice(2)).toEqual([
      "| 2026-11-20 |",
      "| 4 | No file",
      "| 6 | Edited src/c.ts: says so itself",
      "|  | src/d.ts:",
      "| 8 | Edited d.ts: second",
      "| 7 | Edited d.ts: first",
      "|  | …/very/far/away.conf:",
      "| 5 | Elsewhere",
      "|  | src/a.ts:",
      "| 3 | Newer a",
      "| 1 | Older a",
      "|  | src/b.ts:",
      "| 2 | Older b",
    ]);
  });

  it("lists pinned records first, superseded ones last, rejected ones never", async () => {
    const story = { narrative: "told in full" };
    const add = (title: string, at: number, session = "s") =>
      memory.addObservation({ ...story, title, at: someTime + at * hour, session });
    const [pinned, old, wrong] = [add("Pinned", 1, "long ago"), add("Old way", 2), add("Wrong", 3)];
    const fresh = add("New way", 4);
    const set = memory.db.prepare(
      "update observations set status = ?, pinned = ?, superseded_by = ? where id = ?",
    );
    set.run("active", 1, null, pinned.id);
    set.run("superseded", 0, fresh.id, old.id);
    set.run("rejected", 0, null, wrong.id);
    const context = createMemoryContext(memory, { sessions: 1 });
    const text = await context.sessionText("app");
    expect(text).toContain("## Pinned\n- Pinned (#1, 2026-11-20)\n  - told in full\n");
    expect(text.match(/^- \*\*#\d+ [^*]+/gm)).toEqual(["- **#4 New way"]);
    expect(text).toContain("| superseded |");
    expect(text).toContain("| 2 | Old way (superseded by #4) |");
    expect(text).not.toContain("Wrong");
    expect(await context.inject({ projects: ["app"], colors: true })).not.toContain("Wrong");
    expect(context.recent({ project: "app", limit: 2 }).observations.map(({ id }) => id)).toEqual([4, 2]);
  });

  it("starts with the pinned records where the others would take the whole budget", async () => {
    const said = { said_by: "agent", standing: false, reach: "project", salience: 2 } as const;
    for (let n = 0; n < 90; n++) {
      const summary = `Finding ${n} is about \`module-${n}\` and what it does.`;
      memory.addObservation({ title: summary, summary, statement: said });
    }
    const ids = [5, 40];
    for (const id of ids) memory.db.prepare(pin).run(id);
    const context = createMemoryContext(memory, { tokenBudget: 1000 });
    const { text, records, places } = await context.forSession({ project: "app" });
    expect(text).toMatch(
      /^<.*>\n# Memory of app\n.*\n\n## Pinned\n- Finding 39 .*\n- Finding 4 .*\n\n## Found/,
    );
    expect(textTokens(text)).toBeLessThanOrEqual(1000);
    expect(textTokens(text)).toBeGreaterThan(900);
    expect(records).toEqual(expect.arrayContaining(ids));
    expect(places?.[0]).toEqual({ record: { kind: "observation", id: 40 }, section: "Pinned" });
    expect(await context.inject({ projects: ["app"], colors: true })).toMatch(
      /app\S*\n[^\n]*\n[^\n]*\n\n\S*Pinned\S*\n.*#40/,
    );
  });

  it("leaves out details of pinned records first, then the oldest of them", async () => {
    for (let n = 0; n < 20; n++) {
      const long = {
        title: `Title ${n} ${"of many words ".repeat(9)}`,
        narrative: "A long story. ".repeat(50),
      };
      const { id } = memory.addObservation({ ...long, at: someTime + n });
      memory.db.prepare(pin).run(id);
    }
    const pinned = async (tokenBudget: number) => {
      const text = await createMemoryContext(memory, { tokenBudget, observations: 200 }).sessionText("app");
      expect(textTokens(text)).toBeLessThanOrEqual(tokenBudget);
      const [, shown = ""] = text.split("\n\n");
      return { lines: shown.match(/^- Title \d+/gm) ?? [], details: shown.match(/^ {2}- /gm)?.length ?? 0 };
    };
    expect(await pinned(2000)).toMatchObject({ lines: { length: 20 }, details: 0 });
    const { lines } = await pinned(400);
    expect([lines.length > 3, lines.length < 20, lines[0]]).toEqual([true, true, "- Title 19"]);
    memory.db.prepare("update observations set pinned = 0 where id > 2").run();
    expect(await pinned(2000)).toMatchObject({ lines: { length: 2 }, details: 2 });
  });

  it("names changed files of our own records, not of records from outside", async () => {
    const record = memory.addObservation({ title: "Ours", files_modified: ["/w/app/a.ts"] });
    memory.addObservation({ title: "Theirs", provenance: "web" });
    const file = (path: string, is: "changed" | "gone" = "changed") => ({ path, is });
    const changed = [file("/w/app/a.ts"), file("/w/app/b.ts", "gone"), file("c.ts")];
    const asked: unknown[] = [];
    const context = createMemoryContext(
      memory,
      {},
      {
        async changedSince(request) {
          asked.push(request);
          return new Map(request.observations.map((id) => [id, changed]));
        },
      },
    );
    const { text } = await context.forSession({ project: "app", cwd: "/w/app/src" });
    expect(text).toContain("#1 Ours (changed since: a.ts, b.ts is gone and 1 more)");
    expect(text).toContain("Theirs (from web) |");
    expect(asked).toEqual([{ observations: [2, 1], project: "app", cwd: "/w/app/src" }]);
    const about = await context.fileText({ project: "app", path: "/w/app/a.ts" });
    expect(about).toContain(`#${record.id} 2026-11-20 change: Ours (changed since:`);
  });

  it.each([200, 700, 2000, 2500])("never costs more than its budget of %i tokens", async (tokenBudget) => {
    addMany(100, "タイトルは長くてもよい: the title is long");
    memory.addSummary({ request: "what ".repeat(200), learned: "was ".repeat(200) });
    const settings = { tokenBudget, observations: 200, fullCount: 20, lastSummary: true };
    const text = await createMemoryContext(memory, settings).sessionText("app");
    expect(textTokens(text)).toBeLessThanOrEqual(tokenBudget);
    expect(Buffer.byteLength(text)).toBeLessThan(10_000);
    expect(text).toContain("(99)");
  });
});
