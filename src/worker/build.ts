// Builds the worker: creates every part once, in order of dependency, then connects signals. Nothing listens yet.
import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { homedir } from "node:os";
import { createAgentRecords } from "../capture/agent-records.ts";
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
import { version } from "../core/version.ts";
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
import { buildBranches } from "./branches.ts";
import { createCost } from "./cost.ts";
import { createDerivedRepair, type DerivedRepair } from "./derived-repair.ts";
import { buildFolders } from "./folder-context.ts";
import { createForget } from "./forget.ts";
import { buildFreshness, buildReview } from "./freshness.ts";
import { createGeneration } from "./generation.ts";
import { createHostEvents } from "./host-events.ts";
import { createHostMemory } from "./host-memory.ts";
import { createHttpPorts } from "./http.ts";
import { createIdleMemory } from "./idle-memory.ts";
import { createIdleScheduler } from "./idle-scheduler.ts";
import { createEventImports } from "./import-events.ts";
import { createImportPorts } from "./import-records.ts";
import { createKnownHosts } from "./known-hosts.ts";
import { createLastMessages } from "./last-message.ts";
import { buildMaintenance } from "./maintenance.ts";
import { createMcp, createToldOf, foldersInRecords } from "./mcp-switch.ts";
import { createNotices, unreadSince } from "./notices.ts";
import { buildOwnMemories } from "./own-memories.ts";
import { buildExclusions, buildProjects, createExplainDeps } from "./projects.ts";
import { createRelevant } from "./prompt-search.ts";
import { buildContext, buildSearch } from "./recall.ts";
import { buildRecall } from "./recall-answers.ts";
import { createRetention } from "./retention.ts";
import { buildRules } from "./rules.ts";
import { createScrub } from "./scrub.ts";
import { connectSignals, type Signals } from "./signals.ts";
import { createSpoolDrain } from "./spool-drain.ts";
import { buildStatus, createStatusLine, createStorageHealth } from "./status.ts";
import { createDeviceSync } from "./sync.ts";
import { createTeamSharing } from "./team.ts";
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
  /** Applies the retention policy if a run is due. */
  retain(): Promise<void>;
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
  const { maintenance, derived, idleMemory } = background;
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
      parts.sync.start();
      parts.team.start();
      maintenance.start();
      projects.relabel.resume();
      derived.start();
      idleMemory.start();
      for (const { resume } of [background.forget, background.scrub]) resume();
      background.retention.start();
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
    retain: background.retention.whenDue,
    async close() {
      idleMemory.stop();
      await app.close();
      const { erasure, forget, retention, scrub } = background;
      await Promise.all([erasure.stop(), forget.close(), retention.stop(), scrub.close()]);
      await Promise.all([
        maintenance.stop(),
        generation.generation.close(),
        vectors.close(),
        parts.sync.close(),
        parts.team.close(),
        cleaner.close(),
      ]);
      await Promise.all([blobHashes.stop(), projects.close(), parts.branches.close(), derived.stop()]);
      statusLine.stop();
      store.flush();
    },
  };
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
  const sync = createDeviceSync({ ...base, projectsChanged: onChange, relabel: projects.relabel.resume });
  const branches = buildBranches({ store, clock, projects, env });
  return {
    projects,
    branches,
    unmerged: branches.unmerged,
    sync,
    team: createTeamSharing({ ...base, deviceId: sync.deviceId }),
    ...buildFreshness({ store, clock, projects }),
    ...buildFolders({ store, settings, clock }),
    vectors,
    search: buildSearch(base, store, { vectors, ...branches }),
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
  const status = buildStatus({ ...base, generation });
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
  const exclusions = buildExclusions(store, projects, live.excluded);
  const { gitPlaceOf } = parts.branches;
  const { claim: projectOf, current: projectNamed, elsewhere } = projects;
  const names = { projectOf, projectNamed, elsewhere, gitPlaceOf };
  const shared = { ...{ store, clock, publish, exclusions }, ...names };
  const onWithdrawn = createReportWithdrawn({ store, publish, scheduler, queueChanged });
  const taken = { ...shared, cleaner, skipTools: live.skipTools, ownPort: parts.port, onWithdrawn };
  const intake = createIntake({
    ...taken,
    onQueued(sessionDbId) {
      idle.disturb();
      scheduler.notify(sessionDbId);
      queueChanged();
    },
  });
  const recorded = foldersInRecords(settings.paths);
  const ownMemories = buildOwnMemories({ ...parts, exclusions, recorded, onNewText: vectors.notify });
  const readMemories = ownMemories.read;
  const imports = createEventImports({
    ...{ store, clock, cleaner, hostOf, idle: idle.wait, notify: scheduler.notify, readMemories, projects },
    rawDays: settings.get("MEM_RAW_RETENTION_DAYS"),
    createIntake: (own) => createIntake({ ...taken, publish: () => undefined, ...own }),
  });
  const relevant = createRelevant({ search, byId: store.observations.byId });
  const context = buildContext({ ...parts, relevant, elsewhere: projects.checkouts.elsewhere }, store);
  const writtenFor = createHostMemory(homedir(), parts.env, recorded, ownMemories.marksOf, projects.placeOf);
  const hostEvents = createHostEvents({
    hostOf,
    now: clock.now,
    countUnread: (event) => store.commit(() => store.unreadEvents.count(event, unreadSince(settings, clock))),
    lastMessages: createLastMessages(parts.env, recorded),
    writtenFor,
    toldOf: createToldOf(settings.paths, parts.env, settings.get("MEM_MCP_WRITE")),
    intake,
    exclusions,
    cleaner,
    inTurn,
    context,
    ledger: createLedger({
      port: { ...store.contextLedger, log: store.injections.add },
      now: clock.now,
      commit: (work) => store.commit(work, { repeatable: true }),
    }),
    projectOf: projects.labelOf,
    projectNamed: projects.current,
    settle: projects.settle,
    sessionOf: store.sessions.byClaudeId,
    editedPaths: store.observations.editedPaths,
    notice: parts.notices.first,
    async beforeStart(cwd) {
      await Promise.all([parts.sync.beforeStart(), cwd === null ? null : parts.branches.settle(cwd)]);
      if (cwd !== null) await ownMemories.read(cwd);
    },
    readMemories,
    afterWrite: ownMemories.readWritten,
  });
  const { receive } = hostEvents;
  return {
    onWithdrawn,
    cleaner,
    exclusions,
    intake,
    imports,
    intakeByRoute: intakeInTurn(intake, inTurn),
    recordObservation: createObservationRecorder(shared),
    context,
    writtenFor,
    ...buildRules({ store, clock, projects, publish, onNewText: vectors.notify, scheduler, exclusions }),
    hostEvents,
    spool: createSpoolDrain({ directory: settings.paths.spool, clock, log, receive }),
  };
}

