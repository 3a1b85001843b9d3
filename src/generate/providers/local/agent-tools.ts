// Sub-agents, plans, questions and task lists: what was asked for, what was answered, what was decided.
import type { Speaker, StatementMarks } from "../../../core/records/statement.ts";
import { answersField } from "../../../core/tools/user-answers.ts";
import { standingOf } from "../../../statements/rules/standing.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../text/json.ts";
import { objectsField, parseObject, textField } from "../../../text/json-fields.ts";
import { firstLine, listed, oneLine } from "../../../text/plain-text.ts";
import { gist, points, sentences } from "./answer-text.ts";
import type { Finding, ToolUse } from "./finding.ts";

/** A sub-agent: its task, and its answer when it has one. */
export function describeSubAgent({ input, result }: ToolUse): Finding {
  const prompt = textField(input, "prompt", "task", "message", "objective");
  const task = textField(input, "description", "title", "name") || oneLine(prompt, 80);
  const kind = textField(input, "subagent_type", "agent_type", "agent", "agentName");
  const launched = result.fields.isAsync === true || textField(result.fields, "status") === "async_launched";
  const answer = launched ? "" : answerText(result.text);
  const first = gist(answer);
  const who = kind === "" ? "sub-agent" : `${kind} agent`;
  const title = result.failed
    ? `${who} failed at: ${task}`
    : launched
      ? `Started ${who} in the background: ${task}`
      : `${who} answered "${oneLine(task, 60)}"${first === "" ? "" : `: ${first}`}`;
  return {
    title: title.replace(/^sub-agent/, "Sub-agent"),
    subtitle: first,
    narrative: sentences(answer, 3).filter((part) => !part.includes(first)),
    facts: [
      prompt === "" ? "" : `Task: ${prompt}`,
      first === "" ? "" : `Answer: ${first}`,
      ...points(answer).filter((point) => point !== first),
    ],
    concepts: [result.failed ? "problem-solution" : "how-it-works"],
    provenance: "agent",
    routine: launched && !result.failed,
    ...(first === "" || result.failed ? {} : { statement: saidBy("agent", salienceOf.report) }),
  };
}

/** A proposed plan, stored as a decision. */
export function describePlan({ input, inputText, result }: ToolUse): Finding {
  const given = textField(input, "plan", "content", "summary") || textField(result.fields, "plan");
  const plan = given || inputText || result.text;
  const name = /^#{1,3}\s+(?:plan:?\s+)?(.+)$/im.exec(plan.slice(0, 2_000))?.[1] ?? firstLine(plan);
  const steps = points(plan);
  const rejected = result.failed || /reject|doesn't want|declined|denied/i.test(result.text.slice(0, 300));
  const title = `${rejected ? "Plan was not accepted" : "Planned"}: ${name}`;
  const detail = [rejected ? reasonOf(result.text) : "", ...steps.filter((step) => step !== name)]
    .filter((part) => part !== "")
    .join("; ");
  return {
    obs_type: "decision",
    title,
    // The next agent sees the summary; a name alone is not enough.
    summary: detail === "" ? title : `${title}: ${detail}`,
    facts: steps,
    concepts: ["why-it-exists", "trade-off"],
    provenance: "agent",
    ...(name === "" ? {} : { statement: saidBy("agent", rejected ? salienceOf.rejected : salienceOf.plan) }),
  };
}

// The user's reason follows the host's rejection text.
function reasonOf(refusal: string): string {
  const said = /\bthe user said:\s*(\S[\s\S]{0,400})/i.exec(refusal)?.[1] ?? "";
  return said === "" ? "" : `the user said: ${oneLine(said, 300)}`;
}

/** A question to the user and the answer, stored as a decision. */
export function describeQuestion({ input, result }: ToolUse): Finding {
  const questions = objectsField(input, "questions");
  const question = textField(questions[0] ?? input, "question", "header", "prompt", "message");
  const answers = answersField(result.fields);
  const chosen = answers.map(([, answer]) => answer);
  const said = chosen.length > 0 ? listed(chosen, 3) : firstLine(result.text);
  const offered = questions.flatMap((each) =>
    objectsField(each, "options").map((option) => textField(option, "label")),
  );
  return {
    obs_type: "decision",
    title:
      said === "" || result.failed
        ? `Asked the user: ${question}`
        : `User decided: ${oneLine(said, 60)} (${oneLine(question, 50)})`,
    subtitle: question,
    ...(said === "" ? {} : { summary: `Asked "${oneLine(question, 120)}", the user said: ${said}` }),
    narrative: [
      said === "" ? "There is no answer yet" : `The user's answer: ${said}`,
      offered.length > 0 ? `Offered were: ${listed(offered, 6)}` : "",
    ],
    facts: answers.length > 0 ? answers.map((pair) => pair.join(" ")) : [`${question} ${said}`],
    concepts: ["trade-off", "why-it-exists"],
    provenance: said === "" ? "agent" : "user",
    ...(said === "" || result.failed ? {} : { statement: answerOf(chosen, offered) }),
  };
}

