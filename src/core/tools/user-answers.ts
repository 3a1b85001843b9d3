// Reads from a tool use what the user said in it: answers to the agent's questions, and why a use was refused.
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";
import { objectField, objectsField, parseObject, textField, textsField } from "../../text/json-fields.ts";
import { readCall, type ToolUse } from "./tool-kind.ts";

export interface UserAnswer {
  question: string;
  /** As the host sent it: labels of chosen options, the user's own text, or both joined with ", ". */
  answer: string;
  /** Labels of the options that the agent offered. */
  offered: string[];
}

/** Empty for another tool, and for questions that the user dismissed. */
export function userAnswersIn(use: ToolUse): UserAnswer[] {
  const { kind, input } = readCall(use);
  if (use.tool_failed === true || kind !== "question") return [];
  const questions = objectsField(input, "questions");
  return answersField(objectOf(use.tool_response)).map(([question, answer]) => {
    const asked = questions.find((one) => textField(one, "question") === question) ?? {};
    const offered = objectsField(asked, "options").map((option) => textField(option, "label"));
    return { question, answer, offered: offered.filter((label) => label !== "") };
  });
}

/** The user's own words in a tool use: not the labels of chosen options, which are the agent's. */
export function userWordsIn(use: ToolUse): string[] {
  const refused = refusalIn(use);
  return [...userAnswersIn(use).map(ownTextOf), refused ?? ""].filter((text) => text !== "");
}

/** What the user said to refuse the tool use or the plan; empty without words, null for a use that was not refused. */
export function refusalIn(use: ToolUse): string | null {
  const { tool_failed, tool_response: response } = use;
  // The error of a server that somebody else wrote proves nothing.
  if (tool_failed !== true || !isJsonObject(response) || readCall(use).kind === "mcp") return null;
  const text = textField(response, "error");
  if (!refused.test(text)) return null;
  const lead = saidLead.exec(text);
  return lead === null
    ? ""
    : text
        .slice(lead.index + lead[0].length)
        .replace(hostNote, "")
        .trim();
}

// What Claude Code tells its agent.
const refused =
  /^(?:The user doesn't want to (?:proceed|take this action)|Permission for this tool use was denied)/;
const saidLead = /\bthe user said:\s/i;
const hostNote = /\n\nNote: The user's next message may contain[\s\S]*$/;

/** The answer without the labels in front of it: a host joins several with a comma. */
export function ownTextOf({ answer, offered }: Pick<UserAnswer, "answer" | "offered">): string {
  const own = answer.trim();
  const label = offered.find((one) => own === one || own.startsWith(`${one}, `));
  return label === undefined ? own : ownTextOf({ answer: own.slice(label.length + 1), offered });
}

/** Question and answer of each entry under `answers`, without those that have no answer. */
export function answersField(response: JsonObject): [question: string, answer: string][] {
  return Object.entries(objectField(response, "answers"))
    .map(([question, answer]): [string, string] => [question, answerText(answer)])
    .filter(([, answer]) => answer.trim() !== "");
}

function objectOf(value: Json | undefined): JsonObject {
  if (typeof value === "string") return parseObject(value) ?? {};
  return isJsonObject(value) ? value : {};
}

function answerText(answer: Json | undefined): string {
  if (typeof answer === "string") return answer;
  if (Array.isArray(answer)) return answer.filter((part) => typeof part === "string").join(", ");
  if (!isJsonObject(answer)) return "";
  return textField(answer, "answer", "label", "value") || textsField(answer, "answers").join(", ");
}
