// Types of the describers, one tool use in and one finding out, and the size limits of every draft.
import type { DraftObservation } from "../../../core/records/drafts.ts";
import type { ObservationConcept, ObservationType, Provenance } from "../../../core/records/records.ts";
import type { StatementMarks } from "../../../core/records/statement.ts";
import type { ToolCall } from "../../../core/tools/tool-kind.ts";
import type { ToolResult } from "../../../core/tools/tool-result.ts";
import { sentencesOf } from "../../../statements/text/sentences.ts";
import { firstLine, oneLine, plain } from "../../../text/plain-text.ts";

/** A tool use with its host's shape taken off. */
export interface ToolUse extends ToolCall {
  result: ToolResult;
  cwd: string | null;
}

/** Describes one tool use, before cleaning and limits. `toDraft` drops empty strings and repeats. */
export interface Finding {
  title: string;
  /** By default a discovery. */
  obs_type?: ObservationType;
  subtitle?: string;
  /** By default the title. */
  summary?: string;
  facts?: string[];
  /** By default how it works. */
  concepts?: ObservationConcept[];
  filesRead?: string[];
  filesModified?: string[];
  provenance: Provenance;
  /** A read, a status, a task list: not worth a place in lists. */
  routine?: boolean;
  /** Set for an answer of the user, a plan or a report. */
  statement?: StatementMarks;
}

/** The finding as a draft: cleaned, within the limits, without repeats. */
export function toDraft(finding: Finding, source: number): DraftObservation {
  const title = oneLine(finding.title, caps.title) || "Used a tool";
  const subtitle = oneLine(finding.subtitle ?? "", caps.subtitle);
  return {
    obs_type: finding.obs_type ?? "discovery",
    title,
    subtitle: subtitle === "" || subtitle === title ? null : subtitle,
    summary: sentence(oneLine(finding.summary ?? finding.title, caps.summary - 1)) || sentence(title),
    narrative: null,
    facts: distinct(finding.facts ?? [], caps.fact, caps.facts),
    concepts: [...new Set(finding.concepts ?? ["how-it-works" as const])],
    files_read: paths(finding.filesRead ?? []),
    files_modified: paths(finding.filesModified ?? []),
    provenance: finding.provenance,
    sources: [source],
    ...(finding.routine === true ? { routine: true } : {}),
    ...(finding.statement === undefined ? {} : { statement: finding.statement }),
  };
}

/** Limits: characters for texts, counts for lists. */
export const caps = {
  title: 120,
  subtitle: 160,
  summary: 300,
  facts: 12,
  fact: 300,
  files: 50,
  path: 500,
} as const;

/** `text` with a full stop, unless it already ends in a mark. */
export function sentence(text: string): string {
  return text === "" || endMark.test(text) ? text : `${text}.`;
}

/** The texts on one line each, without empty ones and repeats (ignoring case). */
export function distinct(texts: readonly string[], maxChars: number, maxCount: number): string[] {
  const lines = texts.map((text) => oneLine(text, maxChars)).filter((line) => line !== "");
  const keys = lines.map((line) => line.toLowerCase());
  return lines.filter((_, at) => keys.indexOf(keys[at] ?? "") === at).slice(0, maxCount);
}

/** Drops patterns, devices and repeats. */
export function paths(candidates: readonly string[]): string[] {
  const shown = candidates.map((candidate) => plain(candidate.slice(0, caps.path + 1)).trim());
  const kept = shown.filter((path) => path !== "" && path.length <= caps.path && !notAFile.test(path));
  return [...new Set(kept)].slice(0, caps.files);
}

/** The first line of a longer text; a heading only when there is nothing else. */
export function gist(text: string): string {
  const line = firstLine(text);
  return line.startsWith("#") ? (points(text)[0] ?? line.replace(/^#+\s*/, "")) : line;
}

/** The list items of a text, or its first two sentences. */
export function points(text: string): string[] {
  const read = sentencesOf(text.slice(0, 6_000));
  const items = read.filter(({ kind }) => kind === "item");
  return (items.length > 0 ? items.slice(0, 6) : read.slice(0, 2)).map((one) => one.text);
}

// Full stops of other scripts too.
const endMark = /[.!?…。！？｡।۔؟]["')”’」』）]?$/;
const notAFile = /[*?$`<>|"\n]|^\/dev\/|^-|^[.\s/]*$/;
