// Reads the user's answers to an agent's questions from the tool use that asked.
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
