// The hit of a record: a line (`index`), or the whole record with its lists parsed (`full`).
import {
  type GitPlace,
  type Observation,
  type Parsed,
  parseLists,
  type SessionSummary,
  type UserPrompt,
} from "../core/records/records.ts";
import type { ObservationLine } from "../core/records/search.ts";
import type { Speaker, StatementKind } from "../core/records/statement.ts";
import { excerpt } from "../text/excerpt.ts";

/** The index form of a record; `rank` orders the hits of one answer, lower is better; absent without words. */
export interface IndexHit {
  id: number;
  title: string;
  preview: string;
  project: string;
  created_at_epoch: number;
  rank?: number;
}

/**
 * With the user's review if the record is not active, its provenance if external, and the marks of statements and routine
 * work if set.
 */
export type ObservationIndexHit = IndexHit & { obs_type: string } & Partial<
    Pick<Observation, "status" | "superseded_by" | "provenance">
  > &
  LineMarks;

/** The marks of a statement and of routine work, if set. */
export interface LineMarks {
  said_by?: Speaker;
  statement_kind?: StatementKind;
  standing?: 1;
  reach?: "everywhere";
  routine?: 1;
}

export type Ranked<R> = R & { rank?: number };

/** Where a record was made, and whether that branch is merged where somebody asks. Left out if unknown. */
export type PlaceMarks = GitPlace & { merged?: boolean | undefined };

export function placeOf({ branch = null, commit = null }: GitPlace, merged: boolean): PlaceMarks {
  return branch === null && commit === null ? {} : { branch, commit, merged };
}

/** An observation as a line. */
export function observationLine(record: ObservationLine): ObservationIndexHit {
  const { obs_type, status, superseded_by, provenance } = record;
  const judged = status === "active" ? {} : { status, superseded_by };
  const isOutside = provenance === "web" || provenance === "mcp";
  return {
    ...line(record, record.title, record.summary),
    obs_type,
    ...judged,
    ...(isOutside ? { provenance } : {}),
    ...marksOf(record),
  };
}

export function marksOf(record: Omit<ObservationLine, "commit">): LineMarks {
  const { said_by, statement_kind, standing, reach, routine } = record;
  return {
    ...(said_by === null ? {} : { said_by }),
    ...(statement_kind === null ? {} : { statement_kind }),
    ...(standing === 1 ? { standing, ...(reach === "everywhere" ? { reach } : {}) } : {}),
    ...(routine === 1 ? { routine } : {}),
  };
}

/** A session summary as a hit: its conclusion, then the request. */
export function summaryHit(
  record: SessionSummary,
  format: "index" | "full",
): IndexHit | Parsed<SessionSummary> {
  if (format === "full") return parseLists(record);
  const { learned, completed, request, summary_text } = record;
  const [conclusion = summary_text, ...more] = [learned, completed].filter((text) => text !== null);
  const asked = request === null ? [] : [`Asked: ${request}`];
  return line(record, conclusion, [...more, ...asked].join(" ") || summary_text);
}

/** A prompt as a hit. */
export function promptHit(record: UserPrompt, format: "index" | "full"): IndexHit | UserPrompt {
  if (format === "full") return record;
  return line(record, record.prompt_text, record.prompt_text);
}

const titleCharacters = 120;
const previewCharacters = 240;

function line(
  { id, project, created_at_epoch }: ObservationLine | SessionSummary | UserPrompt,
  title: string,
  preview: string,
): IndexHit {
  return {
    id,
    title: excerpt(title, titleCharacters),
    preview: excerpt(preview, previewCharacters),
    project,
    created_at_epoch,
  };
}
