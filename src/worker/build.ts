// Builds the worker: creates every part once, in order of dependency, then connects signals. Nothing listens yet.
import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { homedir } from "node:os";
import { createInTurn, intakeInTurn } from "../capture/in-turn.ts";
import { createIntake } from "../capture/intake.ts";
import { createObservationRecorder } from "../capture/record-observation.ts";
import { createThreadCleaner } from "../capture/thread-cleaner.ts";
import { createExplain } from "../context/explain.ts";
import { createLedger } from "../context/ledger.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { packageFile } from "../core/paths.ts";
import type { StreamEvent } from "../core/records/events.ts";
import { createdEvents } from "../core/records/manual-observation.ts";
import { version } from "../core/version.ts";
import type { Made } from "../generate/generate-batch.ts";
import { claudeCode, claudeCodeIntegration } from "../hosts/claude-code.ts";
import { hostOf } from "../hosts/registry.ts";
import { createStreamHub } from "../http/api/stream.ts";
import { buildHttp } from "../http/app.ts";
import type { Environment } from "../settings/environment.ts";
import { createLiveSettings } from "../settings/live.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { reindex } from "../store/sqlite/damage-check.ts";
import type { Sqlite } from "../store/sqlite/open.ts";
import { createStore } from "../store/sqlite/store.ts";
import { createBranch, createGit } from "./branch.ts";
import { createCost } from "./cost.ts";
import { createDerivedRepair, type DerivedRepair } from "./derived-repair.ts";
import { buildFolders } from "./folder-context.ts";
import { buildFreshness, buildReview } from "./freshness.ts";
import { createGeneration } from "./generation.ts";
import { createHostEvents } from "./host-events.ts";
import { createHostMemory } from "./host-memory.ts";
import { createHttpPorts } from "./http.ts";
import { createIdleMemory } from "./idle-memory.ts";
import { createIdleScheduler } from "./idle-scheduler.ts";
import { createKnownHosts } from "./known-hosts.ts";
import { createLastMessages } from "./last-message.ts";
import { createMaintenance, purgesOf } from "./maintenance.ts";
import { createMcp, foldersInRecords } from "./mcp-switch.ts";
import { createNotices, unreadSince } from "./notices.ts";
import { createPatternWarmUp } from "./pattern-warm-up.ts";
import { describePause } from "./pause-steps.ts";
import { buildProjects, createExplainDeps } from "./projects.ts";
import { createRelevant } from "./prompt-search.ts";
import { buildContext, buildSearch } from "./recall.ts";
import { buildRecall } from "./recall-answers.ts";
import { buildRules } from "./rules.ts";
import { createSpoolDrain } from "./spool-drain.ts";
import { createStatus, createStatusLine, createStorageHealth } from "./status.ts";
import { createReportWithdrawn, createTrashPorts } from "./trash.ts";
import { createVectorSearch } from "./vectors.ts";
import type { WorkerIdentity } from "./worker-file.ts";

interface WorkerDeps {
  db: Sqlite;
  settings: LoadedSettings;
  env: Environment;
  log: Log;
  clock: Clock;
  identity: WorkerIdentity;
  /** The bound port; read from the first request on. */
  port(): number;
}

export interface Worker {
  /** The HTTP server, not listening yet; `close` closes it. */
  server: Server;
  /** Takes a connection that another listener of the port accepted. */
  accept(connection: Socket): void;
  /** Takes a connection that was accepted on the worker's own socket. */
  acceptPipe(connection: Socket): void;
  /** Resolves when it may listen. */
  ready(): Promise<void>;
  /** Starts the background work: generation, the spool, timers. */
  start(): void;
  /** Rebuilds indexes that differ from their table, one after the other, and reports them in the notices. */
  reindex(indexes: readonly string[]): Promise<void>;
  /** The daily check of derived data and its repair. */
  records: DerivedRepair;
  /** Ends streams, finishes replies, releases claimed messages. The database stays open. */
  close(): Promise<void>;
}

export function buildWorker(deps: WorkerDeps): Worker {
  const base = buildBase(deps);
  const memory = buildMemory(base);
  const generation = buildGeneration({ ...base, ...memory });
  const capture = buildCapture({ ...base, ...memory, ...generation });
  const parts = { ...base, ...memory, ...generation, ...capture };
  const background = buildBackground(parts);
  connectSignals(parts);
  const { app, accept, acceptPipe } = buildServer({ ...parts, ...background });
  const { store, idle, vectors, projects, blobHashes, cleaner, statusLine } = parts;
  const { maintenance, derived, idleMemory, patternWarmUp } = background;
  return {
    server: app.server,
    accept,
    acceptPipe,
    async ready() {
      await app.ready();
      // Before the first request: messages that a killed worker had claimed become pending again.
      store.pending.reclaimAll();
    },
    start() {
      generation.generation.start();
      vectors.start();
      maintenance.start();
      projects.relabel.resume();
      derived.start();
      idleMemory.start();
      patternWarmUp.start();
    },
    async reindex(indexes) {
      for (const index of indexes) {
        await idle.wait();
        await store.commit(() => reindex(deps.db, index));
        deps.log.warn({ index }, "an index did not match its table and was rebuilt");
        parts.reindexed.push(index);
      }
    },
    records: derived,
    async close() {
      idleMemory.stop();
      patternWarmUp.stop();
      await app.close();
      await Promise.all([
        maintenance.stop(),
        generation.generation.close(),
        vectors.close(),
        cleaner.close(),
      ]);
      await Promise.all([blobHashes.stop(), projects.close(), derived.stop()]);
      statusLine.stop();
      store.flush();
    },
  };
}

