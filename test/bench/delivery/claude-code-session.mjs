// One session of Claude Code as its hook payloads, in the form of test/fixtures/host-events/claude-code.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { absoluteInput } from "./project-files.mjs";

/** Payloads of the session `name`, whose ids follow from that name. The agent works in `directory`. */
export function createSession({ name, directory, home }) {
  const nextId = idsOf(name);
  const session_id = nextId();
  const folder = join(home, ".claude", "projects", directory.replaceAll("/", "-"));
  const session = { session_id, transcript_path: join(folder, `${session_id}.jsonl`), cwd: directory };
  return {
    start: () => ({ ...session, hook_event_name: "SessionStart", source: "startup" }),
    turn: (text) => turnOf({ session, directory, nextId, text }),
    end: () => ({ ...session, hook_event_name: "SessionEnd", reason: "prompt_input_exit" }),
  };
}

function turnOf({ session, directory, nextId, text }) {
  const turn = { ...session, prompt_id: nextId(), permission_mode: "default" };
  const effort = { level: "medium" };
  return {
    prompt: () => ({ ...turn, hook_event_name: "UserPromptSubmit", prompt: text }),
    tool: (use) => {
      const input = absoluteInput(directory, use);
      const call = {
        ...turn,
        effort,
        tool_name: use.tool,
        tool_input: input,
        tool_use_id: `toolu_${nextId().replaceAll("-", "").slice(0, 20)}`,
      };
      return {
        before: () => ({ ...call, hook_event_name: "PreToolUse" }),
        after: () => ({ ...call, ...outcome(use, input) }),
      };
    },
    stop: (closing) => ({
      ...turn,
      effort,
      hook_event_name: "Stop",
      stop_hook_active: false,
      last_assistant_message: closing,
      background_tasks: [],
      session_crons: [],
    }),
  };
}

function outcome(use, input) {
  if (typeof use.error === "string")
    return { hook_event_name: "PostToolUseFailure", error: use.error, is_interrupt: false, duration_ms: 100 };
  return { hook_event_name: "PostToolUse", tool_response: responseOf(use, input), duration_ms: 20 };
}

function responseOf({ tool, output = "" }, input) {
  const lines = output.split("\n");
  switch (tool) {
    case "Bash":
      return { stdout: output, stderr: "", interrupted: false, isImage: false, noOutputExpected: false };
    case "Read":
      return {
        type: "text",
        file: {
          filePath: input.file_path,
          content: output,
          numLines: lines.length,
          startLine: 1,
          totalLines: lines.length,
        },
      };
    case "Edit":
      return editResponse(input);
    case "Write":
      return { type: "create", filePath: input.file_path, content: input.content ?? "", structuredPatch: [] };
    case "Grep":
      return { mode: "content", numFiles: 0, filenames: [], content: output, numLines: lines.length };
    case "Glob":
      return { filenames: lines.filter(Boolean), numFiles: lines.filter(Boolean).length, truncated: false };
    case "WebFetch":
      return { bytes: output.length, code: 200, codeText: "OK", result: output, url: input.url ?? "" };
    default:
      return output;
  }
}

function editResponse({ file_path: filePath, old_string: oldString = "", new_string: newString = "" }) {
  const removed = oldString.split("\n");
  const added = newString.split("\n");
  const patch = {
    oldStart: 1,
    oldLines: removed.length,
    newStart: 1,
    newLines: added.length,
    lines: [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)],
  };
  return {
    filePath,
    oldString,
    newString,
    originalFile: null,
    structuredPatch: [patch],
    userModified: false,
    replaceAll: false,
  };
}

// Ids in the form of a UUID, the same in every run.
function idsOf(name) {
  let count = 0;
  return () => {
    const hex = createHash("sha256").update(`${name}#${count++}`).digest("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  };
}
