// The context settings over HTTP: what each makes of the text of `GET /api/context/inject` and of the hook of a session start.
// The table of the contract (`MEM_CONTEXT_` is left out):
//
// | Setting              | Default   | Range / values                                                                     |
// | -------------------- | --------- | ---------------------------------------------------------------------------------- |
// | OBSERVATIONS         | 50        | 1-200                                                                              |
// | SESSION_COUNT        | 10        | 1-50 (sessions to draw observations from)                                          |
// | OBSERVATION_TYPES    | all       | comma list of bugfix, feature, refactor, discovery, decision, change               |
// | OBSERVATION_CONCEPTS | all       | comma list of how-it-works, why-it-exists, what-changed, problem-solution, gotcha,  |
// |                      |           | pattern, trade-off                                                                 |
// | FULL_COUNT           | 5         | 0-20; number of newest observations shown expanded                                 |
// | FULL_FIELD           | narrative | narrative or facts                                                                 |
// | SHOW_READ_TOKENS     | true      | boolean                                                                            |
// | SHOW_WORK_TOKENS     | true      | boolean                                                                            |
// | SHOW_SAVINGS_AMOUNT  | true      | boolean                                                                            |
// | SHOW_LAST_SUMMARY    | false     | boolean                                                                            |
// | SHOW_LAST_MESSAGE    | false     | boolean                                                                            |
//
// Non-expanded observations appear as a compact table of title, type and token counts.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { textTokens } from "../../src/context/budget.ts";
import { type MemoryStore, someTime } from "../helpers/memory-store.ts";
import { openWorker } from "../helpers/open-worker.ts";
import { tempDir } from "../helpers/temp-dir.ts";

type Moment = "the route" | "the hook";
type Set = Record<string, string>;

const records = 60;
const about = "of the queue between the shop and its workers";
const rule = { said_by: "user", standing: true, reach: "project", salience: 4 } as const;

/** The text at that moment, in a project with 60 records of 12 sessions and one rule. */
async function textAt(moment: Moment, set: Set): Promise<string> {
  const env = Object.entries(set).map(([name, value]) => [`MEM_CONTEXT_${name}`, value]);
  const worker = await openWorker(Object.fromEntries(env));
  worker.db.transaction(fill)(worker);
  if (moment === "the route") return (await worker.get("/api/context/inject?project=app")).text;
  const cwd = join(tempDir(), "app");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const event = { hook_event_name: "SessionStart", session_id: "new", cwd, source: "startup" };
  const answer = await worker.post("/api/hooks/claude-code/SessionStart", event);
  return JSON.parse(answer.text).hookSpecificOutput.additionalContext;
}

function fill({ addObservation, addSummary, store }: MemoryStore): void {
  for (let n = 0; n < records; n++) {
    addObservation({
      ...{ title: `Record ${n} ${about}`, narrative: `Story ${n}.`, facts: [`Fact ${n}`], work: 500 },
      ...{ session: `session ${Math.floor(n / 5)}`, at: someTime + n * 60_000, generator: "openai" },
      obs_type: n % 3 === 0 ? "bugfix" : "discovery",
      concepts: n % 4 === 0 ? ["gotcha"] : [],
    });
  }
  addObservation({ title: "Use pnpm.", summary: "Use pnpm.", statement: rule, session: "session 11" });
  addSummary({ request: "Bound the cache", session: "session 11" });
  store.rawEvents.insert({
    session_id: store.sessions.byClaudeId("session 11")?.id ?? 0,
    kind: "summarize",
    event_key: "turn",
    payload: JSON.stringify({ last_assistant_message: "The cache holds 1,000 entries." }),
    now: someTime,
  });
}