/** Signals between parts. A part that emits one does not know who listens; `connectSignals` does. */
interface Signals {
  labelsChanged: [];
  /** Messages were queued, moved or finished, or the provider paused. */
  queueChanged: [];
  /** Generation wrote records. */
  made: [made: Made];
  /** A record was stored or changed outside generation. */
  record: [event: StreamEvent];
}

/** The store, the signals, and the gate that lets capture go before background work. */
function buildBase(deps: WorkerDeps) {
  const writes = new EventEmitter<{ failed: [cause: unknown] }>();
  const store = createStore(deps.db, (cause) => writes.emit("failed", cause));
  const storage = createStorageHealth(deps.clock, store.storageFailure);
  writes.on("failed", (cause) => {
    deps.log.error({ err: cause }, "a write failed");
    storage.failed(cause);
  });
  const signals = new EventEmitter<Signals>();
  return {
    ...deps,
    store,
    storage,
    signals,
    publish: (event: StreamEvent): void => void signals.emit("record", event),
    idle: createIdleScheduler(deps.clock),
    warn: (sentence: string): void => deps.log.warn(sentence),
  };
}

type Base = ReturnType<typeof buildBase>;

/** What search and context read: projects, freshness, folder files, vectors. */
function buildMemory(base: Base) {
  const { store, clock, settings, env, signals, idle, warn } = base;
  const onChange = () => void signals.emit("labelsChanged");
  const projects = buildProjects({ store, env, clock, onChange });
  const vectors = createVectorSearch({ db: base.db, store, settings, clock, quiet: idle.wait, warn });
  return {
    projects,
    ...buildFreshness({ store, clock, projects }),
    ...buildFolders({ store, settings, clock }),
    vectors,
    search: buildSearch(base, store, vectors),
  };
}

/** What writes records, and what the worker reports about it. */
function buildGeneration(base: Base & Pick<Memory, "projects">) {
  const { store, storage, settings, clock, signals, warn, identity, idle } = base;
  const cost = createCost({ store, settings, clock, warn });
  const generation = createGeneration({
    ...base,
    cost,
    instance: identity.instance,
    idle: idle.wait,
    onChange: () => void signals.emit("queueChanged"),
    onMade: (made) => void signals.emit("made", made),
  });
  const status = createStatus({
    clock,
    counts: store.pending.counts,
    oldestPending: store.pending.oldest,
    firstDeadSince: store.queue.firstDeadSince,
    lastSuccessAt: generation.scheduler.lastSuccessAt,
    pause: () => describePause(generation.circuit.state(clock.now()), { ...base, ...generation }),
    storageFails: () => storage.failure() !== null,
    startedAt: identity.startedAt,
  });
  const stream = createStreamHub({
    clock,
    snapshot: () => ({ ...status.processing(), projects: store.projects.labels() }),
    projectNamed: base.projects.current,
  });
  const reindexed: string[] = [];
  return {
    cost,
    generation,
    status,
    stream,
    statusLine: createStatusLine(status, stream),
    reindexed,
    notices: createNotices(settings, status, { storageFailure: storage.failure, reindexed }),
  };
}

type Memory = ReturnType<typeof buildMemory>;
type Generation = ReturnType<typeof buildGeneration>;

/** What comes in from hosts, and the context that goes back. */
function buildCapture(parts: Base & Memory & Generation) {
  const { store, clock, settings, log, signals, publish, idle, warn, projects, vectors, search } = parts;
  const { scheduler } = parts.generation;
  const live = createLiveSettings({ dataDir: settings.dataDir, env: parts.env, clock, warn });
  const cleaner = createThreadCleaner({ script: packageFile("dist", "clean-thread.cjs"), warn });
  const inTurn = createInTurn();
  const queueChanged = () => void signals.emit("queueChanged");
  const shared = { store, clock, projectOf: projects.claim, projectNamed: projects.current, publish };
  const intake = createIntake({
    ...shared,
    cleaner,
    skipTools: live.skipTools,
    ownPort: parts.port,
    onQueued(sessionDbId) {
      idle.disturb();
      scheduler.notify(sessionDbId);
      queueChanged();
    },
    onWithdrawn: createReportWithdrawn({ store, publish, scheduler, queueChanged }),
  });
  const relevant = createRelevant({ search, byId: store.observations.byId });
  const context = buildContext({ ...parts, relevant, elsewhere: projects.checkouts.elsewhere }, store);
  const recorded = foldersInRecords(settings.paths);
  const writtenFor = createHostMemory(homedir(), parts.env, recorded);
  const hostEvents = createHostEvents({
    hostOf,
    now: clock.now,
    countUnread: (event) => store.commit(() => store.unreadEvents.count(event, unreadSince(settings, clock))),
    lastMessages: createLastMessages(parts.env, recorded),
    writtenFor,
    intake,
    cleaner,
    inTurn,
    context,
    ledger: createLedger({
      port: { ...store.contextLedger, log: store.injections.add },
      now: clock.now,
      commit: store.commit,
    }),
    projectOf: projects.labelOf,
    projectNamed: projects.current,
    sessionOf: store.sessions.byClaudeId,
    editedPaths: store.observations.editedPaths,
    notice: parts.notices.first,
  });
  const { receive } = hostEvents;
  return {
    cleaner,
    intake,
    intakeByRoute: intakeInTurn(intake, inTurn),
    recordObservation: createObservationRecorder(shared),
    context,
    writtenFor,
    ...buildRules({ store, clock, projects, publish, onNewText: vectors.notify, scheduler }),
    hostEvents,
    spool: createSpoolDrain({ directory: settings.paths.spool, clock, log, receive }),
  };
}

