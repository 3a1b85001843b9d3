import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hostLogin } from "../../src/worker/pause-steps.ts";
import { tempDir } from "../helpers/temp-dir.ts";

function homeWith(settings?: string): string {
  const home = tempDir();
  mkdirSync(join(home, ".claude"));
  if (settings !== undefined) writeFileSync(join(home, ".claude", "settings.json"), settings);
  return home;
}

const gateway = { ANTHROPIC_BASE_URL: "https://gateway.example", ANTHROPIC_API_KEY: "k" };

test.each([
  [{}, "login"],
  [{ CLAUDE_CODE_OAUTH_TOKEN: "t" }, "token"],
  [{ ANTHROPIC_API_KEY: "k", CLAUDE_CODE_OAUTH_TOKEN: "t" }, "api-key"],
  [{ ANTHROPIC_API_KEY: "" }, "login"],
  [{ ANTHROPIC_AUTH_TOKEN: "t" }, "gateway"],
  [gateway, "gateway"],
  [{ ...gateway, CLAUDE_CODE_USE_VERTEX: "1" }, "cloud"],
  [{ CLAUDE_CODE_USE_FOUNDRY: "true" }, "cloud"],
  [{ CLAUDE_CODE_USE_BEDROCK: "0" }, "login"],
])("the environment %j is the login %s", (env, login) => {
  expect(hostLogin({ HOME: homeWith(), ...env })).toBe(login);
});

test.each([
  ['{"apiKeyHelper":"/bin/print-key"}', "helper"],
  ['{"env":{"ANTHROPIC_API_KEY":"k"}}', "api-key"],
  ['{"env":{"CLAUDE_CODE_USE_BEDROCK":"1"}}', "cloud"],
  ["[]", "login"],
  ["{", "login"],
])("the host's settings %s are the login %s", (settings, login) => {
  expect(hostLogin({ HOME: homeWith(settings) })).toBe(login);
});

test("the settings are read where the host keeps them", () => {
  const folder = tempDir();
  writeFileSync(join(folder, "settings.json"), '{"apiKeyHelper":"/bin/print-key"}');
  expect(hostLogin({ HOME: homeWith(), CLAUDE_CONFIG_DIR: folder })).toBe("helper");
});
