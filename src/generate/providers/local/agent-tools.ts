// Sub-agents, plans, questions and task lists: what was asked for, what was answered, what was decided.

import type { Speaker, StatementMarks } from "../../../core/records/statement.ts";
import { answersField } from "../../../core/tools/user-answers.ts";
import { standingOf } from "../../../statements/rules/standing.ts";
import { objectsField, textField } from "../../../text/json-fields.ts";
import { firstLine, listed, oneLine } from "../../../text/plain-text.ts";
import { answerText } from "./agent-answer.ts";
import { gist, points, sentences } from "./answer-text.ts";
import type { Finding, ToolUse } from "./finding.ts";

/** A sub-agent that was sent off: its task, and its answer where it is there. */
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

/** A plan that was put forward: the decision it stands for. */
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
    // An agent gets the summary of the plan: a name alone says nothing.
    summary: detail === "" ? title : `${title}: ${detail}`,
    facts: steps,
    concepts: ["why-it-exists", "trade-off"],
    provenance: "agent",
    ...(name === "" ? {} : { statement: saidBy("agent", rejected ? salienceOf.rejected : salienceOf.plan) }),
  };
}

// Behind the host's own words for a rejection: what the user wants in its place.
function reasonOf(refusal: string): string {
  const said = /\bthe user said:\s*(\S[\s\S]{0,400})/i.exec(refusal)?.[1] ?? "";
  return said === "" ? "" : `the user said: ${oneLine(said, 300)}`;
}

/** A question to the user, and the answer: a decision. */
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

// A label that the agent offered is not in the user's own words, so it never stands as a rule.
function answerOf(chosen: readonly string[], offered: readonly string[]): StatementMarks {
  const around = { prompt: chosen.join("\n"), isFollowUp: true, previousClosing: null };
  const own = chosen.filter((answer) => !offered.includes(answer));
  const rule = own.map((answer) => standingOf(answer, around)).find((found) => found !== null);
  const marks = saidBy("user", salienceOf.answer);
  return rule === undefined ? marks : { ...marks, standing: true, reach: rule.reach };
}

function saidBy(said_by: Speaker, salience: number): StatementMarks {
  return { said_by, standing: false, reach: "project", salience };
}

// Beside the sentences of closings, of which few are above 1.
const salienceOf = { answer: 2, rejected: 1.5, plan: 1, report: 0 };

/** A task list as it stands now. */
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
