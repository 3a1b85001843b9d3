// One tool use to one observation: takes the host's shape off, finds the describer of the tool, applies the caps.
import type { DraftObservation } from "../../../domain/drafts.ts";
import { isJsonObject } from "../../../domain/json.ts";
import { parseObject, textField } from "../../../domain/json-fields.ts";
import type { ClaimedMessage } from "../../../domain/messages.ts";
import { plain } from "../../../domain/plain-text.ts";
import { shellTools, toolKey } from "../../../domain/tool-command.ts";
import { readResult } from "../../../domain/tool-result.ts";
import { answerParts } from "./agent-answer.ts";
import { describePlan, describeQuestion, describeSubAgent, describeTasks } from "./agent-tools.ts";
import { describeCommand } from "./command-tools.ts";
import { describeEdit } from "./edit-tools.ts";
import { type Finding, type ToolUse, toDraft } from "./finding.ts";
import { describeMcp, describeOther } from "./other-tools.ts";
import { describeRead } from "./read-tools.ts";
import { describeSearch } from "./search-tools.ts";
import { describeWeb } from "./web-tools.ts";

/** The observation of one message of type `observation`. Pure; never throws for any JSON. */
export function observe({ id, message }: ClaimedMessage, userPrompt: string): DraftObservation {
  const raw = message.tool_input ?? null;
  const parsed = typeof raw === "string" ? (parseObject(raw) ?? raw) : raw;
  const called = {
    name: plain(message.tool_name ?? "").trim(),
    input: isJsonObject(parsed) ? parsed : {},
    inputText: typeof parsed === "string" ? parsed : "",
  };
  const describe = describerOf(called);
  const response = describe === describeSubAgent ? answerParts(message.tool_response) : message.tool_response;
  const result = readResult(response, message.tool_failed === true);
  return toDraft(describe({ ...called, result, cwd: message.cwd ?? null, userPrompt }), id);
}

type Describer = (use: ToolUse) => Finding;

function describerOf(use: Pick<ToolUse, "name" | "input">): Describer {
  if (use.name.startsWith("mcp__")) return describeMcp;
  const name = toolKey(use.name);
  if (name.startsWith("strreplace"))
    return textField(use.input, "command") === "view" ? describeRead : describeEdit;
  const known = describers.get(name);
  if (known !== undefined) return known;
  return name.startsWith("browser") || name.startsWith("playwright") ? describeWeb : describeOther;
}

/** Tool names of all hosts, in lower case without separators. */
const describers = new Map<string, Describer>(
  (
    [
      ["read readfile view viewfile notebookread readmanyfiles readnotebook opennotebook", describeRead],
      [
        "edit write multiedit notebookedit writefile create createfile replace applypatch patch editfile searchreplace " +
          "insert insertedit multiedittool filewrite deletefile delete",
        describeEdit,
      ],
      [[...shellTools].join(" "), describeCommand],
      [
        "grep glob ls rg searchfilecontent grepsearch codebasesearch findfiles filesearch listdir listdirectory list " +
          "find semanticsearch search",
        describeSearch,
      ],
      ["webfetch websearch googlewebsearch fetch fetchurl browse browser navigate", describeWeb],
      ["task agent delegate subagent spawnagent sessionsspawn delegatetoagent", describeSubAgent],
      ["exitplanmode planexit presentplan", describePlan],
      ["askuserquestion askuser question askfollowupquestion requestuserinput", describeQuestion],
      ["todowrite writetodos updateplan todo taskcreate taskupdate updatetodo managetodolist", describeTasks],
    ] satisfies [string, Describer][]
  ).flatMap(([names, describer]) => names.split(" ").map((name): [string, Describer] => [name, describer])),
);
