import { expect, test } from "vitest";
import { commandsFor } from "./product.mjs";

const group = (command: string, matcher?: string) => ({
  ...(matcher === undefined ? {} : { matcher }),
  hooks: [{ type: "command", command }],
});
const hooks = {
  PreToolUse: [group("files", "Read|Edit"), group("all", "*")],
  SessionStart: [group("fresh", "startup"), group("any")],
};

test.each([
  [{ hook_event_name: "PreToolUse", tool_name: "Edit" }, ["files", "all"]],
  [{ hook_event_name: "PreToolUse", tool_name: "MultiEdit" }, ["all"]],
  [{ hook_event_name: "SessionStart", source: "startup" }, ["fresh", "any"]],
  [{ hook_event_name: "SessionStart", source: "compact" }, ["any"]],
  [{ hook_event_name: "Stop" }, []],
])("runs the hooks whose whole matcher takes %j", (payload, commands) => {
  expect(commandsFor(hooks, payload)).toEqual(commands);
});
