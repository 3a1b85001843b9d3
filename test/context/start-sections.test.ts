import { beforeEach, describe, expect, it } from "vitest";
import type { StatementMarks } from "../../src/core/records/statement.ts";
import { createMemoryContext } from "../helpers/memory-context.ts";
import { eachMemoryStore, someTime } from "../helpers/memory-store.ts";

const memory = eachMemoryStore();

const hour = 3_600_000;
const marks = (part: Partial<StatementMarks>): StatementMarks => ({
  said_by: "agent",
  standing: false,
  reach: "project",
  salience: 1,
  ...part,
});

function say(text: string, part: Partial<StatementMarks> = {}, more: object = {}) {
  return memory.addObservation({ title: text, summary: text, statement: marks(part), ...more });
}

function section(text: string, heading: string): string[] {
  return (
    text
      .split(`## ${heading}\n`)[1]
      ?.split("\n\n")[0]
      ?.split("\n")
      .filter((line) => line.includes("(#")) ?? []
  );
}

const rule = { said_by: "user", standing: true, salience: 4 } as const;

describe("the start of a session", () => {
  it("passes on rules, open work, sessions and findings, in this order", async () => {
    say("The cache is keyed by locale.", { salience: 3 });
    say("The index was missing.", { salience: 2 }, { subtitle: "Asked: speed up the start.", session: "s9" });
    say("The refund route is not done yet.", { salience: 2 });
    say(
      "`make docs` failed with `no dot`. It was not fixed.",
      { said_by: "tool" },
      { obs_type: "discovery" },
    );
    say("Never edit gen/ by hand.", rule);
    say("Answer in one sentence.", { ...rule, reach: "everywhere" }, { project: "other" });
    const text = await createMemoryContext(memory).sessionText("app");
    expect(text.split("\n").slice(3, -1)).toEqual([
      "",
      "## Rules from the user",
      "- everywhere: Answer in one sentence. (#6)",
      "- Never edit gen/ by hand. (#5)",
      "",
      "## Left open",
      "- The refund route is not done yet. (#3, 2026-11-20)",
      "",
      "## Last sessions",
      "- speed up the start → The index was missing. (#2, 2026-11-20)",
      "",
      "## Found and decided",
      "- The cache is keyed by locale. (#1)",
    ]);
  });

  it("does not repeat a rule as the request or the result of a session", async () => {
    say("Always use pnpm in this repository, never npm.", rule);
    const asked = { subtitle: "Asked: Always use pnpm in this repository, never npm.", session: "s8" };
    say("The limit is 5 now.", { salience: 2 }, asked);
    say("I always use pnpm in this repository, never npm.", { salience: 3 }, { ...asked, session: "s9" });
    const text = await createMemoryContext(memory).sessionText("app");
    expect(section(text, "Last sessions")).toEqual(["- The limit is 5 now. (#2, 2026-11-20)"]);
  });

  it("quotes the agent's conclusion of a session, never the report of its sub-agent", async () => {
    const turn = { session: "s9", prompt_number: 1 };
    const title = 'general-purpose agent answered "Look at notes": notes.md has 40 lines.';
    say(title, { salience: 3 }, { ...turn, subtitle: "notes.md has 40 lines." });
    say(
      "It parses notes.md twice.",
      { salience: 1 },
      { ...turn, subtitle: "Asked: Why is the import slow?" },
    );
    const text = await createMemoryContext(memory).sessionText("app");
    expect(section(text, "Last sessions")).toEqual([
      "- Why is the import slow? → It parses notes.md twice. (#2, 2026-11-20)",
    ]);
  });

  it("takes sessions from the summaries of a model, as done and next", async () => {
    say("The limit is 5 now.", { salience: 2 }, { subtitle: "Asked: raise the limit.", session: "s8" });
    say("The route has a test.", { salience: 2 }, { subtitle: "Asked: add a route.", session: "s9" });
    const summary = { request: "Add a route.", completed: "The route works.", next_steps: "Document it." };
    memory.addSummary({ ...summary, session: "s8", completed: "By rules." });
    memory.addSummary({ session: "s8", request: "Raise it.", generator: "model-1" });
    memory.addSummary({ ...summary, session: "s9", generator: "model-1", at: someTime + hour });
    const text = await createMemoryContext(memory).sessionText("app");
    expect(section(text, "Last sessions")).toEqual([
      "- Add a route → The route works. Next: Document it. (#S3, 2026-11-20)",
      "- raise the limit → The limit is 5 now. (#1, 2026-11-20)",
    ]);
  });

  it("does not put a model's title before a quote that says it with other markup", async () => {
    say("The cache is keyed by locale.", { salience: 3 }, { subtitle: "**The cache** is keyed by locale" });
    const text = await createMemoryContext(memory).sessionText("app");
    expect(section(text, "Found and decided")).toEqual(["- The cache is keyed by locale. (#1)"]);
  });

  it("repeats nothing that the text for the prompt says, and no older copy of it", async () => {
    const cause = "The redirect loops because the session cookie has no path.";
    for (const session of ["s7", "s8", "s9"])
      say(cause, { salience: 3 }, { session, subtitle: "Asked: fix the redirect loop" });
    say("The cache is keyed by locale.", { salience: 3 });
    const asked = { project: "app", words: "why does the redirect loop?", known: new Set<number>() };
    const { text } = await createMemoryContext(memory).forPrompt({ ...asked, withTimeline: true });
    expect(text.split("session cookie has no path")).toHaveLength(2);
    expect(text).toMatch(/## Found and decided\n- The cache is keyed by locale\. \(#4\)\n</);
  });

  it("names a session that left work, and quotes the work in order, without its label", async () => {
    const turn = { session: "s9", prompt_number: 1, subtitle: "Asked: Make the export stream its rows." };
    say("The export in `src/export.ts` now streams rows.", { salience: 0.4 }, turn);
    say("Next steps: add a test for empty tables", { salience: -3.7 }, turn);
    say("Next steps: document the flag", { salience: -4.1 }, turn);
    const text = await createMemoryContext(memory).sessionText("app");
    expect(section(text, "Left open")).toEqual([
      "- add a test for empty tables (#2, 2026-11-20)",
      "  - document the flag (#3, 2026-11-20)",
    ]);
    expect(section(text, "Last sessions")).toEqual([
      "- Make the export stream its rows → The export in `src/export.ts` now streams rows. (#1, 2026-11-20)",
    ]);
  });

  it("shows little of the work that old sessions left open, and last", async () => {
    for (let n = 1; n <= 20; n++) {
      const at = someTime + n * hour;
      say(`The route ${n} is not done yet.`, { salience: 30 - n }, { session: `s${n}`, at });
    }
    const text = await createMemoryContext(memory).sessionText("app");
    const open = text.split("## Left open\n")[1]?.split("\n\n")[0]?.split("\n") ?? [];
    expect(open.map((line) => line.slice(0, 14))).toEqual([
      "- The route 20",
      "- The route 12",
      "- The route 11",
      "- The route 2 ",
      "- The route 1 ",
    ]);
  });

  it("shows the newest account of open work first, though it is less salient", async () => {
    for (let n = 1; n <= 6; n++)
      say(
        `Left: part ${n} of the importer.`,
        { salience: 3 },
        { session: "s1", prompt_number: n, at: someTime + n },
      );
    const last = { session: "s2", prompt_number: 1, at: someTime + hour };
    say("Left: the exporter.", { salience: 0.5 }, last);
    const text = await createMemoryContext(memory).sessionText("app");
    expect(section(text, "Left open").map((line) => line.slice(0, 21))).toEqual([
      "- the exporter. (#7, ",
      "- part 6 of the impor",
      "- part 5 of the impor",
      "- part 4 of the impor",
      "- part 3 of the impor",
    ]);
  });

  it("leaves out open work that a newer account names again, and keeps the rest", async () => {
    const turn = (n: number) => ({ session: "s1", prompt_number: n, at: someTime + n * hour });
    say("Left: the lock around `writeCart`.", { salience: 3 }, turn(1));
    say("Left: the export of invoices.", { salience: 3 }, turn(1));
    say("Still open: the lock around `writeCart`, and the docs.", { salience: 1 }, turn(2));
    const text = await createMemoryContext(memory).sessionText("app");
    expect(section(text, "Left open")).toEqual([
      "- the lock around `writeCart`, and the docs. (#3, 2026-11-20)",
      "- the export of invoices. (#2, 2026-11-20)",
    ]);
    expect(text).not.toContain("(#1");
  });

  it("never shows open work under a finding of its turn", async () => {
    const turn = { session: "s1", prompt_number: 1 };
    say("The cache is keyed by locale.", { salience: 4 }, turn);
    const long = "and a table of all the columns that the exporter of the old version wrote ".repeat(3);
    for (let n = 1; n <= 7; n++) say(`Left: part ${n} of the importer, ${long}`, { salience: 3 }, turn);
    const text = await createMemoryContext(memory).sessionText("app");
    const found = section(text, "Found and decided");
    expect(found[0]).toContain("keyed by locale");
    expect(found.filter((line) => line.startsWith("  ") && line.includes("Left:"))).toEqual([]);
  });

  it("tells what an agent concluded, and the user's wishes of some worth", async () => {
    say("please fix that too", { said_by: "user", salience: 0.2 });
    say("the amounts are always in cents", { said_by: "user", salience: 0.5 });
    say("The lock is per tenant.");
    const text = await createMemoryContext(memory).sessionText("app");
    expect(text).toContain("The lock is per tenant.");
    expect(text).toContain("the amounts are always in cents");
    expect(text).not.toContain("please fix that too");
  });

  it("does not tell what a later prompt takes up again", async () => {
    const { prompt_number } = memory.addPrompt("add the export");
    say("The export button is grey.", { salience: 0.7 }, { prompt_number });
    say("The lock is per tenant.", { salience: 0.7 }, { prompt_number });
    memory.addPrompt("the grey export button must be green");
    const text = await createMemoryContext(memory).sessionText("app");
    expect(section(text, "Found and decided").map((line) => line.slice(0, 12))).toEqual(["- The lock i"]);
  });

  it("tells nothing of little worth, beside kept records only what is certain", async () => {
    say("I had a look at the exporter.", { salience: -0.5 });
    say("The lock is per tenant.", { salience: 0.5 });
    say("The queue holds 40 rows because the pool has 40 connections.", { salience: 1.5 });
    const told = async () =>
      section(await createMemoryContext(memory).sessionText("app"), "Found and decided");
    expect((await told()).map((line) => line.slice(0, 12))).toEqual(["- The queue ", "- The lock i"]);
    const kept = { kind: "cause", salience: 3 } as const;
    say("The cache is keyed by locale.", kept, { generator: "agent", session: "s9" });
    expect((await told()).map((line) => line.slice(0, 12))).toEqual(["- The queue "]);
  });

  it("fits its budget with a long search command", async () => {
    for (let n = 0; n < 200; n++) say(`Finding ${n} is about \`module-${n}\` and what it does.`);
    const searchCommand = `node /opt/${"deep/".repeat(60)}mem.js search`;
    const context = createMemoryContext(memory, { tokenBudget: 1000 }, { searchCommand });
    const { text } = await context.forSession({ project: "app" });
    expect(text.length / 4).toBeLessThanOrEqual(1000);
    expect(text.length / 4).toBeGreaterThan(900);
  });

  it("stays within its budget, and the most salient findings go first", async () => {
    for (let n = 0; n < 200; n++)
      say(`Finding ${n} is about \`module-${n}\` and what it does.`, { salience: n / 100 });
    const injection = await createMemoryContext(memory, { tokenBudget: 1000 }).forSession({ project: "app" });
    expect(injection.text.length / 4).toBeLessThanOrEqual(1000);
    expect(injection.text).toContain("Finding 199 ");
    expect(injection.text).not.toContain("Finding 3 ");
  });

  it("gives equal bytes for equal records, whatever the time", async () => {
    say("The cache is keyed by locale.", {}, { at: someTime - 900 * hour });
    say("The lock is per tenant.");
    const [one, other] = [createMemoryContext(memory), createMemoryContext(memory)];
    expect(await one.sessionText("app")).toBe(await other.sessionText("app"));
  });

  it("leaves out what was superseded or rejected", async () => {
    const old = say("We indent with tabs.", rule);
    memory.store.review.setStanding(old.id, { status: "rejected", pinned: 0, superseded_by: null });
    say("The lock is per tenant.");
    expect(await createMemoryContext(memory).sessionText("app")).not.toContain("tabs");
  });
});

describe("a prompt", () => {
  const ask = (words: string) =>
    createMemoryContext(memory).forPrompt({ project: "app", words, known: new Set(), withTimeline: false });

  beforeEach(() => {
    memory.addPrompt("why is the p99 of /quotes twice as high?", { session: "s1" });
    say("38% went into building a new `ObjectMapper` because it was inlined.", {}, { session: "s1" });
  });

  it("gets the statement that shares its words, quoted with its date", async () => {
    const { text, records } = await ask("why is building the ObjectMapper slow in orders?");
    expect(text).toContain(
      "- 38% went into building a new `ObjectMapper` because it was inlined. (#1, 2026-11-20)",
    );
    expect(records).toEqual([1]);
  });

  it("gets nothing when it is general talk", async () => {
    expect(await ask("write me a limerick about mappers")).toEqual({ text: "", records: [] });
  });
});

describe("pinned records", () => {
  const pin = ({ id }: { id: number }) =>
    memory.store.review.setStanding(id, { status: "active", pinned: 1, superseded_by: null });

  it("are quoted before the sections, and a pinned rule stands first among the rules", async () => {
    say("Never push to main.", { ...rule, salience: 5 });
    pin(say("Keep answers short.", { ...rule, salience: 1 }));
    pin(say("The secret was made at each start, so every session ended with a deploy.", { salience: 1 }));
    const edited = { title: "Edited src/a.ts: `a` is now `b`", narrative: "Edited src/a.ts. New lines: `b`" };
    pin(memory.addObservation({ ...edited, files_modified: ["/w/app/src/a.ts"] }));
    const { text, places } = await createMemoryContext(memory).forSession({ project: "app" });
    const day = /\(#3, ([\d-]+)\)/.exec(text)?.[1];
    expect(text.slice(text.indexOf("## Pinned"), text.indexOf("</mem"))).toBe(`## Pinned
- Edited src/a.ts: \`a\` is now \`b\` (#4, ${day})
  - New lines: \`b\`
- The secret was made at each start, so every session ended with a deploy. (#3, ${day})

## Rules from the user
- Keep answers short. (#2)
- Never push to main. (#1)
`);
    expect(places).toContainEqual({ record: { kind: "observation", id: 3 }, section: "Pinned" });
  });
});

it.each([
  { rules: 3, tokenBudget: 2_000, shown: 3 },
  { rules: 3, tokenBudget: 100, shown: 0 },
  { rules: 40, tokenBudget: 2_000, shown: 32 },
  { rules: 200, tokenBudget: 2_000, shown: 30 },
  { rules: 200, tokenBudget: 90, shown: 0 },
])("of $rules rules $tokenBudget tokens hold $shown, and the rest is counted", async (given) => {
  const { rules, tokenBudget, shown } = given;
  for (let n = 1; n <= rules; n++)
    say(`Never edit the generated file area${n}/part${n}.ts by hand, ask.`, rule);
  const text = await createMemoryContext(memory, { tokenBudget }).sessionText("app");
  expect(section(text, "Rules from the user")).toHaveLength(shown);
  const rest = rules - shown;
  if (rest === 0) expect(text).not.toContain("more of the user's rules");
  else expect(text).toContain(`\n- ${rest} more of the user's rules apply: \`mem rules\`.\n`);
});

describe("two rules that say the same", () => {
  it("are listed as one, and reminded of once", async () => {
    const { id } = say("Use pnpm, never npm.", { ...rule, salience: 5 });
    const again = say("And use pnpm here, not npm.", rule);
    const memories = createMemoryContext(memory);
    const { text, records } = await memories.forSession({ project: "app" });
    expect(text).toContain("Use pnpm, never npm.");
    expect(text).not.toContain("not npm");
    expect(records).toEqual(expect.arrayContaining([id, again.id]));
    const first = await memories.forAction({
      project: "app",
      action: { command: "npm ci" },
      known: new Set(),
    });
    const known = new Set(first?.quoted.map(({ record }) => record));
    expect(known.size).toBe(1);
    expect(await memories.forAction({ project: "app", action: { command: "npm ci" }, known })).toBeNull();
  });
});

describe("an action", () => {
  it("is reminded of a rule that forbids it", async () => {
    const { id } = say("we use pnpm here, never npm", rule);
    expect(await actionOf("npm install zod")).toMatchObject({ quoted: [{ record: id, family: null }] });
    expect(await actionOf("pnpm add zod")).toBeNull();
  });

  const actionOf = (command: string, known: number[] = []) =>
    createMemoryContext(memory).forAction({ project: "app", action: { command }, known: new Set(known) });

  it("is reminded of what made the same command work, once", async () => {
    const fix = { said_by: "tool", salience: 3, families: ["mvn verify"] } as const;
    const { id } = say("`mvn verify` failed. What worked: `JAVA_HOME=/opt/jdk-21 mvn verify`", fix, {
      obs_type: "bugfix",
    });
    expect((await actionOf("cd app && mvn -q verify"))?.text).toContain(
      "What worked: `JAVA_HOME=/opt/jdk-21 mvn verify`",
    );
    expect(await actionOf("mvn verify", [id])).toBeNull();
    expect(await actionOf("cargo build")).toBeNull();
  });

  it("is not reminded of what made another test work, unless it failed in the same way", async () => {
    const fix = { said_by: "tool", salience: 3, families: ["pnpm test"] } as const;
    const text =
      "`pnpm test -- webhook` failed in a test with `Error: REDIS_URL is not set`. What worked: `REDIS_URL=x pnpm test -- webhook`";
    say(text, fix, { obs_type: "bugfix" });
    expect((await actionOf("pnpm test -- webhook"))?.text).toContain("What worked");
    expect(await actionOf("pnpm test -- checkout")).toBeNull();
    const failed = {
      command: "pnpm test -- checkout",
      output: "  Error: REDIS_URL is not set\n  at cart.ts:3",
    };
    const told = await createMemoryContext(memory).forAction({
      project: "app",
      action: failed,
      known: new Set(),
    });
    expect(told?.text).toContain("What worked");
  });
});

describe("a rule that something changed about since", () => {
  it("stands with its day, and with what changed", async () => {
    const days = 24 * hour;
    say("nothing newer than Node 18", rule, { at: someTime - 3 * days });
    say("The limit to Node 18 no longer holds.", { salience: -2 });
    say("The workers no longer read the queue twice.", { salience: 1 });
    const text = await createMemoryContext(memory).sessionText("app");
    expect(text).toMatch(
      /^- nothing newer than Node 18 \(#1, [\d-]+\) Since then: The limit to Node 18 no longer holds\. \(#2\)$/m,
    );
    expect(text.match(/no longer holds/g)).toHaveLength(1);
  });
});
