import { describe, expect, it } from "vitest";
import type { Turn } from "../../src/core/records/turn.ts";
import { finishedIn } from "../../src/statements/finished.ts";

const turn = (part: Partial<Turn>): Turn => ({ prompt: "", closing: "", previous: null, uses: [], ...part });
const finishes = (open: string, part: Partial<Turn>): boolean => finishedIn(turn(part))?.(open) ?? false;

const finished: [open: string, closing: string][] = [
  ["The refund route is not done yet.", "The refund route is implemented and tested."],
  ["Left to do: a test for `parseRange`.", "I added a test for `parseRange`; all 12 pass."],
  ["The export to CSV is still missing.", "Done: the CSV export works."],
  ["Next step: migrate `orders` to the new schema.", "I migrated `orders` to the new schema."],
  ["Die Migration der Tabelle `orders` fehlt noch.", "Die Migration der Tabelle `orders` ist abgeschlossen."],
  ["La exportación a CSV está pendiente.", "He añadido la exportación a CSV, listo."],
  ["Il reste la migration de la table `orders`.", "La migration de la table `orders` est terminée."],
  ["A exportação para CSV ainda não está pronta.", "A exportação para CSV está pronta."],
  ["Осталось: миграция таблицы `orders`.", "Миграция таблицы `orders` завершена."],
  ["`orders` 表的迁移还没完成。", "`orders` 表的迁移已经完成。"],
  ["`orders` の移行はまだです。", "`orders` の移行が完了しました。"],
];

describe("open work is finished when", () => {
  it.each(finished)("%s -> %s", (open, closing) => {
    expect(finishes(open, { closing })).toBe(true);
  });

  it("a closing says so of what its prompt asked for", () => {
    const prompt = "now finish the refund route";
    expect(finishes("The refund route is not done yet.", { prompt, closing: "Done, tests pass." })).toBe(
      true,
    );
  });

  it.each([
    "the refund route is done, I merged it yesterday",
    "btw I already finished the refund route. next: the docs",
    "we don't need the refund route any more",
    "the refund route is no longer needed",
  ])("the user says: %s", (prompt) => {
    expect(finishes("The refund route is not done yet.", { prompt, closing: "Ok." })).toBe(true);
  });
});

describe("open work stays open when", () => {
  it.each([
    ["another thing is done", "The invoice route is implemented."],
    ["only a part of its words is there", "I fixed the refund of shipping costs."],
    ["it is still not done", "The refund route is not implemented."],
    ["it is done in part", "The refund route is partly implemented."],
    ["it is left open again", "I wrote the tests of the refund route. The refund route is still not done."],
    ["it is planned", "The refund route should be implemented next."],
    ["it is asked about", "Is the refund route implemented?"],
  ])("%s", (_, closing) => {
    expect(finishes("The refund route is not done yet.", { closing })).toBe(false);
  });

  it.each([
    "is the refund route done?",
    "add the refund route",
    "when the refund route is done, deploy it",
    "the refund route is not done",
  ])("the user says: %s", (prompt) => {
    expect(finishes("The refund route is not done yet.", { prompt, closing: "" })).toBe(false);
  });

  it("it has a name that the finished work lacks", () => {
    const open = "Still to convert: the date handling in `src/orders/refund.ts`.";
    expect(finishes(open, { closing: "I converted the date handling in `src/orders/invoice.ts`." })).toBe(
      false,
    );
  });
});
