import { describe, expect, it } from "vitest";
import type { Turn } from "../../src/core/records/turn.ts";
import { finishedIn } from "../../src/statements/finished.ts";

const edit = (path: string): Turn["uses"][number] => ({
  id: 1,
  isOfTurn: true,
  message: { type: "observation", tool_name: "Edit", tool_input: { file_path: path } },
});

function replaces(open: string, part: Partial<Turn>): boolean {
  const turn = { prompt: "", closing: "", previous: null, uses: [edit("/app/src/cart.ts")], ...part };
  return finishedIn(turn)?.(open) ?? false;
}

const list = [
  "What is left: `totalOf` still rounds each line by itself.",
  "What is left: Tests for empty carts (`[]`, `null`) in `test/cart.test.ts`.",
];
const resumed = {
  prompt: "where were we with the cart? carry on with totalOf and the tests",
  closing:
    "`totalOf` rounds the sum now, for `[]` and `null` it gives 0, each in its own case. Left: the discount codes.",
};

describe("a newer account replaces open work when", () => {
  it.each(list)("the prompt takes it up again: %s", (open) => {
    expect(replaces(open, resumed)).toBe(true);
  });

  it("the account says that nothing is left", () => {
    const closing = "`totalOf` rounds the sum, `[]` and `null` give 0. Nothing left.";
    expect(list.map((open) => replaces(open, { ...resumed, closing }))).toEqual([true, true]);
  });

  it("prompt and closing are in another language than the list", () => {
    const prompt = "Wo waren wir beim Warenkorb? Mach weiter.";
    const closing = "`totalOf` rundet jetzt die Summe. Offen: die Rabattcodes.";
    expect(replaces("Left: `totalOf` still rounds each line by itself.", { prompt, closing })).toBe(true);
  });

  it("its names and its words are in what was done", () => {
    const closing = "The rounding in `totalOf` now happens for each sum, not for each line. Left: the docs.";
    expect(replaces("Left: `totalOf` rounds each line by itself.", { prompt: "fix the sums", closing })).toBe(
      true,
    );
  });

  it("the user answers the turn that left it open, and asks for it", () => {
    const before = "The cart is in. Open: the entry for `cart.limit` in the README.";
    const closing = "`README.md` describes `cart.limit`. Open: the discount codes.";
    const previous = { prompt: "build the cart", closing: before };
    const prompt = "good, now the README";
    expect(replaces("Open: the entry for `cart.limit` in the README.", { prompt, closing, previous })).toBe(
      true,
    );
  });

  it("one part is done and the account keeps the other", () => {
    const open = "Left: the discount codes of `Basket`, and the rounding in `totalOf`.";
    const closing = "`totalOf` rounds the sum. Left: the discount codes of `Basket`.";
    expect(replaces(open, { ...resumed, closing })).toBe(true);
  });
});

describe("open work survives a newer account when", () => {
  it.each([
    "Left: the export of invoices in `src/invoices.ts`.",
    "The migration of `orders` is not started.",
    "Still open: whether guests may pay by invoice.",
  ])("it is of other work: %s", (open) => {
    expect(replaces(open, resumed)).toBe(false);
  });

  it("the turn did other work in the same file", () => {
    const closing = "The typo in `src/cart.ts` is gone. Left: the docs.";
    expect(
      replaces("Left: a lock around `src/cart.ts` writes.", { prompt: "typo in cart.ts", closing }),
    ).toBe(false);
  });

  it("the turn gives no account", () => {
    const closing = "`totalOf` rounds the sum now.";
    expect(replaces(list[1] ?? "", { ...resumed, closing })).toBe(false);
  });

  it("the turn did nothing", () => {
    expect(replaces(list[0] ?? "", { ...resumed, uses: [] })).toBe(false);
  });

  it("the user puts it off", () => {
    const prompt = "carry on with the tests, totalOf later";
    const closing = "The tests for `[]` and `null` are there. Left: the discount codes.";
    expect(replaces("What is left: `totalOf` rounds each line.", { prompt, closing })).toBe(false);
  });

  it("the account names it again", () => {
    const closing = "The tests are there. Left: `totalOf` still rounds each line by itself.";
    expect(replaces(list[0] ?? "", { ...resumed, closing })).toBe(false);
  });

  it("one part of it is neither done nor named again", () => {
    const open = "Left: the lock of the invoice table, and the rounding in `totalOf`.";
    expect(replaces(open, resumed)).toBe(false);
  });
});
