import { expect, test } from "vitest";
import { loggedFailure } from "../../src/server/job-failures.ts";

test("the log says how a provider refused, and nothing of what it quotes", () => {
  const quoting = "bad_request: api.example.com answered 400: Invalid value: 'the salary of Ann is 5'";
  expect(loggedFailure(quoting)).toBe("bad_request (answered 400): The provider refused the request.");
});

test("the log says why the store refused", () => {
  expect(loggedFailure("The database did not answer.")).toBe("The database did not answer.");
});
