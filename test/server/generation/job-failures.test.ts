import { expect, test } from "vitest";
import { loggedFailure, releaseOf } from "../../../src/server/generation/job-failures.ts";

test("the log says how a provider refused, and why the store did", () => {
  for (const why of ["auth: api.example.com answered 401: invalid x-api-key", "The database did not answer."])
    expect(loggedFailure(why)).toBe(why);
});

test("the log contains no text of a useless answer", () => {
  expect(loggedFailure("bad_answer: no JSON in 'Ann earns 5'")).toBe(
    "bad_answer: The model's answer could not be used.",
  );
});

test("the job says the kind of failure in our words, whatever the vendor said", () => {
  const released = releaseOf({
    kind: "retry",
    at: 1,
    error: "auth: api.example.com answered 401: key sk-1 of Ann",
  });
  expect(released).toEqual({
    kind: "retry",
    at: 1,
    error: { code: "auth", message: "The provider refused the server's key." },
  });
  expect(JSON.stringify(releaseOf({ kind: "dead", error: "TypeError: of Ann at /srv/mem.js" }))).not.toMatch(
    /Ann|srv/,
  );
});
