import { expect, test } from "vitest";
import { sessionsBetween } from "./between.mjs";

const session = (text: string, lang?: string) => ({
  turns: [{ prompt: text, closing: "Done." }],
  ...(lang === undefined ? {} : { lang }),
});
const scenario = (id: string, text: string, kind = "rule") => ({
  id,
  kind,
  lang: "de",
  past: [session(text)],
  need: [{ at: "start", all: ["pnpm"] }],
  never: ["tabs"],
});
const wanted = scenario("rule-01", "use pnpm");
const noise = ["a", "b", "c", "d", "e", "f"].map((text) => session(text)).concat(session("eins", "de"));
const set = {
  noise,
  scenarios: [wanted, scenario("rule-02", "use make"), scenario("rule-03", "sort imports")],
};
const prompts = (sessions: { turns: { prompt: string }[] }[]) =>
  sessions.map(({ turns }) => turns[0]?.prompt);

test("is the same list in every run, as long as asked for", () => {
  const options = { ...set, noiseSessions: 8, mixed: 0 };
  const first = prompts(sessionsBetween(wanted, options));
  expect(first).toHaveLength(8);
  expect(prompts(sessionsBetween(wanted, options))).toEqual(first);
});

test("has the scenario's own language at every second place while there is some", () => {
  const found = prompts(sessionsBetween(wanted, { ...set, noiseSessions: 4, mixed: 0 }));
  expect(found.indexOf("eins")).toBe(1);
  expect(found.filter((prompt) => prompt === "eins")).toHaveLength(1);
});

test("spreads other pasts among unrelated work, which comes last", () => {
  const found = prompts(sessionsBetween(wanted, { ...set, noiseSessions: 4, mixed: 2 }));
  expect(found).toHaveLength(6);
  expect(found).toEqual(expect.arrayContaining(["use make", "sort imports"]));
  expect(["use make", "sort imports"]).not.toContain(found.at(-1));
});

test("leaves out pasts that meet the need, violate its never, or are quiet", () => {
  const scenarios = [
    wanted,
    scenario("rule-02", "we like pnpm"),
    scenario("rule-03", "indent with tabs"),
    scenario("quiet-01", "hello", "quiet"),
  ];
  expect(sessionsBetween(wanted, { noise: [], scenarios, noiseSessions: 4, mixed: 9 })).toEqual([]);
});
