// What context reads from the store, from search and from the work tree. Adapters: the worker's and the server's store.
import type { RecordName } from "../core/records/record-name.ts";
import type { GitPlace, Observation, QuotedRecord, SessionSummary } from "../core/records/records.ts";

/** A file that differs from when a record was written; the path as in the record. */
export interface ChangedFile {
  path: string;
  is: "changed" | "gone";
}

/** A prompt of an earlier turn. */
export interface EarlierPrompt {
  id: number;
  sdk_session_id: string;
  prompt_number: number;
  prompt_text: string;
}

/** A turn that ended without a word of the agent, or has not ended. */
export interface InterruptedTurn {
  prompt_text: string;
  created_at_epoch: number;
  /** 1 while its session counts as active. */
  is_active: 0 | 1;
}

/** Where a project's files are. */
export interface ProjectFolders {
  /** Top folders of its known work trees. */
  roots: readonly string[];
  /** Possible names of its folder: every label that it has or had. */
  names: readonly string[];
}

/** The newest rows of one kind of record. */
interface NewestRecords<R> {
  page(request: { offset: number; limit: number; project?: string | undefined }): { items: R[] };
}

export interface StatementsPort {
  /** Active standing rules of the projects and those that apply everywhere, newest first. */
  standingRules(request: { projects: readonly string[] | "all"; limit: number }): QuotedRecord[];
  /** Active statements, the most salient first. */
  statements(request: { project: string; limit: number }): QuotedRecord[];
  /** Active known fixes and failures of a command family, newest first. */
  fixesOf(request: { project: string; family: string; limit: number }): Observation[];
  /** Active records that are not routine, newest first. */
  rankable(project: string, limit: number): QuotedRecord[];
  /** Prompts that are not private, newest first. */
  asked(project: string, limit: number): EarlierPrompt[];
  /** The turn of the newest prompt in other sessions than `sdkSessionId`, if the agent gave no answer. */
  interrupted?(project: string, sdkSessionId: string): InterruptedTurn | undefined;
}

export interface ContextPort {
  /** Absent where no statements are kept. */
  statements?: StatementsPort | undefined;
  observations: NewestRecords<Observation>;
  summaries: NewestRecords<SessionSummary>;
  /** Newest first, without rejected records; null means every type or concept. */
  forContext(request: {
    project: string;
    limit: number;
    sessions: number;
    types: readonly string[] | null;
    concepts: readonly string[] | null;
    /** All, those that are not routine work, or of these the active ones that a model or a user wrote, without statements. */
    of: "all" | "telling" | "written";
  }): Observation[];
  /** Records that the user pinned, newest first, of any session. */
  pinned(project: string, limit: number): Observation[];
  lastMessage(project: string): string | undefined;
  /** True when the user rejected an observation that the summary may rest on. */
  isDoubted(summary: SessionSummary): boolean;
  /** Without rejected records. */
  byFile(request: {
    project: string;
    paths: readonly string[];
    exceptSession: string | null;
    limit: number;
  }): { observations: Observation[]; total: number };
  /** Default: one folder with the name of the project. */
  foldersOf?: ((project: string) => ProjectFolders) | undefined;
  /** Paths of the same file in other checkouts of the project. */
  elsewhere?: ((path: string, where: { project: string; cwd?: string | null }) => string[]) | undefined;
  /** Records that match the words best. */
  relevant?:
    | ((request: {
        project: string;
        words: string;
        limit: number;
        cwd?: string | null;
      }) => Promise<Observation[]>)
    | undefined;
  /** By record, its changed files. */
  changedSince?:
    | ((request: {
        observations: readonly number[];
        project: string;
        cwd?: string | null;
      }) => Promise<ReadonlyMap<number, readonly ChangedFile[]>>)
    | undefined;
  /** Tells the branch of a record that is not merged where `cwd` is; null when every record counts as merged. */
  unmergedAt?:
    | ((
        project: string,
        cwd: string | null,
      ) => ((record: GitPlace & { created_at_epoch: number }) => string | null) | null)
    | undefined;
  /** Identifies the present content of a file; null when it cannot be read. */
  contentOf?: ((path: string, cwd: string | null) => Promise<string | null>) | undefined;
}

/** A text for an agent's context, and the records in it. */
export interface Injection {
  text: string;
  records: number[];
  /** Records that are shown with a changed file. */
  changed?: readonly number[];
  /** The section of each record, for a session start. */
  places?: readonly PlacedRecord[];
}

export interface PlacedRecord {
  record: RecordName;
  /** Heading of the section. */
  section: string;
}

export const nothingToInject: Injection = { text: "", records: [] };
