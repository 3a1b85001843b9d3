import { expect, test } from "vitest";
import type { Io } from "../../src/cli/io.ts";
import { paintFor } from "../../src/cli/paint.ts";
import { renderSearch } from "../../src/cli/search-results.ts";
import type { SearchAnswer } from "../../src/client/worker-client.ts";
import { displayWidth } from "../../src/text/terminal-text.ts";
import { anObservation, aSummary, foundByWords } from "../http/sample-answers.ts";
import { plainIo } from "./plain-io.ts";

const now = 1_790_000_000_000;

function linesOf(answer: Partial<SearchAnswer>, io: Partial<Io> = {}, all = true): string[] {
  const lines: string[] = [];
  renderSearch(
    plainIo({ out: (line) => lines.push(line), raw: (text) => lines.push(text), ...io }),
    { observations: [], sessions: [], prompts: [], totalResults: 0, query: "", notes: [], ...answer },
    { nowEpochMs: now, all },
  );
  return lines;
}

const emptyLists = { facts: [], concepts: [], files_touched: [], files_read: [], files_modified: [] };
const hit = {
  id: 12,
  title: "Edited src/auth/session.ts",
  preview: "The secret comes from the environment.",
  obs_type: "bugfix" as const,
  project: "shop",
  created_at_epoch: now - 3 * 3_600_000,
  matched_by: ["words" as const],
};

test("a hit shows number, title, type, project, age and preview", () => {
  expect(linesOf({ observations: [hit] })).toEqual([
    "#12  Edited src/auth/session.ts",
    "     bugfix · shop · 3 h ago  The secret comes from the environment.",
  ]);
});

test("a preview that begins with its title shows only what follows", () => {
  const told = { ...hit, preview: `${hit.title}. Cookies survive a restart.` };
  expect(linesOf({ observations: [told] })[1]).toBe(
    "     bugfix · shop · 3 h ago  Cookies survive a restart.",
  );
  expect(linesOf({ observations: [{ ...hit, preview: hit.title }] })[1]).toBe("     bugfix · shop · 3 h ago");
});

test.each([
  ["within a sentence", hit.title, `${hit.title} (3 lines added). Cookies survive.`, "Cookies survive."],
  ["within the only sentence", hit.title, `${hit.title} (3 lines added).`, ""],
  ["cut within a word", "Edited src/auth/sess…", `${hit.title} and 2 lines. Next…`, "Next…"],
  ["before a cut preview", hit.title, `${hit.title} and then it…`, ""],
  ["at a colon", hit.title, `${hit.title}: the secret moved.`, "the secret moved."],
  ["with its own full stop", "Moved it.", "Moved it. Then tested.", "Then tested."],
  ["nowhere in the preview", hit.title, "Another. Thing", "Another. Thing"],
])("what follows a title that ends %s begins with a sentence", (_where, title, preview, shown) => {
  const [, below] = linesOf({ observations: [{ ...hit, title, preview }] });
  expect(below).toBe(`     bugfix · shop · 3 h ago${shown === "" ? "" : `  ${shown}`}`);
});

test.each([
  ["fix the login", "Request: fix the login Investigated: Read a.ts.", "  Investigated: Read a.ts."],
  ["fix the login", "Request: fix the login", ""],
  ["fix the login", "Request: fix the login Next steps: ship.", "  Next steps: ship."],
  ["fix the log…", "Request: fix the login Learned: It broke.", "  Learned: It broke."],
  ["fix the login", "Request: another Learned: It broke.", "  Request: another Learned: It broke."],
])("a session with the title %j does not repeat it below", (title, preview, shown) => {
  const { obs_type: _, ...session } = hit;
  expect(linesOf({ sessions: [{ ...session, title, preview }] })[1]).toBe(
    `     summary · shop · 3 h ago${shown}`,
  );
});

test("a whole session does not repeat its request", () => {
  const texts = {
    summary_text: "Request: fix the login\nLearned: It broke.",
    request: "fix the login",
    learned: "It broke.",
    completed: null,
  };
  const session = { ...aSummary(12), ...foundByWords, ...emptyLists, ...texts };
  const lines = linesOf({ sessions: [session] });
  expect(lines.slice(2)).toEqual(["     Learned: It broke."]);
});

test("all kinds stand in one list under their names", () => {
  const lines = linesOf({ observations: [hit], prompts: [{ ...hit, title: "fix it", preview: "fix it" }] });
  expect(lines.map((line) => line.slice(0, 3))).toEqual(["#12", "   ", "P12", "   "]);
});