type Parts = Base & Memory & Generation & ReturnType<typeof buildCapture>;

/** What runs on timers. */
function buildBackground({ store, idle, ...parts }: Parts) {
  const { clock, settings } = parts;
  return {
    maintenance: createMaintenance({
      clock,
      completeIdle: parts.intake.completeIdle,
      purges: purgesOf(store, settings.get("MEM_RAW_RETENTION_DAYS")),
      refreshFolders: parts.refreshTouched,
      drainSpool: parts.spool.drain,
    }),
    derived: createDerivedRepair({ clock, store, warn: parts.warn }),
    idleMemory: createIdleMemory({ clock }),
    patternWarmUp: createPatternWarmUp({ quiet: idle.wait }),
  };
}

/** Who hears of what. */
function connectSignals(parts: Parts): void {
  const { signals, store, status, stream, statusLine, blobHashes, vectors, touched } = parts;
  const { scheduler } = parts.generation;
  signals.on("labelsChanged", () => {
    stream.publish({ type: "initial_load", projects: store.projects.labels(), ...status.processing() });
  });
  signals.on("queueChanged", statusLine.changed);
  signals.on("made", ({ observations, changed = [], summaries }) => {
    blobHashes.add(observations);
    for (const { project } of observations) touched(project);
    vectors.notify(observations.map(({ id }) => id));
    for (const event of observations.flatMap(createdEvents)) stream.publish(event);
    for (const observation of changed) {
      touched(observation.project);
      stream.publish({ type: "observation_changed", observation });
    }
    for (const summary of summaries) stream.publish({ type: "summary_created", summary });
    statusLine.changed();
  });
  signals.on("record", (event) => {
    stream.publish(event);
    if (event.type === "observation_changed") touched(event.observation.project);
    if (event.type === "summary_changed") touched(event.summary.project);
    if (event.type === "record_deleted" || event.type === "record_restored") touched(event.project);
    if (event.type === "observation_created") {
      touched(event.observation.project);
      blobHashes.add([event.observation]);
      vectors.notify([event.observation.id]);
    }
    // No more messages will come, so its batch need not wait for company.
    if (event.type === "session_completed") scheduler.notify(event.sessionDbId);
  });
}

/** The HTTP server over all parts. */
function buildServer(parts: Parts & ReturnType<typeof buildBackground>) {
  const { store, clock, log, settings, env, publish, projects, context, generation } = parts;
  const { search, stream, cost, rules, edits, folders, recordObservation } = parts;
  return buildHttp({
    ...createHttpPorts({
      ...parts,
      notify: generation.scheduler.notify,
      retryNow: generation.retryNow,
      writer: generation.writer,
      budgetNote: cost.notice,
      vectors: parts.vectors.status,
      queueChanged: parts.statusLine.changed,
      hosts: createKnownHosts({ ...parts, ...settings, environment: env, ...parts.hostEvents }),
    }),
    ...buildRecall({
      ...parts,
      elsewhere: projects.checkouts.elsewhere,
      projectOf: projects.labelOf,
    }),
    log,
    clock,
    intake: parts.intakeByRoute,
    stream,
    recordObservation,
    search,
    mcp: createMcp(settings.paths, env),
    branch: createBranch({ root: packageFile(), version: version(), git: createGit(packageFile(), env) }),
    context,
    explain: createExplain({
      context,
      writtenAt: (cwd) => parts.writtenFor(claudeCode.name, cwd),
      agent: claudeCodeIntegration.title,
      ...createExplainDeps({ store, projects }),
    }),
    folders,
    cost,
    review: buildReview(store, publish),
    rules,
    edits,
    maintenance: parts.derived,
    projectDetails: { ...projects.relabel, list: store.projectMoves.list },
    projectNamed: projects.current,
    regenerate: generation.regenerator,
    receiveHook: parts.hostEvents.receive,
    trash: createTrashPorts({ ...parts, ...generation, queueChanged: parts.statusLine.changed }),
  });
}
