import { describe, expect, it } from "vitest";
import type { Turn } from "../../src/core/records/turn.ts";
import { statementDrafts } from "../../src/statements/turn-drafts.ts";

const turn = (part: Partial<Turn>): Turn => ({ prompt: "", closing: "", previous: null, uses: [], ...part });

describe("the closing of a turn", () => {
  const closing =
    "Found it. `SESSION_KEY` is not set in the cluster, so every pod falls back to a random key at start. " +
    "I added the variable to `deploy/web.yaml`.\n\nTests pass.";

  it("gives its cause as a quote that names its request", () => {
    const drafts = statementDrafts(turn({ prompt: "why are users logged out at random?", closing }), 7);
    const cause = drafts.find(({ title }) => title.includes("SESSION_KEY"));
    expect(cause).toMatchObject({
      obs_type: "bugfix",
      concepts: ["problem-solution"],
      subtitle: "Asked: why are users logged out at random?",
      summary: "`SESSION_KEY` is not set in the cluster, so every pod falls back to a random key at start.",
      provenance: "agent",
      sources: [7],
      statement: { said_by: "agent", standing: false, reach: "project" },
    });
  });

  it("names the request without the blocks of the host", () => {
    const prompt = "<ide_opened_file>/etc/hosts</ide_opened_file>why are users logged out?";
    const [cause] = statementDrafts(turn({ prompt, closing }), 7);
    expect(cause?.subtitle).toBe("Asked: why are users logged out?");
  });

  it("gives at most six quotes, those with names and reasons before small talk", () => {
    const remark = (n: number) => `The file remark${n}.ts has ${n} lines of no weight because of it.`;
    const filler = Array.from({ length: 20 }, (_, n) => remark(n)).join(" ");
    const drafts = statementDrafts(turn({ prompt: "why?", closing: `${filler} ${closing}` }), 1);
    expect(drafts).toHaveLength(6);
    expect(drafts.some(({ summary }) => summary.includes("random key"))).toBe(true);
  });

  it("puts the line above a list in front of its items", () => {
    const drafts = statementDrafts(
      turn({ closing: "Rejected:\n- dots, the warehouse splits `a.b` at them" }),
      1,
    );
    expect(drafts.map(({ title }) => title)).toEqual(["Rejected: dots, the warehouse splits `a.b` at them"]);
  });
});

describe("a closing that reports", () => {
  const summaries = (prompt: string, closing: string) =>
    statementDrafts(turn({ prompt, closing }), 1).map(({ summary }) => summary);

  it("gives its list without the line that only announces it", () => {
    const closing =
      "Here is what I changed:\n\n- `src/login.ts`: the cookie is set before the redirect\n- src/a.ts";
    expect(summaries("fix the login", closing)).toEqual([
      "`src/login.ts`: the cookie is set before the redirect",
    ]);
  });

  it("quotes a sentence together with the one that refers to it", () => {
    const closing = "Next step: wire the Redis store. That needs a decision about which host.";
    expect(summaries("why is it slow?", closing)).toEqual([closing]);
  });

  it("drops a sentence that refers to a missing one", () => {
    const test = "added a test of the redirect in `login.test.ts`";
    const closing = `- ${test}\n- a test\n\nThis also fixes the logout case.`;
    expect(summaries("fix the login", closing)).toEqual([test]);
  });
});

describe("the prompt of a turn", () => {
  it("quotes a standing rule in the user's words", () => {
    const prompt =
      "no no, we always use pnpm here, never npm. the lockfile check in CI fails otherwise. redo it";
    const previous = { prompt: "add zod", closing: "Installed `zod` with npm." };
    const [rule] = statementDrafts(turn({ prompt, previous }), 3);
    expect(rule).toMatchObject({
      obs_type: "decision",
      title: "No no, we always use pnpm here, never npm.",
      subtitle: null,
      provenance: "user",
      statement: { said_by: "user", standing: true, reach: "project" },
    });
  });

  it("gives nothing for a bare question, a yes, or a one-time wish", () => {
    for (const prompt of ["why is it slow?", "yes do that", "for now, skip the tests of the parser"])
      expect(statementDrafts(turn({ prompt }), 1)).toEqual([]);
  });

  it("is read on its own: an open fence ends with its prompt", () => {
    const prompts = ["what is this?\n```\nAlways log every token.", "we always use pnpm here, never npm."];
    const drafts = statementDrafts(turn({ prompt: prompts.join("\n\n"), prompts }), 1);
    expect(drafts.map(({ title }) => title)).toEqual(["We always use pnpm here, never npm."]);
  });

  it("takes no words from a pasted block", () => {
    const prompt =
      "what does this mean?\n```\nAlways use tabs, never spaces, in every file of our repo.\n```";
    expect(statementDrafts(turn({ prompt }), 1)).toEqual([]);
  });
});

it("gives a known fix with the families it is found by", () => {
  const use = (id: number, command: string, failed: boolean) => ({
    id,
    isOfTurn: true,
    message: {
      type: "observation" as const,
      tool_name: "Bash",
      tool_input: { command },
      tool_response: failed
        ? { error: "Exit code 1\nerror: invalid target release: 21" }
        : { stdout: "BUILD SUCCESS" },
      ...(failed ? { tool_failed: true } : {}),
    },
  });
  const uses = [use(1, "mvn verify", true), use(2, "JAVA_HOME=/opt/jdk-21 mvn verify", false)];
  const drafts = statementDrafts(turn({ prompt: "run the build", closing: "It builds.", uses }), 3);
  const fix = drafts.find(({ statement }) => statement?.said_by === "tool");
  expect(fix?.summary).toContain("JAVA_HOME=/opt/jdk-21 mvn verify");
  expect(fix?.statement?.families).toContain("mvn verify");
  expect(fix?.sources[0]).toBe(3);
});

it("cuts a title at a word, and keeps the whole text", () => {
  const closing = `The cache is wrong because ${"the lease of every tenant ends ".repeat(30)}early.`;
  const [draft] = statementDrafts(turn({ prompt: "why is it wrong?", closing }), 1);
  expect(draft?.title).toMatch(/ (?:the|lease|of|every|tenant|ends)…$/);
  expect(draft?.narrative).toBe(closing);
});

it("drops repeats", () => {
  const said = "We always keep amounts as integer cents in this codebase, never floats.";
  const drafts = statementDrafts(turn({ prompt: said, closing: said }), 1);
  expect(drafts).toHaveLength(1);
});
