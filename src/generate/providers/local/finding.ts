// What a describer is given and gives back: one tool use in, one finding out, and the caps that every draft obeys.
import type { DraftObservation } from "../../../core/records/drafts.ts";
import type { ObservationConcept, ObservationType, Provenance } from "../../../core/records/records.ts";
import type { StatementMarks } from "../../../core/records/statement.ts";
import type { ToolCall } from "../../../core/tools/tool-kind.ts";
import type { ToolResult } from "../../../core/tools/tool-result.ts";
import { clip, oneLine, plain } from "../../../text/plain-text.ts";

/** A tool use with its host's shape taken off. */
export interface ToolUse extends ToolCall {
  result: ToolResult;
  cwd: string | null;
  /** First prompt of the session: what the work is about. */
  userPrompt: string;
}

/** What one tool use comes to, before cleaning and caps. Empty strings and repeats fall out by themselves. */
export interface Finding {
  title: string;
  /** By default a discovery. */
  obs_type?: ObservationType;
  subtitle?: string;
  /** By default the title. */
  summary?: string;
  /** Sentences that carry the evidence. */
  narrative?: string[];
  facts?: string[];
  /** By default how it works. */
  concepts?: ObservationConcept[];
  filesRead?: string[];
  filesModified?: string[];
  provenance: Provenance;
  /** A look, a status, a task list: of no lasting interest. */
  routine?: boolean;
  /** An answer of the user, a plan, a report: what was said, not what was done. */
  statement?: StatementMarks;
}

/** The finding as a draft: cleaned, cut to the caps, nothing said twice. */
export function toDraft(finding: Finding, source: number): DraftObservation {
  const title = oneLine(finding.title, caps.title) || "Used a tool";
  const subtitle = oneLine(finding.subtitle ?? "", caps.subtitle);
  return {
    obs_type: finding.obs_type ?? "discovery",
    title,
    subtitle: subtitle === "" || subtitle === title ? null : subtitle,
    summary: sentence(oneLine(finding.summary ?? finding.title, caps.summary - 1)) || sentence(title),
    narrative: paragraph(finding.narrative ?? []),
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

/** The longest of each part, in characters; counts for the lists. */
export const caps = {
  title: 120,
  subtitle: 160,
  summary: 300,
  narrative: 1_500,
  narrativeSentence: 500,
  facts: 12,
  fact: 300,
  files: 50,
  path: 500,
} as const;

/** `text` with a full stop, unless it ends in a mark of its own. */
export function sentence(text: string): string {
  return text === "" || endMark.test(text) ? text : `${text}.`;
}

/** The texts on one line each, without empty ones and repeats (case does not count). */
export function distinct(texts: readonly string[], maxChars: number, maxCount: number): string[] {
  const seen = new Set<string>();
  const kept: string[] = [];
  for (const text of texts) {
    if (kept.length === maxCount) break;
    const line = oneLine(text, maxChars);
    const key = line.toLowerCase();
    if (line === "" || seen.has(key)) continue;
    seen.add(key);
    kept.push(line);
  }
  return kept;
}

/** Paths worth keeping: no patterns, no devices, no repeats. */
export function paths(candidates: readonly string[]): string[] {
  const kept = new Set<string>();
  for (const candidate of candidates) {
    if (kept.size === caps.files) break;
    const path = plain(candidate.slice(0, caps.path + 1)).trim();
    if (path !== "" && path.length <= caps.path && !notAFile.test(path)) kept.add(path);
  }
  return [...kept];
}

function paragraph(sentences: readonly string[]): string | null {
  const lines = distinct(sentences, caps.narrativeSentence, 5).map(sentence);
  return lines.length === 0 ? null : clip(lines.join(" "), caps.narrative);
}

// Those of other scripts too: a Japanese sentence has its own full stop.
const endMark = /[.!?…。！？｡।۔؟]["')”’」』）]?$/;
const notAFile = /[*?$`<>|"\n]|^\/dev\/|^-|^[.\s/]*$/;
