// What the lines of a rollout of Codex say in several forms: messages, tool calls and their answers.
import { fileURLToPath } from "node:url";
import { isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import { numberField, objectField, objectsField, parseObject, textField } from "../text/json-fields.ts";

/** Versions that page their history write an item in place of each message, or before it: then the message is empty. */
export function createMessages(): (payload: JsonObject) => JsonObject {
  let asked = "";
  return (payload) => {
    const read = plainMessage(payload);
    if (read.type !== "user_message") return read;
    const before = asked;
    asked = read === payload ? "" : textField(read, "message");
    return read === payload && before !== "" && before === textField(read, "message").trim() ? {} : read;
  };
}

function plainMessage(payload: JsonObject): JsonObject {
  const item = objectField(payload, "item");
  const parts = objectsField(item, "content");
  const message = parts
    .map((part) => textField(part, "text"))
    .join("\n")
    .trim();
  if (item.type === "AgentMessage") return { type: "agent_message", message };
  const images = parts.filter(({ type }) => type !== "text");
  return item.type === "UserMessage" ? { type: "user_message", message, images } : payload;
}

export interface Call {
  name: string;
  input: JsonObject;
}

/** A call as the hooks name it; null for a script of code mode, whose own calls are items. */
export function callIn(item: JsonObject): Call | null {
  const name = textField(item, "name");
  switch (item.type) {
    case "function_call":
      return callOf(serverName(item) + name, parseObject(textField(item, "arguments")) ?? {});
    case "local_shell_call":
      return callOf("shell", objectField(item, "action"));
    default:
      return name === "exec" ? null : { name, input: { command: textField(item, "input") } };
  }
}

// `mcp__mem__search` in one name, or `search` in the namespace `mcp__mem__` or `mcp__mem`.
function serverName(item: JsonObject): string {
  const server = /^mcp__.*[^_]/.exec(textField(item, "namespace"))?.[0];
  return server === undefined ? "" : `${server}__`;
}

const shells = new Set(["shell", "container.exec", "exec_command", "shell_command", "local_shell"]);

function callOf(name: string, input: JsonObject): Call {
  if (!shells.has(name)) return { name, input };
  const { command } = input;
  const words = Array.isArray(command) ? command.map(String) : [];
  const isShell = words.length === 3 && /^(.*\/)?(ba|z|da|)sh$/.test(words[0] ?? "") && words[1] === "-lc";
  const text =
    words.length > 0 ? (isShell ? (words[2] ?? "") : words.join(" ")) : textField(input, "command", "cmd");
  return { name: "Bash", input: { command: text } };
}

/** The output as the hooks give it; with the exit code of a command that failed. */
export function responseOf(output: Json): Json {
  const object = typeof output === "string" ? parseObject(output) : isJsonObject(output) ? output : null;
  if (object !== null && (object.output !== undefined || object.content !== undefined)) {
    const text = textField(object, "output", "content");
    return withCode(text, numberField(objectField(object, "metadata"), "exit_code"));
  }
  if (typeof output !== "string") return output;
  const head = /^(?:.*\n){0,8}?Output:\n/.exec(output)?.[0];
  if (head === undefined) return output;
  const code = /(?:Exit code: |exited with code )(-?\d+)/.exec(head)?.[1];
  return withCode(output.slice(head.length), code === undefined ? null : Number(code));
}

function withCode(output: string, code: number | null): Json {
  return code === null || code === 0 ? output : { output, exit_code: code };
}

/** A tool use that a script of code mode made; undefined for another item. */
export function itemUse(item: JsonObject): (Call & { response: Json; cwd: string }) | undefined {
  const place = textField(item, "cwd");
  const cwd = place.startsWith("file:///") ? fileURLToPath(place) : place;
  switch (item.type) {
    case "CommandExecution": {
      const response = withCode(textField(item, "aggregated_output"), numberField(item, "exit_code"));
      return { ...callOf("shell", item), response, cwd };
    }
    case "McpToolCall": {
      const name = `mcp__${textField(item, "server")}__${textField(item, "tool")}`;
      const response = item.error ?? item.result ?? null;
      return { name, input: objectField(item, "arguments"), response, cwd };
    }
    case "FileChange": {
      if (item.status === "failed" || item.status === "declined") return undefined;
      const response = textField(item, "stdout");
      return {
        name: "apply_patch",
        input: { command: patchOf(objectField(item, "changes")) },
        response,
        cwd,
      };
    }
    default:
      return undefined;
  }
}

function patchOf(changes: JsonObject): string {
  const files = Object.entries(changes).map(([path, change]) => {
    const { type, ...rest } = isJsonObject(change) ? change : {};
    if (type === "delete") return `*** Delete File: ${path}`;
    if (type !== "add") return `*** Update File: ${path}\n${textField(rest, "unified_diff").trimEnd()}`;
    const added = textField(rest, "content").replace(/^/gm, "+");
    return `*** Add File: ${path}\n${added}`;
  });
  return ["*** Begin Patch", ...files, "*** End Patch"].join("\n");
}
