import { format, inspect } from "node:util";
import { expect, test } from "vitest";
import { Secret } from "../../src/settings/secret.ts";

test("no way of printing a secret shows it, and reveal gives it", () => {
  const secret = new Secret("canary-3141");
  const printed = [
    String(secret),
    `${secret}`,
    JSON.stringify({ secret }),
    inspect({ secret }, { depth: 9, showHidden: true }),
    format("%s %o %j", secret, secret, secret),
    JSON.stringify(Object.entries(secret)),
    JSON.stringify({ ...secret }),
  ].join("\n");
  expect(printed).not.toContain("canary");
  expect(secret.reveal()).toBe("canary-3141");
  expect(secret.isSet).toBe(true);
  expect(new Secret("").isSet).toBe(false);
});
