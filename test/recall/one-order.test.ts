import { expect, test } from "vitest";
import { oneList } from "../../src/core/records/found-list.ts";
import { inOrder, type Placed, pageInOrder } from "../../src/recall/one-order.ts";

const now = 1_790_000_000_000;
type Line = Partial<NonNullable<Placed["line"]>>;

/** A hit with the share of the question that its ranking saw; without `words` its line is read. */
function hit(title: string, rank: number, line: Line = {}, words?: number): Placed {
  const placed = { title, preview: title, created_at_epoch: now, ...line };
  return { id: 1, rank, matched_by: ["words"], line: placed, ...(words !== undefined && { words }) };
}

interface Lists {
  observations?: Placed[];
  sessions?: Placed[];
  prompts?: Placed[];
}

function titlesOf({ observations = [], sessions = [], prompts = [] }: Lists, words: string): string[] {
  const ranked = {
    observations: inOrder(observations, { words, kindOf: () => "observation" }),
    sessions: inOrder(sessions, { words, kindOf: () => "session" }),
    prompts: inOrder(prompts, { words, kindOf: () => "prompt" }),
  };
  const page = { limit: 20, offset: 0 };
  return oneList(pageInOrder(ranked, { page, together: true })).map(({ found }) => found.line?.title ?? "");
}

test("puts the user's rule before accounts, summaries and prompts with the same word", () => {
  const rule = hit("Never npm, always pnpm", -7, { said_by: "user", standing: 1 }, 1);
  const hits = {
    observations: [hit("Installed zod with npm", -9, {}, 1), rule],
    sessions: [hit("The npm lock file is gone", -4)],
    prompts: [hit("Add zod with npm", -4)],
  };
  expect(titlesOf(hits, "npm")).toEqual([
    "Never npm, always pnpm",
    "The npm lock file is gone",
    "Installed zod with npm",
    "Add zod with npm",
  ]);
});

test("a statement that only its prompt matches comes after records with a word", () => {
  const hits = {
    observations: [
      hit("Users are logged out by the new secret", -9, { said_by: "agent" }, 0.8),
      hit("The guide is shorter", -3, { said_by: "agent" }, 0),
    ],
    prompts: [hit("Why are users logged out?", -4), hit("Log in", -1)],
  };
  expect(titlesOf(hits, "users logged out")).toEqual([
    "Users are logged out by the new secret",
    "Why are users logged out?",
    "Log in",
    "The guide is shorter",
  ]);
});

test("puts routine steps last", () => {
  const hits = {
    observations: [hit("Read login.ts", 990, { routine: 1 }, 1)],
    prompts: [hit("Fix the login", -4)],
  };
  expect(titlesOf(hits, "login")).toEqual(["Fix the login", "Read login.ts"]);
});

test("shows a text once that is a statement and a conclusion", () => {
  const text = "Users were logged out because each start made a new secret";
  const hits = {
    observations: [hit(`${text}.`, -4, { said_by: "agent" }, 1)],
    sessions: [hit(`${text}. The secret is read from the environment now.`, -4)],
  };
  expect(titlesOf(hits, "logged out")).toHaveLength(1);
});

test("lists the newest first without a question", () => {
  const listed = (title: string, at: number): Placed => {
    const { rank: _, ...one } = hit(title, 0);
    return { ...one, created_at_epoch: at };
  };
  const hits = { observations: [listed("older", now)], prompts: [listed("newer", now + 1)] };
  expect(titlesOf(hits, "")).toEqual(["newer", "older"]);
});
