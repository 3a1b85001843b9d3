// A payload for every registered event of a host: recorded, or for Cursor as documented.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../worker.mjs";

const fixtures = join(root, "test", "fixtures", "host-events");
const folders = { "copilot-cli": "copilot-cli-pascalcase" };

/** The payload as an object; the plainest recorded one. */
export function samplePayload(host, event) {
  if (host === "cursor") return { ...cursorCommon, hook_event_name: event, ...cursorFields[event] };
  const folder = join(fixtures, folders[host] ?? host);
  const files = readdirSync(folder).filter(
    (name) => name.startsWith(`${event}.`) && !/in-subagent/.test(name),
  );
  const file = files.includes(`${event}.json`) ? `${event}.json` : files.toSorted()[0];
  // No run of this host had a failed tool.
  if (file === undefined) return { ...samplePayload(host, "PostToolUse"), hook_event_name: event };
  return JSON.parse(readFileSync(join(folder, file), "utf8"));
}

const cursorCommon = {
  conversation_id: "c-1",
  generation_id: "g-1",
  cursor_version: "2026.08.11",
  workspace_roots: ["/home/user/demo"],
};
const read = {
  tool_name: "Read",
  tool_input: { file_path: "/home/user/demo/note.txt" },
  tool_use_id: "t-1",
  cwd: "/home/user/demo",
};
const cursorFields = {
  sessionStart: {},
  beforeSubmitPrompt: { prompt: "Read the note." },
  postToolUse: { ...read, tool_output: '{"content":"hello from note"}' },
  postToolUseFailure: { ...read, error_message: "no such file", failure_type: "error" },
  afterAgentResponse: { text: "We decided to use port 4711 because 80 is taken." },
  stop: { status: "completed" },
  preCompact: { trigger: "auto" },
  sessionEnd: { reason: "completed" },
};
