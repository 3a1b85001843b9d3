// Reads a tool call of any host: the kind of the tool, its arguments, its shell command.
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";
import { parseObject, textField } from "../../text/json-fields.ts";
import { plain } from "../../text/plain-text.ts";
import { byName } from "./name-lists.ts";

export type ToolKind = keyof typeof toolNames | "mcp" | "other";

export interface ToolCall {
  name: string;
  kind: ToolKind;
  /** The arguments; empty when they were no object. */
  input: JsonObject;
  /** The arguments when they were one bare text, as a patch tool has it. */
  inputText: string;
}

/** A tool use as hosts send it. */
export interface ToolUse {
  tool_name?: string | undefined;
  tool_input?: Json | undefined;
  tool_response?: Json | undefined;
  tool_failed?: boolean | undefined;
}

export function readCall({ tool_name = "", tool_input: raw = null }: ToolUse): ToolCall {
  const name = plain(tool_name).trim();
  const parsed = typeof raw === "string" ? (parseObject(raw) ?? raw) : raw;
  const input = isJsonObject(parsed) ? parsed : {};
  return { name, kind: kindOf(name, input), input, inputText: typeof parsed === "string" ? parsed : "" };
}

// The input tells an editor that views a file from one that changes it.
function kindOf(name: string, input: JsonObject): ToolKind {
  if (name.startsWith("mcp__")) return "mcp";
  const key = toolKey(name);
  if (key.startsWith("strreplace")) return textField(input, "command") === "view" ? "read" : "edit";
  return kinds.get(key) ?? (/^(?:browser|playwright)/.test(key) ? "web" : "other");
}

interface ToolCommand {
  /** The argument with the command; null when the input is the command, or has none. */
  name: string | null;
  text: string;
}

/** The command in a tool's input; its text is empty when there is none. */
export function commandIn(input: Json | undefined): ToolCommand {
  if (typeof input === "string") return { name: null, text: input };
  const object: JsonObject = isJsonObject(input) ? input : {};
  for (const name of ["command", "cmd", "script", "code", "input", "CommandLine"]) {
    const value = object[name];
    if (typeof value === "string") return { name, text: value };
    if (!Array.isArray(value)) continue;
    const words = value.filter((word): word is string => typeof word === "string");
    const script = words.findIndex((word) => /^-\w*c$/.test(word));
    return { name, text: (script > 0 ? words[script + 1] : undefined) ?? words.map(quoted).join(" ") };
  }
  return { name: null, text: "" };
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export function isShellTool(name: string): boolean {
  return kinds.get(toolKey(name)) === "shell";
}

/** A tool's name in lower case without separators: hosts write `run_shell_command` and `RunShellCommand`. */
function toolKey(name: string): string {
  return name.toLowerCase().replace(/[_\-\s]/g, "");
}

const toolNames = {
  read: "read readfile view viewfile notebookread readmanyfiles readnotebook opennotebook",
  edit: `edit write multiedit notebookedit writefile create createfile replace applypatch patch editfile searchreplace
    insert insertedit multiedittool filewrite deletefile delete`,
  search: `grep glob ls rg searchfilecontent grepsearch codebasesearch findfiles filesearch listdir listdirectory list
    find semanticsearch search`,
  shell: `bash shell runshellcommand exec execcommand localshell powershell runterminalcmd runterminalcommand terminal
    executecommand process bashoutput readbash writebash`,
  web: "webfetch websearch googlewebsearch fetch fetchurl browse browser navigate",
  agent: "task agent delegate subagent spawnagent sessionsspawn delegatetoagent invokeagent",
  plan: "exitplanmode planexit presentplan",
  question: "askuserquestion askuser question askfollowupquestion requestuserinput",
  tasks: "todowrite writetodos updateplan todo taskcreate taskupdate updatetodo managetodolist",
};
const kinds = byName(toolNames);
