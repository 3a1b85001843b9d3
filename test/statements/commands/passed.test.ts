// Which commands of a line have passed when the line has.
import { expect, it } from "vitest";
import { readRuns } from "../../../src/statements/commands/runs.ts";
import type { Json } from "../../../src/text/json.ts";
import { bad, type Step, turnOf } from "../turn-support.ts";

const response = { stdout: "ok", stderr: "", interrupted: false };

function provenIn(step: Step): string[] {
  return readRuns(turnOf([step]).uses).runs.flatMap(({ proven }) => proven.map(({ text }) => text));
}

function step(command: string, tool_response: Json = response): Step {
  return { tool_name: "Bash", tool_input: { command }, tool_response };
}

it.each<[command: string, proven: string[]]>([
  ["npm test", ["npm test"]],
  ["cd web && npm run build && npm test", ["cd web", "npm run build", "npm test"]],
  ["(cd web && npm test) && npm run lint", ["cd web", "npm test", "npm run lint"]],
  ["npm test 2>&1", ["npm test"]],
  ["npm test; npm run lint", ["npm run lint"]],
  ["npm test | tail -3", ["tail -3"]],
  ["npm test || npm run fix", []],
  ["npm run build && npm test || true", []],
  ["! npm test", []],
  ["if npm test; then echo ok; fi", []],
  ["for d in a b; do npm test; done", []],
  ["npm start &", []],
  ["(npm start > log 2>&1 &); sleep 3", ["sleep 3"]],
])("of %j: %j", (command, proven) => {
  expect(provenIn(step(command))).toEqual(proven);
});

it("proves nothing without an exit status, in the background, or of a failure", () => {
  expect(provenIn(step("npm test", "ok"))).toEqual([]);
  expect(provenIn(step("npm start", { ...response, backgroundTaskId: "b1" }))).toEqual([]);
  expect(provenIn(step("npm test", { output: "ok", exitCode: 0 }))).toEqual(["npm test"]);
  expect(provenIn(bad("npm test"))).toEqual([]);
});
