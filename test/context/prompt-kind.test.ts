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
  ["where were we with the speed-up?", true],
  ["继续做支付渠道", true],
  ["why does the export hang?", false],
  ["rename the column", false],
] as const)("sees whether %j takes earlier work up again", (prompt, isResumed) => {
  expect(askedFor(prompt).isResumed).toBe(isResumed);
});
