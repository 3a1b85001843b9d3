// Sub-agents, plans, questions and task lists: what was asked for, what was answered, what was decided.
import type { Speaker, StatementMarks } from "../../../core/records/statement.ts";
import { answersField } from "../../../core/tools/user-answers.ts";
import { standingOf } from "../../../statements/rules/standing.ts";
import { objectsField, textField } from "../../../text/json-fields.ts";
import { firstLine, listed, oneLine } from "../../../text/plain-text.ts";
import { type Finding, gist, points, type ToolUse } from "./finding.ts";

/** A sub-agent: its task, and its answer when it has one. */
export function describeSubAgent({ input, result }: ToolUse): Finding {
  const prompt = textField(input, "prompt", "task", "message", "objective");
  const task = textField(input, "description", "title", "name") || oneLine(prompt, 80);
  const kind = textField(input, "subagent_type", "agent_type", "agent", "agentName", "agent_name");
  const launched =
    result.fields.isAsync === true ||
    /^(?:async_launched|accepted)$/.test(textField(result.fields, "status"));
  const answer = launched ? "" : answerIn(result.text);
  const first = gist(answer);
  const who = kind === "" ? "Sub-agent" : `${kind} agent`;
  const done = `${who} answered "${oneLine(task, 60)}"${first === "" ? "" : `: ${first}`}`;
  const title = launched ? `Started ${who.replace(/^S/, "s")} in the background: ${task}` : done;
  return {
    title: result.failed ? `${who} failed at: ${task}` : title,
    subtitle: first,
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

// Hosts put elements around an answer: `<usage>`, `<tools-used>`. An answer may be one element, or begin with HTML.
function answerIn(text: string): string {
  const rest = text.replace(geminiHead, "").replace(hostElement, "").trim();
  const inner = /[\p{L}\p{N}]/u.test(rest) ? rest : text;
  return inner.trim().replace(/^<[a-z]+[_-][\w-]+>\s*|^<result>\s*|\s*<\/[\w-]+>$/g, "");
}

const geminiHead = /^[^\n]{1,120} finished\.\nTermination Reason: \w+\nResult:\n/;
const hostElement = /<(usage|analysis|[a-z]+(?:-[a-z]+)+)(?:\s[^<>]{0,400})?>[^<]*<\/\1>/g;

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
  const isAnswered = said !== "" && !result.failed;
  return {
    obs_type: "decision",
    title: isAnswered
      ? `User decided: ${oneLine(said, 60)} (${oneLine(question, 50)})`
      : `Asked the user: ${question}`,
    subtitle: question,
    ...(said === "" ? {} : { summary: `Asked "${oneLine(question, 120)}", the user said: ${said}` }),
    facts: [
      ...(answers.length > 0 ? answers.map((pair) => pair.join(" ")) : [`${question} ${said}`]),
      offered.length > 0 ? `Offered were: ${listed(offered, 6)}` : "",
    ],
    concepts: ["trade-off", "why-it-exists"],
    provenance: said === "" ? "agent" : "user",
    ...(isAnswered ? { statement: answerOf(chosen, offered) } : {}),
  };
}

// An offered label is the agent's wording, so it never becomes a rule.
function answerOf(chosen: readonly string[], offered: readonly string[]): StatementMarks {
  const own = chosen.filter((answer) => !offered.includes(answer));
  const rule = own.map((answer) => standingOf(answer, answer)).find((found) => found !== null);
  const marks = { ...saidBy("user", salienceOf.answer), kind: "decision" as const };
  return rule === undefined ? marks : { ...marks, kind: "rule", standing: rule.isSure };
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
