// What a host's tool is for, by its name: the names that all hosts have for the same tools.
import type { JsonObject } from "../../text/json.ts";
import { textField } from "../../text/json-fields.ts";
import { shellTools, toolKey } from "./tool-command.ts";

export type ToolKind =
  | "read"
  | "search"
  | "edit"
  | "shell"
  | "web"
  | "agent"
  | "plan"
  | "question"
  | "tasks"
  | "mcp"
  | "other";

/** The kind of a tool; the input tells an editor that views a file from one that changes it. */
export function toolKind(name: string, input: JsonObject): ToolKind {
  if (name.startsWith("mcp__")) return "mcp";
  const key = toolKey(name);
  if (key.startsWith("strreplace")) return textField(input, "command") === "view" ? "read" : "edit";
  if (shellTools.has(key)) return "shell";
  return kinds.get(key) ?? (/^(?:browser|playwright)/.test(key) ? "web" : "other");
}

const kinds = new Map<string, ToolKind>(
  (
    [
      ["read", "read readfile view viewfile notebookread readmanyfiles readnotebook opennotebook"],
      [
        "edit",
        "edit write multiedit notebookedit writefile create createfile replace applypatch patch editfile searchreplace " +
          "insert insertedit multiedittool filewrite deletefile delete",
      ],
      [
        "search",
        "grep glob ls rg searchfilecontent grepsearch codebasesearch findfiles filesearch listdir listdirectory list " +
          "find semanticsearch search",
      ],
      ["web", "webfetch websearch googlewebsearch fetch fetchurl browse browser navigate"],
      ["agent", "task agent delegate subagent spawnagent sessionsspawn delegatetoagent"],
      ["plan", "exitplanmode planexit presentplan"],
      ["question", "askuserquestion askuser question askfollowupquestion requestuserinput"],
      ["tasks", "todowrite writetodos updateplan todo taskcreate taskupdate updatetodo managetodolist"],
    ] satisfies [ToolKind, string][]
  ).flatMap(([kind, names]) => names.split(" ").map((name): [string, ToolKind] => [name, kind])),
);
