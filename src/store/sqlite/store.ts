// The store: every table's reads and writes over one open database, and the group commit.
import { createActivity } from "./activity.ts";
import { createAgentRecords, createAgentTurns, createJudge, createMemoryRecords } from "./agent-records.ts";
import { createBlobs } from "./blobs.ts";
import { createBranches } from "./branches.ts";
import { createContextLedger } from "./context-ledger.ts";
import { createDeletions } from "./deletions.ts";
import { createLastCheck } from "./derived-check.ts";
import { createDerivedRebuild } from "./derived-rebuild.ts";
import { createEdits } from "./edits.ts";
import { createFolderFiles } from "./folder-files.ts";
import { createForgetSelections } from "./forget-selection.ts";
import { createForgets } from "./forgets.ts";
import { createGroupCommit, type GroupCommit } from "./group-commit.ts";
import { createImports } from "./imports.ts";
import { createInjectionLog } from "./injections.ts";
import { createKnownThings } from "./known-things.ts";
import { createModelCalls } from "./model-calls.ts";
import { createObservations, createReviewRecords } from "./observations.ts";
import { type Sqlite, truncateLog } from "./open.ts";
import { createPendingMessages } from "./pending-messages.ts";
import { createProjectMoves } from "./project-moves.ts";
import { createProjects } from "./projects.ts";
import { createPrompts } from "./prompts.ts";
import { createQueueMessages } from "./queue-messages.ts";
import { createRawEvents } from "./raw-events.ts";
import { createRecordOrigins } from "./record-origins.ts";
import { createRecordWriter } from "./record-writer.ts";
import { createRegenerations } from "./regenerations.ts";
import { createRestore } from "./restorations.ts";
import { createRetentionStore } from "./retention.ts";
import { createScrubs } from "./scrubs.ts";
import { createSessionRecords } from "./session-records.ts";
import { createSessions } from "./sessions.ts";
import { createSharedSources } from "./shared-sources.ts";
import { createStatements } from "./statements.ts";
import { createStats, createViewerStates } from "./stats.ts";
import { createSummaries } from "./summaries.ts";
import { createTimeline } from "./timeline.ts";
import { createTrash } from "./trash.ts";
import { createTurns } from "./turns.ts";
import { createUnreadEvents } from "./unread-events.ts";
import { createWithdrawals } from "./withdrawals.ts";
import { createWordCopies } from "./word-copies.ts";

export type Store = ReturnType<typeof createStore>;

/** `onError` is called with every failed write, after its caller. */
export function createStore(db: Sqlite, onError?: (cause: unknown) => void) {
  const group: GroupCommit = createGroupCommit(db, onError);
  const pending = createPendingMessages(db);
  const sessions = createSessions(db);
  const observations = createObservations(db);
  const summaries = createSummaries(db);
  const turns = createTurns(db);
  const statements = createStatements(db);
  const trash = createTrash(db);
  const edits = createEdits(db, trash);
  const branches = createBranches(db);
  const writeRecords = createRecordWriter(db, { observations, summaries });
  const prompts = createPrompts(db);
  const sharing = createSharedSources(db);
  const known = createKnownThings(db);
  return {
    ...group,
    projects: createProjects(db),
    projectMoves: createProjectMoves(db),
    sessions,
    prompts,
    sharing,
    known,
    rawEvents: createRawEvents(db),
    pending,
    queue: createQueueMessages(db, pending),
    withdrawals: createWithdrawals(db, pending),
    observations,
    summaries,
    turns,
    modelCalls: createModelCalls(db),
    regenerations: createRegenerations(db, {
      ...group,
      sessions,
      observations,
      prompts,
      sharing,
      known,
      turns,
      statements,
      writeRecords,
    }),
    activity: createActivity(db),
    recordOrigins: createRecordOrigins(db),
    sessionRecords: createSessionRecords(db),
    timeline: createTimeline(db),
    writeRecords,
    trash,
    deletions: createDeletions(db, { trash, pending }),
    forgets: createForgets(db),
    retention: createRetentionStore(db),
    scrubs: createScrubs(db),
    forgetSelections: createForgetSelections(db),
    wordCopies: createWordCopies(db, { trash, pending }),
    edits,
    restore: createRestore(db, { trash, pending, edits }),
    folderFiles: createFolderFiles(db),
    contextLedger: createContextLedger(db),
    injections: createInjectionLog(db),
    imports: createImports(db),
    review: { ...createReviewRecords(db), judge: createJudge(db) },
    agentRecords: createAgentRecords(db),
    memoryRecords: createMemoryRecords(db),
    statements,
    derived: { ...createDerivedRebuild(db), ...createLastCheck(db) },
    blobs: createBlobs(db),
    branches,
    seePlace: branches.seePlace,
    unreadEvents: createUnreadEvents(db),
    viewerStates: createViewerStates(db),
    stats: createStats(db),
    agentTurns: createAgentTurns(db),
    /** Writes the log back and empties it; false while another connection reads it. */
    truncateLog: () => truncateLog(db),
  };
}
