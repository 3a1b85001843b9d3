// What the agent's own memory files say already (CLAUDE.md, AGENTS.md): statements with the same sentences are not injected.
import { keptByAgent } from "../core/records/statement.ts";
import { sentencesOf } from "../statements/text/sentences.ts";
import type { ContextPort } from "./context-port.ts";

/**
 * Sentences in a form that ignores white space, case, emphasis and quotation marks; and the `files_read` of records that were
 * read from the agent's own memory.
 */
export type Written = ReadonlySet<string>;

/** The sentences of a Markdown text. */
export function writtenIn(text: string): Written {
  return new Set(
    chunksOf(text).flatMap((chunk) =>
      sentencesOf(chunk).flatMap(({ text: sentence, kind }) =>
        kind === "prose" ? [formOf(sentence)] : [formOf(sentence), ...formsOf(sentence)],
      ),
    ),
  );
}

/** The port without statements that are written, except before an action: there a rule is a reminder. */
export function withoutWritten(port: ContextPort, written: Written): ContextPort {
  const { relevant, statements } = port;
  if (statements === undefined || written.size === 0) return port;
  const isNew = (one: Quoted): boolean => !isWritten(one, written);
  return {
    ...port,
    forContext: (request) => port.forContext(request).filter(isNew),
    pinned: (project, limit) => port.pinned(project, limit).filter(isNew),
    relevant: relevant && (async (request) => (await relevant(request)).filter(isNew)),
    statements: {
      ...statements,
      standingRules: (request) => statements.standingRules(request).filter(isNew),
      statements: (request) => statements.statements(request).filter(isNew),
      rankable: (project, limit) => statements.rankable(project, limit).filter(isNew),
    },
  };
}

/** Ids of the rules and statements of the project that `withoutWritten` leaves out. */
export function alreadyWritten(
  { pinned, statements }: Pick<ContextPort, "pinned" | "statements">,
  project: string,
  written: Written,
): number[] {
  if (written.size === 0) return [];
  const records = [
    ...pinned(project, maxRecords),
    ...(statements?.standingRules({ projects: [project], limit: maxRecords }) ?? []),
    ...(statements?.statements({ project, limit: maxRecords }) ?? []),
  ];
  return [...new Set(records.flatMap((one) => (isWritten(one, written) ? [one.id] : [])))];
}

const maxRecords = 200;

interface Quoted {
  summary: string;
  narrative?: string | null;
  generator?: string;
  files_read?: string;
}

function isWritten({ summary, narrative, generator, files_read = "" }: Quoted, written: Written): boolean {
  if (generator === keptByAgent && written.has(files_read)) return true;
  const forms = formsOf(narrative ?? summary);
  return forms.length > 0 && forms.every((form) => written.has(form));
}

function formsOf(text: string): string[] {
  return sentencesOf(text).map((sentence) => formOf(sentence.text));
}

function formOf(sentence: string): string {
  return sentence
    .toLowerCase()
    .replaceAll(/[`*"'“”„«»‘’]/g, "")
    .replaceAll(/\s+/g, " ")
    .replace(/^(?:[-+] )?\s*/, "")
    .replace(/[\s.!;:,。！]+$/u, "");
}

// `sentencesOf` reads messages, and stops at a length that memory files exceed.
function chunksOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  const chunks: string[] = [];
  let from = 0;
  for (const [index, line] of lines.entries()) {
    if (line.trim() !== "" && index - from < maxChunkLines) continue;
    chunks.push(lines.slice(from, index + 1).join("\n"));
    from = index + 1;
  }
  return [...chunks, lines.slice(from).join("\n")];
}

const maxChunkLines = 100;
