// Why a record is in an injected text, from what the log keeps.
import { expect, test } from "vitest";
import type { Injection } from "../../src/viewer/api.ts";
import { injectedReason, promptWords } from "../../src/viewer/injected-reasons.ts";

type InjectedRecord = Injection["records"][number];

function record(id: number, more: Partial<InjectedRecord> = {}): InjectedRecord {
  const common = { kind: "observation" as const, obs_type: "change", is_rule: false, is_deleted: false };
  return { id, title: "A title", ...common, ...more };
}

function injection(moment: Injection["moment"], text: string | null, cause: string | null = null): Injection {
  return { id: 1, reader: "", moment, at_epoch: 1, tokens: 1, cause, records: [], text };
}

function reasonOf(one: Injection, of: InjectedRecord, prompt: string = one.cause ?? ""): string {
  return injectedReason(one, of, promptWords(prompt));
}

const start = `<mem-context-1a2b3c4d>
# shop

## Rules from the user
- everywhere: Run the linter (#1)

## Left open
- Round the total (#12, 2026-01-31)

## Newest records
| id | title |
| 3 | Fixed #123 of the list |
</mem-context-1a2b3c4d>`;

test("a record of a start has the section that names it", () => {
  const reasons = [record(1, { is_rule: true }), record(12), record(3)].map((one) =>
    reasonOf(injection("start", start), one),
  );
  expect(reasons).toEqual(["standing rule", "in “Left open”", "in “Newest records”"]);
  const gone = injection("start", null);
  expect(reasonOf(gone, record(12))).toBe("one of the newest records");
  expect(reasonOf(gone, record(2, { kind: "summary" }))).toBe("summary of an earlier session");
});

test("a record of a prompt has the words that both share, as they are in the prompt", () => {
  const found = record(5, { title: "Users stay logged in after a deploy" });
  const asked = injection("prompt", "- Users stay logged in (#5)", "Why are users logged out");
  expect(reasonOf(asked, found, "Why are users logged out after deploys?")).toBe(
    "fits the prompt: users, logged, deploys",
  );
  expect(reasonOf(asked, found)).toBe("fits the prompt: users, logged");
  expect(reasonOf(asked, record(6, { title: "Else" }))).toBe("fits the prompt");
  expect(reasonOf(injection("prompt", start, "Hello"), record(12))).toBe("in “Left open”");
});

test("at a file or a command, rules and other records have their reasons", () => {
  const rule = record(1, { is_rule: true });
  expect(reasonOf(injection("file", "x", "a.ts"), rule)).toBe("a rule about edits of this file");
  expect(reasonOf(injection("file", "x", "a.ts"), record(2))).toBe("about this file");
  expect(reasonOf(injection("command", "x", "npm test"), rule)).toBe("a rule about this command");
  const fix = record(3, { obs_type: "bugfix" });
  expect(reasonOf(injection("command", "x", "npm test"), fix)).toBe("a known fix for this command");
  expect(reasonOf(injection("command", "x", "npm test"), record(4))).toBe(
    "an earlier failure of this command",
  );
});

test("a prompt of any length is read up to some thousand characters", () => {
  const long = `Why is the cart wrong? ${"x ".repeat(5_000)} deploy`;
  const found = record(5, { title: "The cart after a deploy" });
  expect(reasonOf(injection("prompt", "- The cart (#5)"), found, long)).toBe("fits the prompt: cart");
});