test("marks the searched words where the stream shows colour", () => {
  const answer = { observations: [hit], query: "sessions secret" };
  const marked = linesOf(answer, {
    color: true,
    paint: { ...paintFor(false), yellow: (text) => `<${text}>` },
  });
  expect(marked).toEqual([
    "#12  Edited src/auth/<session>.ts",
    "     bugfix · shop · 3 h ago  The <secret> comes from the environment.",
  ]);
  expect(linesOf(answer).join("")).not.toContain("<");
});

test("shows a statement in full", () => {
  const quote = "The session secret was made at each start, so every cookie became invalid.";
  const found = { ...hit, title: `${quote.slice(0, 40)}…`, preview: quote, said_by: "agent" as const };
  expect(linesOf({ observations: [found] })).toEqual([`#12  ${quote}`, "     bugfix · shop · 3 h ago"]);
});

test("says which hits are rules and which the user said", () => {
  const said = { ...hit, preview: "", said_by: "user" as const };
  expect(linesOf({ observations: [{ ...said, standing: 1 }] })[1]).toBe(
    "     rule · bugfix · shop · 3 h ago",
  );
  expect(linesOf({ observations: [said] })[1]).toBe("     said by the user · bugfix · shop · 3 h ago");
});

test("no line of a hit is wider than the terminal", () => {
  const long = { ...hit, title: "日本語 ".repeat(20), preview: "word ".repeat(60) };
  for (const line of linesOf({ observations: [long] }, { isTerminal: true }))
    expect(displayWidth(line)).toBeLessThan(81);
});

test("stored text cannot write to the terminal", () => {
  const evil = "\x1b]52;c;ZXZpbA==\x07\x1b[2Jx\u202ey";
  const lines = linesOf({ observations: [{ ...hit, title: evil, preview: evil, project: evil }] });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is left is what is tested
  expect(lines.join("")).not.toMatch(/[\x00-\x1f\u202e]/);
});

test("a whole observation shows its story, facts and files", () => {
  const { preview: _, ...titled } = hit;
  const record = {
    ...anObservation(12),
    ...titled,
    ...emptyLists,
    subtitle: "auth",
    narrative: "The story\x1b[31m in full.",
    facts: ["exit code 1"],
    files_read: ["a.ts"],
    files_modified: ["b.ts", "c.ts"],
  };
  expect(linesOf({ observations: [record] })).toEqual([
    "#12  Edited src/auth/session.ts",
    "     bugfix · shop · 3 h ago  auth",
    "     The story in full.",
    "     - exit code 1",
    "     Read: a.ts",
    "     Changed: b.ts, c.ts",
  ]);
});

test("sessions and prompts have names that `mem show` takes", () => {
  const { obs_type: _, ...text } = hit;
  expect(linesOf({ sessions: [text] })[0]).toBe("S12  Edited src/auth/session.ts");
  expect(linesOf({ prompts: [text] })[0]).toBe("P12  Edited src/auth/session.ts");
});

test("a hit says what the user said of it", () => {
  const tagsOf = (judged: object) =>
    linesOf({ observations: [{ ...hit, ...judged, preview: "" }] })[1]?.trim();
  expect(tagsOf({ status: "superseded", superseded_by: 40 })).toBe(
    "bugfix · shop · superseded by 40 · 3 h ago",
  );
});

test("a hit without the words says what found it", () => {
  const by = (...matched_by: SearchAnswer["observations"][number]["matched_by"]) =>
    linesOf({ observations: [{ ...hit, preview: "", matched_by: [...matched_by] }] })[1]?.trim();
  expect(by("words")).toBe("bugfix · shop · 3 h ago");
  expect(by("neighbours", "vectors")).toBe("bugfix · shop · by its neighbours and meaning · 3 h ago");
});

test("counts routine steps below the others, shows them with --all or when alone", () => {
  const step = { ...hit, id: 13, title: "Read src/auth/session.ts", routine: 1 as const };
  const observations = [hit, step, { ...step, id: 14 }];
  expect(linesOf({ observations }, {}, false)).toEqual([
    ...linesOf({ observations: [hit] }),
    "     … 2 routine steps (--all shows them)",
  ]);
  expect(linesOf({ observations })).toHaveLength(6);
  expect(linesOf({ observations: [step] }, {}, false)).toEqual(linesOf({ observations: [step] }));
});