const numbers = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, n]) => Number(n));
/** Numbers of the expanded records and of those in the table. */
const expanded = (text: string) => numbers(text, /^- \*\*#\d+ Record (\d+)/gm);
const listed = (text: string) => numbers(text, /^\| \d+ \| Record (\d+)/gm);
const shown = (text: string) => [...expanded(text), ...listed(text)];
const head = (text: string) => /^\| id .*$/m.exec(text)?.[0];
const economics = (text: string) => /^\d+ records.*$/m.exec(text)?.[0];
const count = (from: number, step: number, length: number) =>
  Array.from({ length }, (_, n) => from - n * step);

// What is read of the text, and what it is with these settings; by default it is something else.
const table: [set: Set, read: (text: string) => unknown, is: unknown][] = [
  [{ OBSERVATIONS: "7" }, shown, count(59, 1, 7)],
  [{ SESSION_COUNT: "2" }, shown, count(59, 1, 10)],
  [{ OBSERVATION_TYPES: "bugfix", OBSERVATIONS: "4" }, shown, [57, 54, 51, 48]],
  [{ OBSERVATION_CONCEPTS: "gotcha", OBSERVATIONS: "4" }, shown, [56, 52, 48, 44]],
  [{ FULL_COUNT: "2" }, expanded, [59, 58]],
  [{ FULL_COUNT: "0" }, expanded, []],
  [{ FULL_FIELD: "facts" }, (text) => /Fact \d+|Story \d+/.exec(text)?.[0], "Fact 59"],
  [{ SHOW_READ_TOKENS: "false" }, head, "| id | title | type | work |"],
  [{ SHOW_WORK_TOKENS: "false" }, head, "| id | title | type | read |"],
  [{ SHOW_SAVINGS_AMOUNT: "false" }, (text) => economics(text)?.includes("saved"), false],
  [{ SHOW_LAST_SUMMARY: "true" }, (text) => text.includes("- Request: Bound the cache"), true],
  [{ SHOW_LAST_MESSAGE: "true" }, (text) => text.includes("- The cache holds 1,000 entries."), true],
];

for (const moment of ["the route", "the hook"] as const) {
  let byDefault: Promise<string> | undefined;
  test.each(table)(`${moment} does as %j says, after the sections`, async (set, read, is) => {
    const text = await textAt(moment, set);
    expect(read(text)).toEqual(is);
    expect(text.indexOf("Use pnpm.")).toBeLessThan(text.search(/^- \*\*#|^\| id /m));
    byDefault ??= textAt(moment, {});
    expect(read(await byDefault)).not.toEqual(is);
  });
}

test("by default the route has 50 observations of 10 sessions, 5 by narrative", async () => {
  const text = await textAt("the route", {});
  expect(expanded(text)).toEqual(count(59, 1, 5));
  expect(text).toMatch(/Record 59 .*\*\* \(discovery, 2026-11-20, read \d+, work 500\)\n {2}- Story 59\.\n/);
  expect(listed(text)).toEqual(count(54, 1, 45));
  expect(head(text)).toBe("| id | title | type | read | work |");
  expect(text).toMatch(/^\| 55 \| Record 54 .* \| bugfix \| \d+ \| 500 \|$/m);
  expect(economics(text)).toMatch(
    /^50 records, ~[\d,]+ tokens to read in full, from ~25,000 tokens of work: \d+ % saved/,
  );
  expect(text).not.toMatch(/Bound the cache|1,000 entries|do not fit/);
});

test.each([
  [{ OBSERVATIONS: "200" }, 50],
  [{ OBSERVATIONS: "200", SESSION_COUNT: "50" }, 60],
  [{ OBSERVATIONS: "55", SESSION_COUNT: "50" }, 55],
])("with %j the route has %i observations, at any cost", async (set, length) => {
  expect(shown(await textAt("the route", set))).toEqual(count(59, 1, length));
});

test.each<[string, Moment, Set, number]>([
  ["the hook stays within 1,000 tokens", "the hook", { OBSERVATIONS: "200" }, 1000],
  ["the hook uses a higher budget", "the hook", { TOKEN_BUDGET: "1200", SESSION_COUNT: "50" }, 1200],
  ["the hook stays within a lower budget", "the hook", { TOKEN_BUDGET: "400" }, 400],
  ["the route stays within a budget that was set", "the route", { TOKEN_BUDGET: "400" }, 400],
])("%s, and fills it with the newest", async (_what, moment, set, budget) => {
  const text = await textAt(moment, set);
  expect(textTokens(text)).toBeLessThanOrEqual(budget);
  expect(textTokens(text)).toBeGreaterThan(budget - 60);
  expect(shown(text)).toEqual(count(59, 1, shown(text).length));
  expect(text).toMatch(/older records do not fit here/);
});
