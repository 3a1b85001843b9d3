// What context needs of the store, of search and of the work tree.
import type { Observation, QuotedRecord, SessionSummary } from "../core/records/records.ts";
import type { EarlierPrompt } from "./past-turns.ts";
import type { NewestRecords } from "./recent.ts";
import type { ProjectFolders } from "./short-path.ts";

/** A file that is not as it was when a record was written; the path as the record has it. */
export interface ChangedFile {
  path: string;
  is: "changed" | "gone";
}

/** What was said and concluded. */
export interface StatementsPort {
  /** Active standing rules of the projects and those that apply everywhere, newest first. */
  standingRules(request: { projects: readonly string[] | "all"; limit: number }): Observation[];
  /** Active statements, the most salient first. */
  statements(request: { project: string; limit: number }): Observation[];
  /** Active known fixes and failures of a command family, newest first. */
  fixesOf(request: { project: string; family: string; limit: number }): Observation[];
  /** Active records that are not routine, newest first. */
  rankable(project: string, limit: number): QuotedRecord[];
  /** Prompts that are not private, newest first. */
  asked(project: string, limit: number): EarlierPrompt[];
}

export interface ContextPort {
  /** Absent where no statements are kept. */
  statements?: StatementsPort | undefined;
  observations: NewestRecords<Observation>;
  summaries: NewestRecords<SessionSummary>;
  /** Newest first, none that was rejected; null means every type or concept. */
  forContext(request: {
    project: string;
    limit: number;
    sessions: number;
    types: readonly string[] | null;
    concepts: readonly string[] | null;
    /** False leaves routine work out. */
    routine: boolean;
  }): Observation[];
  /** Those that the user pinned, newest first, whatever session they are from. */
  pinned(project: string, limit: number): Observation[];
  lastMessage(project: string): string | undefined;
  /** True when the user rejected an observation that the summary may lean on. */
  isDoubted(summary: SessionSummary): boolean;
  /** None that was rejected. */
  byFile(request: {
    project: string;
    paths: readonly string[];
    exceptSession: string | null;
    limit: number;
  }): { observations: Observation[]; total: number };
  /** Where the project's files are; absent: in a folder that is called as the project is. */
  foldersOf?: ((project: string) => ProjectFolders) | undefined;
  /** The paths of the same file in other checkouts of the project; absent: nobody knows of any. */
  elsewhere?: ((path: string, where: { project: string; cwd?: string | null }) => string[]) | undefined;
  /** The records that fit the words best; absent: none do. */
  relevant?:
    | ((request: { project: string; words: string; limit: number }) => Promise<Observation[]>)
    | undefined;
  /** By record, its files that are not as they were; absent: nobody looks. */
  changedSince?:
    | ((request: {
        observations: readonly number[];
        project: string;
        cwd?: string | null;
      }) => Promise<ReadonlyMap<number, readonly ChangedFile[]>>)
    | undefined;
  /** What names the present content of a file, null when that cannot be told; absent: nobody looks. */
  contentOf?: ((path: string, cwd: string | null) => Promise<string | null>) | undefined;
}