type Parts = Base & Memory & Generation & ReturnType<typeof buildCapture>;

/** What runs on timers. */
function buildBackground({ store, idle, ...parts }: Parts) {
  const { clock, settings } = parts;
  const { maintenance, erasure } = buildMaintenance({ store, ...parts, restMs: idle.restMs });
  const { scheduler } = parts.generation;
  const queueChanged = parts.statusLine.changed;
  const { paths } = settings;
  const { refreshTouched: refreshFolders } = parts;
  const trash = { store, ...parts, scheduler, queueChanged, maintenance, erasure, paths, refreshFolders };
  const forget = createForget(trash);
  return {
    erasure,
    maintenance,
    scrub: createScrub(trash),
    retention: createRetention({ store, clock, forget, idle: idle.wait }),
    derived: createDerivedRepair({ clock, store, warn: parts.warn }),
    idleMemory: createIdleMemory({ clock }),
    trash: createTrashPorts(trash),
    forget,
  };
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
      syncHealth: parts.sync.health,
      teamNotice: parts.team.notice,
      queueChanged: parts.statusLine.changed,
      hosts: createKnownHosts({ ...parts, ...settings, environment: env, ...parts.hostEvents }),
    }),
    ...buildRecall({ ...parts, elsewhere: projects.checkouts.elsewhere, projectOf: projects.labelOf }),
    log,
    clock,
    intake: parts.intakeByRoute,
    stream,
    recordObservation,
    search,
    mcp: createMcp(settings.paths, env),
    sync: parts.sync.ports,
    team: parts.team.ports,
    branch: createBranch({ root: packageFile(), version: version(), git: createGit(packageFile(), env) }),
    context: {
      ...context,
      // A host without hooks asks here when a session starts.
      async inject(request) {
        await parts.sync.beforeStart();
        return context.inject(request);
      },
    },
    explain: createExplain({
      context,
      writtenAt: (cwd) => parts.writtenFor(claudeCode.name, cwd),
      agent: claudeCodeIntegration.title,
      ...createExplainDeps({ store, projects, exclusions: parts.exclusions }),
    }),
    folders,
    cost,
    review: buildReview(store, publish),
    agentRecords: createAgentRecords({ ...parts, onNewText: parts.vectors.notify }),
    rules,
    edits,
    maintenance: parts.derived,
    projectDetails: { ...projects.relabel, list: store.projectMoves.list },
    projectNamed: projects.current,
    regenerate: generation.regenerator,
    receiveHook: parts.hostEvents.receive,
    imports: { ...createImportPorts(parts), ...parts.imports, labelOf: projects.labelOf },
    trash: parts.trash,
    forget: parts.forget,
    retention: parts.retention.ports,
    scrub: parts.scrub.ports,
  });
}
