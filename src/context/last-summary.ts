// The last turn if it has no answer; the last summary, with marks behind quoted titles of records from outside, and the agent's last message.
import type { Observation, SessionSummary } from "../core/records/records.ts";
import type { ContextPort } from "./context-port.ts";
import type { ContextSettings } from "./context-settings.ts";
import { dayOf, plainLine } from "./quote.ts";
import { markedBy, marksOf, titleOf, untrustedSource } from "./record-text.ts";

interface LastSummary {
  id: number;
  at: number;
  parts: { name: string; text: string }[];
}

type Titled = Pick<Observation, "title" | "provenance" | "status" | "superseded_by" | "pinned">;

/** What the user asked for of the last session; every text is one plain line. */
export interface LastWords {
  lastSummary: LastSummary | null;
  lastMessage: string | null;
}

/** `recent`: records that the summary may name, newest first. */
export function lastWordsOf(
  port: Pick<ContextPort, "summaries" | "isDoubted" | "lastMessage">,
  projects: readonly string[],
  { settings, recent }: { settings: ContextSettings; recent: readonly (Titled & { project: string })[] },
): LastWords {
  const newest = () =>
    projects
      .flatMap((project) => port.summaries.page({ offset: 0, limit: 1, project }).items)
      .sort((a, b) => b.created_at_epoch - a.created_at_epoch)[0];
  const summary = settings.lastSummary ? newest() : undefined;
  const project = recent[0]?.project ?? projects[0] ?? "";
  const message = settings.lastMessage ? port.lastMessage(project) : undefined;
  return {
    lastSummary: summary === undefined ? null : lastSummaryOf(summary, recent, port.isDoubted(summary)),
    lastMessage: plainLine(message ?? "", maxMessageChars) || null,
  };
}

const maxMessageChars = 600;

/** The line of the newest prompt if the agent gave no answer. A killed session looks like one in another terminal. */
export function interruptedLine(
  { statements }: Pick<ContextPort, "statements">,
  projects: readonly string[],
  exceptSession: string,
): string | null {
  const turn = projects.map((project) => statements?.interrupted?.(project, exceptSession)).find(Boolean);
  if (turn === undefined) return null;
  const asked = plainLine(turn.prompt_text, maxAskedChars).replace(/[.:]+$/, "");
  const doubt = turn.is_active === 1 ? ", unless it still runs" : "";
  return `- ${asked} → interrupted, no answer recorded${doubt} (${dayOf(turn.created_at_epoch)})`;
}

const maxAskedChars = 90;

/** The newest summaries that a model or the user wrote, newest first, without doubted ones. */
export function modelSummaries(
  port: Pick<ContextPort, "summaries" | "isDoubted">,
  projects: readonly string[],
): SessionSummary[] {
  return projects
    .flatMap((project) => port.summaries.page({ offset: 0, limit: mostSummaries, project }).items)
    .filter((one) => one.generator !== "local" && !port.isDoubted(one))
    .toSorted((a, b) => b.created_at_epoch - a.created_at_epoch);
}

const mostSummaries = 10;

/** Summaries with marks behind quoted titles of records from outside. */
export function marked(summaries: readonly SessionSummary[], recent: readonly Titled[]): SessionSummary[] {
  const outside = fromOutside(recent);
  const mark = (text: string | null) => text && withMarks(text, outside);
  return summaries.map((one) => ({
    ...one,
    ...{ request: mark(one.request), completed: mark(one.completed), next_steps: mark(one.next_steps) },
  }));
}

// Longest title first, for `withMarks`.
function fromOutside(observations: readonly Titled[]): Titled[] {
  return observations
    .filter(({ provenance, title }) => untrustedSource(provenance) !== null && title !== "")
    .toSorted((one, other) => other.title.length - one.title.length);
}

// Null without text. Of a doubted summary only what rests on no record is shown.
function lastSummaryOf(
  summary: SessionSummary,
  observations: readonly Titled[],
  isDoubted: boolean,
): LastSummary | null {
  const outside = fromOutside(observations);
  const partsOf = (fields: readonly ((typeof allFields)[number] | "summary_text")[]) =>
    fields
      .map((field) => ({ name: nameOf(field), text: withMarks(summary[field] ?? "", outside) }))
      .map(({ name, text }) => ({ name, text: plainLine(text, maxPartChars) }))
      .filter(({ text }) => text !== "");
  let parts = partsOf(isDoubted ? restingOnNothing : allFields);
  if (isDoubted && parts.length > 0) parts.push({ name: "Left out", text: doubt });
  if (!isDoubted && parts.length === 0) parts = partsOf(["summary_text"]);
  return parts.length === 0 ? null : { id: summary.id, at: summary.created_at_epoch, parts };
}

function nameOf(field: string): string {
  const words = field.replace(/_text$/, "").replace("_", " ");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

const allFields = ["request", "investigated", "learned", "completed", "next_steps", "notes"] as const;
const restingOnNothing = ["request", "next_steps"] as const;
const doubt = "what came of it: a record of that session was rejected";

const maxPartChars = 400;
const maxTitleChars = 140;

// One pass, longest title first: a title may begin with another one, and marked text must not be marked again.
function withMarks(text: string, outside: readonly Titled[]): string {
  if (text === "" || outside.length === 0) return text;
  const byTitle = new Map(outside.map((one) => [one.title, one]));
  const titles = new RegExp(
    [...byTitle.keys()].map((title) => title.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|"),
    "g",
  );
  return text.replace(titles, (title) => {
    const one = byTitle.get(title);
    if (one === undefined) return title;
    const marked = { ...markedBy(one, 1, []), pinned: false, superseded: false };
    return titleOf(one, maxTitleChars) + marksOf(marked);
  });
}
