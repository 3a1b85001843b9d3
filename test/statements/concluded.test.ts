import { expect, test } from "vitest";
import { concludedIn, isReportLead, saysNothingAlone } from "../../src/statements/concluded.ts";
import { turnOf } from "./turn-support.ts";

test.each([
  "Summary",
  "Here is what I changed:",
  "What I did",
  "Changed files:",
  "Zusammenfassung:",
  "Resumen de cambios",
  "Voici ce que j'ai modifié :",
  "O que mudou",
  "Что сделано:",
  "总结：",
  "変更点",
])("%j only announces a report", (lead) => {
  expect(isReportLead(lead)).toBe(true);
});

test.each([
  "Not done yet",
  "Changes to the rate limiter",
  "Rejected:",
  "Offen:",
  "原因：",
  "Next steps",
  "Cause",
])("%j says something of its list", (lead) => {
  expect(isReportLead(lead)).toBe(false);
});

test.each([
  ["Here is what I changed:", "prose", true],
  ["src/login.ts", "item", true],
  ["`src/login.ts`, `src/a.ts`", "item", true],
  ["Message to the user", "item", true],
  ["Tokens never expire for invited users", "item", false],
  ["This also fixes the logout case.", "prose", true],
  ["It works as expected.", "prose", true],
  ["Das behebt auch das Abmelden.", "prose", true],
  ["Das Limit ist 30.", "prose", false],
  ["This repository uses pnpm.", "prose", false],
  ["This also resets `session.user`.", "prose", false],
  ["`src/login.ts`: the cookie is set first", "item", false],
] as const)("of %j as %s: says nothing alone is %s", (text, kind, expected) => {
  expect(saysNothingAlone({ text, kind, lead: "", at: 1 }, { hasLead: false })).toBe(expected);
});

test("the first sentence of a closing refers to the request", () => {
  const sentence = { text: "It works as expected.", kind: "prose", lead: "", at: 0 } as const;
  expect(saysNothingAlone(sentence, { hasLead: false })).toBe(false);
});

test("short open work at the end of a long closing is kept", () => {
  const facts = Array.from(
    { length: 8 },
    (_, at) => `\`part${at}.ts\` (new): reads \`a${at}\` from \`b${at}.json\`.`,
  );
  const closing = `${facts.join("\n\n")}\n\nNext steps:\n- document the flag`;
  const turn = { prompt: "Split the reader.", closing, previous: null, uses: [] };
  expect(concludedIn(turn).map(({ text }) => text)).toContain("Next steps: document the flag");
});

test('what follows "found it" is the cause, and no hint how to look at it is kept', () => {
  const closing =
    "Found it. A second copy of the plugin was still in the mods folder. Please reload the extension and reopen Options.";
  expect(concludedIn(turnOf([], closing))).toMatchObject([
    { kind: "cause", text: "A second copy of the plugin was still in the mods folder." },
  ]);
});
