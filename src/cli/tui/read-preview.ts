// Reads what the preview shows of a record, in the words of the viewer.
import type { ObservationDetails, SessionWithSummaries, WorkerClient } from "../../client/worker-client.ts";
import { parseList, provenanceNames, type SessionSummary } from "../../core/records/records.ts";
import { isProposal, writerFact } from "../../core/records/statement.ts";
import { summaryPartNames, summaryParts } from "../../core/records/summary-parts.ts";
import { counted } from "../../text/quantities.ts";
import { terminalLine, terminalText } from "../../text/terminal-text.ts";
import { projectPath } from "../words.ts";
import type { Row } from "./rows.ts";
import type { Preview } from "./state.ts";

type Routes = ReturnType<WorkerClient["under"]>;
type Facts = Preview["facts"];

/** The preview of a row. Throws `not_found` for a record that is gone. */
export async function readPreview(worker: Routes, row: Row): Promise<Preview> {
  switch (row.kind) {
    case "observation":
      return observationPreview(row, await worker.observationDetails(row.id));
    case "summary":
      return summaryPreview(row, await worker.summary(row.id));
    case "prompt":
      return promptPreview(row, (await worker.prompt(row.id)).prompt_text);
    case "session":
      return sessionPreview(row, await worker.session(row.id));
    case "message":
      return { heading: row.title, tags: tagsOf(row), body: [messageTexts[row.type] ?? ""], facts: [] };
    case "trash":
      return { heading: row.title, tags: tagsOf(row), body: [trashText(row)], facts: [] };
    default:
      return row.kind satisfies never;
  }
}

const messageTexts: Readonly<Record<string, string>> = {
  failed: "It was tried and failed. Retry it: R. Drop it, so that it is not remembered: x.",
  running: "The worker writes it as an observation now.",
  waiting: "It waits until it is written as an observation.",
};

function trashText({ type, marks }: Row): string {
  const what =
    type === "edit"
      ? "The text from before an edit. Restoring puts it back."
      : type === "forget"
        ? "All that one `mem forget` deleted. Restoring brings all of it back."
        : `A deleted ${type}. Restoring brings it back.`;
  return `${what} Restore it: R (${marks.join()}).`;
}

function tagsOf({ kind, name, type, project, marks, at }: Row): string {
  const first =
    kind === "observation"
      ? [`#${name}`, type]
      : kind === "session"
        ? [`session ${name}`, type]
        : kind === "trash"
          ? [`trash ${name}`, type]
          : [name, type];
  const when = new Date(at).toLocaleString("sv-SE").slice(0, 16);
  return [...first, project, ...marks, when].join(" · ");
}

function observationPreview(row: Row, details: ObservationDetails): Preview {
  const { record } = details;
  const { title, subtitle, summary, narrative, text } = record;
  const texts = [subtitle, summary, narrative, text].filter(
    (each, at, all): each is string => Boolean(each) && each !== title && all.indexOf(each) === at,
  );
  const facts = record.facts.map((fact) => `- ${terminalLine(fact)}`).join("\n");
  return {
    heading: terminalLine(title),
    tags: tagsOf({
      ...{ ...row, type: row.type || terminalLine(record.obs_type) },
      // It is read again when it is accepted, before the list is.
      marks: row.marks.filter((mark) => mark !== "proposal" || isProposal(record)),
    }),
    body: [...texts.map(paragraph), ...(facts === "" ? [] : [`Facts:\n${facts}`])],
    facts: safe([
      ...named("Kind", record.statement_kind ?? ""),
      ...named("Said by", record.said_by ?? ""),
      ["Comes from", provenanceNames[record.provenance]],
      writerFact(record.generator),
      ...named("Concepts", record.concepts.join(", ")),
      ...files("Changed", record.files_modified),
      ...files("Read", record.files_read),
      ...detailFacts(details),
    ]),
  };
}

const freshness: Record<ObservationDetails["freshness"]["state"], string> = {
  fresh: "its files are as it saw them",
  changed: "a file changed since",
  gone: "a file is gone",
  unknown: "not known",
};

function detailFacts({
  session,
  prompt,
  freshness: fresh,
  supersedes,
  superseded_by,
  injected,
}: ObservationDetails): Facts {
  const inSession = session === null ? "" : `${session.title || `Session ${session.id}`} in ${session.host}`;
  const times = `${counted(injected.times, "time")} in ${counted(injected.sessions, "session")}`;
  return [
    ...named("Session", inSession),
    ...named("Prompt", prompt?.prompt_text.slice(0, longestPrompt) ?? ""),
    ...supersedes.map(({ id, title }) => ["Replaces", `#${id} ${title}`] as const),
    ...(superseded_by === null
      ? []
      : [["Replaced by", `#${superseded_by.id} ${superseded_by.title}`] as const]),
    ["Freshness", freshness[fresh.state]],
    ["Injected", injected.times === 0 ? "never" : times],
  ];
}

const longestPrompt = 200;

function summaryPreview(row: Row, summary: SessionSummary): Preview {
  // The request is the heading.
  const [, ...below] = summaryParts;
  const parts = below.flatMap((name) => {
    const text = summary[name];
    return text ? [`${summaryPartNames[name]}:\n${paragraph(text)}`] : [];
  });
  return {
    heading: terminalLine(summary.request || summary.summary_text),
    tags: tagsOf(row),
    body: parts.length === 0 ? [paragraph(summary.summary_text)] : parts,
    facts: safe([
      writerFact(summary.generator),
      ...files("Changed", parseList(summary.files_modified)),
      ...files("Read", parseList(summary.files_read)),
    ]),
  };
}

function promptPreview(row: Row, text: string): Preview {
  return {
    heading: row.title.slice(0, longestPrompt),
    tags: tagsOf(row),
    body: [paragraph(text)],
    facts: [["Said by", "user"]],
  };
}

function sessionPreview(row: Row, { host, cwd, prompt_count, summaries }: SessionWithSummaries): Preview {
  return {
    heading: row.title,
    tags: tagsOf({ ...row, marks: [] }),
    body: summaries.map(({ completed, learned, request, summary_text }) =>
      paragraph(completed || learned || request || summary_text),
    ),
    facts: safe([
      ["Host", host],
      ["Prompts", String(prompt_count)],
      ...named("Directory", cwd === null ? "" : projectPath(cwd)),
    ]),
  };
}

function named(label: string, value: string): Facts {
  return value === "" ? [] : [[label, value]];
}

function files(label: string, paths: readonly string[]): Facts {
  return paths.map((path, at) => [at === 0 ? label : "", projectPath(path)] as const);
}

function safe(facts: Facts): Facts {
  return facts.map(([label, value]) => [label, terminalLine(value)]);
}

// A prompt may be a pasted log of megabytes.
function paragraph(text: string): string {
  const shown = terminalText(text.slice(0, longestText)).trim();
  return text.length > longestText
    ? `${shown}\n… ${counted(text.length - longestText, "more character")}`
    : shown;
}

const longestText = 50_000;
