import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadGatewayCredentials, parseDotEnv } from "../../src/settings/env-file.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("the gateway's address and keys are read from .env, and keys are secrets", () => {
  const path = join(tempDir(), ".env");
  writeFileSync(
    path,
    "LLM_BASE_URL=https://gateway.example/v1\nexport LLM_AUTH_TOKEN='canary#1'\r\nOTHER=1\n",
  );
  const credentials = loadGatewayCredentials(path);
  expect(credentials.baseUrl).toBe("https://gateway.example/v1");
  expect(credentials.authToken.reveal()).toBe("canary#1");
  expect(credentials.apiKey.isSet).toBe(false);
  expect(JSON.stringify(credentials)).not.toContain("canary");
});

test("without a .env nothing is set", () => {
  expect(loadGatewayCredentials(join(tempDir(), ".env")).baseUrl).toBe("");
});

test("a .env that is a link is refused", () => {
  const directory = tempDir();
  writeFileSync(join(directory, "target"), "LLM_API_KEY=x");
  symlinkSync(join(directory, "target"), join(directory, ".env"));
  expect(() => loadGatewayCredentials(join(directory, ".env"))).toThrow("symbolic link");
});

test.each([
  ["A=b", "b"],
  ["A = b ", "b"],
  ["A=b # note", "b"],
  ["A=b#c", "b#c"],
  ['A="b # c" # d', "b # c"],
  ["A='it'", "it"],
  ["A=", ""],
  ["# A=b", undefined],
  ["A", undefined],
])("the line %j gives %j", (line, value) => {
  expect(parseDotEnv(line).get("A")).toBe(value);
});
