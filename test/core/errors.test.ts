import { expect, test } from "vitest";
import { type ErrorCode, errorCatalogue, MemError } from "../../src/core/errors.ts";

// Who cancelled knows what to do.
const codes = (Object.keys(errorCatalogue) as ErrorCode[]).filter((code) => code !== "cancelled");

test.each(codes)("%s tells its reader what to do when the thrower does not", (code) => {
  expect(new MemError(code).toBody().error.hint).toMatch(/^.{10,120}\.$/);
});

test("the thrower's own hint goes before that of the catalogue", () => {
  expect(new MemError("not_found", { hint: "Look elsewhere." }).toBody().error.hint).toBe("Look elsewhere.");
});

test("a MemError of another bundle is one too, and is not of a subclass", async () => {
  // @ts-expect-error: the query makes a second copy of the module
  const copy: typeof import("../../src/core/errors.ts") = await import("../../src/core/errors.ts?copy");
  class Narrower extends MemError {}
  const error = new copy.MemError("not_found");
  expect(copy.MemError).not.toBe(MemError);
  expect(error instanceof MemError).toBe(true);
  expect(error instanceof Narrower).toBe(false);
  expect(new Narrower("not_found") instanceof Narrower).toBe(true);
  expect(new Error("other") instanceof MemError).toBe(false);
});