// An offered label is the agent's wording, so it never becomes a rule.
function answerOf(chosen: readonly string[], offered: readonly string[]): StatementMarks {
  const around = { prompt: chosen.join("\n"), isFollowUp: true, previousClosing: null };
  const own = chosen.filter((answer) => !offered.includes(answer));
  const rule = own.map((answer) => standingOf(answer, around)).find((found) => found !== null);
  const marks = { ...saidBy("user", salienceOf.answer), kind: "decision" as const };
  return rule === undefined ? marks : { ...marks, kind: "rule", standing: rule.isSure, reach: rule.reach };
}

function saidBy(said_by: Speaker, salience: number): StatementMarks {
  return { said_by, standing: false, reach: "project", salience };
}

// Few sentences of closings score above 1.
const salienceOf = { answer: 2, rejected: 1.5, plan: 1, report: 0 };

export function describeTasks({ input, name }: ToolUse): Finding {
  const tasks = ["todos", "plan", "items"]
    .flatMap((list) => objectsField(input, list))
    .map((entry) => ({
      text: textField(entry, "content", "step", "description", "title", "subject"),
      status: textField(entry, "status").replace("_", " ") || "task",
    }));
  const done = tasks.filter(({ status }) => status === "completed").length;
  const now = tasks.find(({ status }) => status === "in progress")?.text;
  const single = textField(input, "subject", "description", "content", "status") || "task list";
  return {
    title:
      tasks.length === 0
        ? `${name}: ${single}`
        : `Tasks: ${done} of ${tasks.length} done${now === undefined ? "" : `, now: ${now}`}`,
    facts: tasks.map(({ status, text }) => `${status}: ${text}`),
    concepts: ["what-changed"],
    provenance: "agent",
    routine: true,
  };
}

/** Drops content parts that are one element of the host, unless all of them are. */
export function answerParts(response: Json | undefined): Json | undefined {
  const value = typeof response === "string" ? (parseObject(response) ?? response) : response;
  if (Array.isArray(value)) return withoutWrapperParts(value);
  if (!isJsonObject(value ?? null)) return value;
  const object = value as JsonObject;
  return Array.isArray(object.content) ? { ...object, content: withoutWrapperParts(object.content) } : value;
}

/** Removes elements before and after the answer. An answer inside one element is unwrapped. */
function answerText(text: string): string {
  let answer = text.trim();
  for (let removed = 0; removed < mostElements; removed++) {
    const inner = withoutFirst(answer) ?? withoutLast(answer);
    if (inner === undefined) break;
    answer = inner;
  }
  return answer;
}

// Hosts add one or two. Bounds the time for a text of many elements.
const mostElements = 8;

function withoutWrapperParts(parts: Json[]): Json[] {
  const content = parts.filter((part) => {
    const text = isJsonObject(part) ? part.text : part;
    return typeof text !== "string" || !isOneElement(text.trim());
  });
  return content.some((part) => hasWords(isJsonObject(part) ? part.text : part)) ? content : parts;
}

// An unclosed tag counts as an element when it is alone on the first line.
function isOneElement(text: string): boolean {
  const [tag, name = ""] = opening.exec(text) ?? [];
  if (tag === undefined) return false;
  const end = `</${name}>`;
  const closed = text.indexOf(end);
  return closed < 0 ? standsAlone(text, tag) : closed === text.length - end.length;
}

function withoutFirst(text: string): string | undefined {
  const [tag, name = ""] = opening.exec(text) ?? [];
  if (tag === undefined) return undefined;
  const end = `</${name}>`;
  const closed = text.indexOf(end);
  if (closed < 0) return isOfHost(name) && standsAlone(text, tag) ? text.slice(tag.length).trim() : undefined;
  const rest = text.slice(closed + end.length).trim();
  if (!hasWords(rest)) return text.slice(tag.length, closed).trim();
  return isOfHost(name) ? rest : undefined;
}

function withoutLast(text: string): string | undefined {
  const name = closing.exec(text)?.[1] ?? "";
  if (!isOfHost(name)) return undefined;
  const rest = text.slice(0, Math.max(0, text.lastIndexOf(`\n<${name}`))).trim();
  return hasWords(rest) ? rest : undefined;
}

function standsAlone(text: string, tag: string): boolean {
  return /^\s*(?:\n|$)/.test(text.slice(tag.length, tag.length + 20));
}

// An answer may begin with HTML, or with a component, which has a capital letter.
function isOfHost(name: string): boolean {
  return /^[a-z]/.test(name) && !html.test(name);
}

function hasWords(text: Json | undefined): boolean {
  return typeof text === "string" && /[\p{L}\p{N}]/u.test(text);
}

const opening = /^<([A-Za-z][\w.:-]{0,80})(?:\s[^<>]{0,400})?>/;
const closing = /<\/([A-Za-z][\w.:-]{0,80})>$/;
const html =
  /^(?:a|abbr|article|aside|audio|b|blockquote|body|br|button|canvas|center|code|dd|del|details|div|dl|dt|em|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|main|mark|meta|nav|ol|option|p|picture|pre|q|s|samp|script|section|select|small|span|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|title|tr|u|ul|var|video)$/;
