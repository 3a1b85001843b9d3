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
