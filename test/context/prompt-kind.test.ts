import { expect, it } from "vitest";
import { askedFor } from "../../src/context/prompt-kind.ts";

it.each([
  ["write me a haiku about spring cleaning", "general"],
  ["was bedeutet eigentlich das Wort Quark?", "general"],
  ["gracias, hasta mañana", "general"],
  ["чем nginx отличаеться от caddy?", "general"],
  ["docker run跟docker compose有啥区别", "general"],
  ["add a retry to the mail client", "work"],
  ["the nightly import fails again", "work"],
  ["добавь колонку в отчёт", "work"],
  ["hmm, what about the blue one", "unknown"],
] as const)("takes %j for %s", (prompt, kind) => {
  expect(askedFor(prompt).kind).toBe(kind);
});

it.each([
  ["where were we with the speed-up?", "resume"],
  ["继续做支付渠道", "resume"],
  ["why does the export hang?", "problem"],
  ["which id type do we use for new tables?", "choice"],
  ["rename the column", "act"],
] as const)("sees in %j what would help: %s", (prompt, intent) => {
  expect([...askedFor(prompt).intents]).toContain(intent);
});
