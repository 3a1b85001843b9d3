import { expect, test } from "vitest";
import { searchedWords, searchList } from "../../src/cli/search-list.ts";

const hit = {
  id: 1,
  title: "",
  preview: "",
  project: "shop",
  created_at_epoch: 1_790_000_000_000,
  rank: -4,
  matched_by: ["words" as const],
};
const observation = { ...hit, obs_type: "change" as const };

function titlesOf(hits: Partial<Parameters<typeof searchList>[0]>, question: string): string[] {
  const listed = searchList({ observations: [], sessions: [], prompts: [], ...hits }, question);
  return listed.map(({ found }) => ("title" in found ? found.title : ""));
}

test("puts the user's rule before accounts, summaries and prompts with the same word", () => {
  const hits = {
    observations: [
      { ...observation, title: "Installed zod with npm", rank: -9 },
      {
        ...observation,
        id: 2,
        title: "Never npm, always pnpm",
        said_by: "user" as const,
        standing: 1 as const,
      },
    ],
    sessions: [{ ...hit, title: "The npm lock file is gone" }],
    prompts: [{ ...hit, title: "Add zod with npm" }],
  };
  expect(titlesOf(hits, "npm")).toEqual([
    "Never npm, always pnpm",
    "The npm lock file is gone",
    "Installed zod with npm",
    "Add zod with npm",
  ]);
});

test("ranks a statement of a turn about the question below the answer", () => {
  const said_by = "agent" as const;
  const hits = {
    observations: [
      { ...observation, title: "The guide is shorter", said_by, rank: -9 },
      { ...observation, id: 2, title: "Users are logged out by the new secret", said_by },
    ],
    prompts: [{ ...hit, title: "Why are users logged out?" }],
  };
  expect(titlesOf(hits, "users logged out")).toEqual([
    "Users are logged out by the new secret",
    "Why are users logged out?",
    "The guide is shorter",
  ]);
});

test("puts open work first where the question asks for it", () => {
  const hits = {
    observations: [
      { ...observation, title: "What is open is the port", said_by: "user" as const },
      { ...observation, id: 2, title: "The login waits", matched_by: ["open" as const] },
    ],
  };
  expect(titlesOf(hits, "what is open")[0]).toBe("The login waits");
});

test("puts routine steps last", () => {
  const hits = {
    observations: [{ ...observation, title: "Read login.ts", routine: 1 as const, rank: 990 }],
    prompts: [{ ...hit, title: "Fix the login" }],
  };
  expect(titlesOf(hits, "login")).toEqual(["Fix the login", "Read login.ts"]);
});

test("shows a text once that is a statement and a conclusion", () => {
  const text = "Users were logged out because each start made a new secret";
  const hits = {
    observations: [{ ...observation, title: `${text}.`, said_by: "agent" as const }],
    sessions: [{ ...hit, title: `${text}. The secret is read from the environment now.` }],
  };
  expect(titlesOf(hits, "logged out")).toHaveLength(1);
});

test("lists the newest first without a question", () => {
  const { rank: _, ...listed } = hit;
  const hits = {
    observations: [{ ...listed, obs_type: "change" as const, title: "older" }],
    prompts: [{ ...listed, title: "newer", created_at_epoch: hit.created_at_epoch + 1 }],
  };
  expect(titlesOf(hits, "")).toEqual(["newer", "older"]);
});

test("searched words come from the question and the known words of its notes", () => {
  const notes = ["No record has `postgers`; searched for `postgres`.", "`zebra` is read as a name."];
  expect(searchedWords({ query: "postgers timeout", notes })).toBe("postgers timeout postgres");
});
