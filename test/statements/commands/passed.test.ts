// Which commands of a line have passed when the line has.
import { expect, it } from "vitest";
import { parseCommandLine } from "../../../src/core/tools/command-line.ts";
import { readResult } from "../../../src/core/tools/tool-result.ts";
import { hasOwnStatus, succeededIn } from "../../../src/statements/commands/passed.ts";
import type { Json } from "../../../src/text/json.ts";

it.each<[command: string, passed: string[]]>([
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
])("of %j: %j", (command, passed) => {
  expect(succeededIn(parseCommandLine(command), command).map(({ text }) => text)).toEqual(passed);
});

it.each<[what: string, response: Json, isOwn: boolean]>([
  ["a host that reports failures apart", { stdout: "ok", stderr: "", interrupted: false }, true],
  ["an exit code", { output: "ok", exitCode: 0 }, true],
  ["text alone", "ok", false],
  ["a start in the background", { stdout: "", interrupted: false, backgroundTaskId: "b1" }, false],
  ["a failure", { output: "no", exitCode: 1 }, false],
])("the status of a command is known from %s: %#", (_, response, isOwn) => {
  expect(hasOwnStatus({}, readResult(response, false))).toBe(isOwn);
});
