// A decision is passed on as a decision; only an instruction to the agent stands as a rule.
import { describe, expect, test } from "vitest";
import { decidedIn, saidIn } from "../../src/statements/said-by-user.ts";

const said = (prompt: string) => saidIn({ prompt, closing: "", previous: null, uses: [] });

describe("a decision is no rule", () => {
  test.each([
    "We decided to go with Stripe for payments",
    "We decided to use Stripe for payments.",
    "We've decided on Hetzner for the staging cluster.",
    "We chose Postgres over MySQL because of the JSON columns.",
    "We decided to use Postgres instead of MySQL.",
    "The team agreed to ship the wizard without the tax step.",
    "We agreed to postpone the migration of the invoices to Q2.",
    "We settled on a flat fee of 2 % for marketplace sellers.",
    "After the call we decided to cut the loyalty program.",
    "It was decided to keep the old barcode scanner until March.",
    "The board voted for the Leipzig warehouse.",
    "We opted for server-side rendering of the catalog.",
    "We're going with Mapbox for the route planner.",
    "We went with soft deletes for patients.",
    "Our designers picked the dark palette.",
    "The decision is to charge per seat, not per project.",
    "I decided to split the firmware into two images.",
    "We decided that the thermostat polls every 30 seconds.",
    "Wir haben uns für Adyen als Zahlungsanbieter entschieden.",
    "Das Team hat beschlossen, die Sensordaten nur 90 Tage zu speichern.",
    "Hemos decidido usar Redsys para los pagos.",
    "Decidimos cobrar por asiento y no por proyecto.",
    "On a choisi OVH pour l'hébergement des vidéos.",
    "A gente decidiu usar o Pix no checkout.",
    "Мы решили хранить снимки в S3.",
    "我们决定用支付宝收款。",
    "決済はStripeを使うことにしました。",
  ])("%s", (prompt) => {
    expect(said(prompt)).toMatchObject([{ kind: "decision", standing: false, text: prompt }]);
  });
});

describe("a task is no decision", () => {
  test.each([
    "I picked up the failing import, please continue.",
    "I picked out the wrong branch, switch back.",
    "I chose badly, undo the last change.",
  ])("%s", (sentence) => {
    expect(decidedIn(sentence)).toBeNull();
  });
});

describe("an instruction is a rule, also within a decision", () => {
  test.each([
    "Never use npm here, always pnpm.",
    "Always run the linter before you commit.",
    "Never push to main.",
    "From now on every endpoint has an integration test.",
    "We decided to never commit generated files.",
    "From now on we agreed to only merge with a green pipeline in this repo.",
    "Wir haben vereinbart: Commits immer auf Englisch.",
  ])("%s", (prompt) => {
    expect(said(prompt)).toMatchObject([{ kind: "rule", text: prompt }]);
  });
});

test.each([
  "We decided to use pnpm instead of npm.",
  "Hemos acordado que cada commit lleva el número del ticket.",
])("an agreement that does not say that it lasts is a decision: %s", (prompt) => {
  expect(said(prompt)).toMatchObject([{ kind: "decision", text: prompt }]);
});

test.each([
  "Did we decide to go with Stripe?",
  "why did we choose Stripe for payments?",
  "Since we decided to go with Stripe, add the SDK.",
  "Paul says we decided to go with Stripe.",
  "maybe we should have chosen Stripe",
  "Decide on a name for the module.",
  "The user has chosen a plan and clicks on pay.",
])("neither a decision nor a rule: %s", (prompt) => {
  expect(said(prompt).map(({ kind }) => kind)).not.toContain("decision");
  expect(said(prompt).map(({ kind }) => kind)).not.toContain("rule");
});

test.each([
  ["We decided to go with Stripe", "go with Stripe"],
  ["We've agreed on tabs", "tabs"],
  ["Wir haben uns für Adyen entschieden", "für Adyen"],
  ["go with Stripe", null],
])("%s: %j was decided", (sentence, content) => {
  expect(decidedIn(sentence)).toBe(content);
});
