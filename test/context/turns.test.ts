// Records in the order of their turns.
import { expect, test } from "vitest";
import { byTurn } from "../../src/context/turns.ts";

const said = (id: number, summary: string, prompt_number: number | null = 1) => ({
  id,
  sdk_session_id: "s",
  prompt_number,
  summary,
});
test("statements of one turn stand together, where the best of them stands", () => {
  const records = [said(1, "a", 1), said(2, "b", 2), said(3, "c", 1), said(4, "d", null), said(5, "e", null)];
  expect(byTurn(records).map(({ record, isFirst }) => [record.id, isFirst])).toEqual([
    [1, true],
    [3, false],
    [2, true],
    [4, true],
    [5, true],
  ]);
});
