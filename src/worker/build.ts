// Builds the worker: creates every part once and hands it to those that need it. Nothing listens yet.
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { createThreadCleaner } from "../capture/clean-in-thread.ts";
import { createInTurn } from "../capture/in-turn.ts";
import { createIntake, intakeInTurn } from "../capture/intake.ts";
import { createObservationRecorder, eventsOf } from "../capture/record-observation.ts";
import { createExplain } from "../context/explain.ts";
import { createLedger } from "../context/ledger.ts";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { packageFile } from "../core/paths.ts";
import type { StreamEvent } from "../core/records/events.ts";
import { hostNamed } from "../hosts/registry.ts";
import { createStreamHub } from "../http/api/stream.ts";
import { buildHttp } from "../http/app.ts";
import type { Environment } from "../settings/environment.ts";
import { createLiveSettings } from "../settings/live.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { reindex } from "../store/sqlite/damage-check.ts";
import type { Sqlite } from "../store/sqlite/open.ts";
import { createStore } from "../store/sqlite/store.ts";
import { createCost } from "./cost-ports.ts";
import { createDerivedRepair, type DerivedRepair } from "./derived-repair.ts";
import { explainPorts } from "./explain-ports.ts";
import { buildFolders } from "./folder-ports.ts";
import { createGeneration } from "./generation.ts";
import { createHostEvents } from "./host-events.ts";
import { createHttpPorts } from "./http-ports.ts";
import { createIdleMemory } from "./idle-memory.ts";
import { createMaintenance } from "./maintenance.ts";
import { createMcpPorts } from "./mcp-ports.ts";
import { createNotices } from "./notices.ts";
import { createPatternWarmUp } from "./pattern-warm-up.ts";
import { describePause } from "./pause-steps.ts";
import { buildProjects } from "./project-ports.ts";
import { createQuiet } from "./quiet.ts";
import { buildRecall } from "./recall-answers.ts";
import { buildContext, buildSearch } from "./recall-ports.ts";
import { createRelevant } from "./relevant.ts";
import { buildRules } from "./rule-ports.ts";
import { createSpoolDrain } from "./spool-drain.ts";
import { createStatus } from "./status.ts";
import { createStorageHealth } from "./storage-health.ts";
import { buildFreshness, buildJudge } from "./truth-ports.ts";
import { createVectorSearch } from "./vectors.ts";

export interface WorkerDeps {
  db: Sqlite;
  settings: LoadedSettings;
  env: Environment;
  log: Log;
  clock: Clock;
  identity: WorkerIdentity;
  /** The bound port; asked for from the first request on. */
  port(): number;
}

/** Names this run of the worker, and proves it to those who can read worker.json. */
export interface WorkerIdentity {
  instance: string;
  secret: string;
  startedAt: number;
}

export interface Worker {
  /** The HTTP server, not listening yet; `close` closes it. */
  server: Server;
  /** Takes a connection that was accepted on the worker's own socket. */
  acceptPipe(connection: Socket): void;
  /** Resolves when it may listen. */
  ready(): Promise<void>;
  /** Begins the work behind the answers: generation, the spool, the clock. */
  start(): void;
  /** Builds indexes again that do not agree with their table, one after the other, and says so in the notices. */
  reindex(indexes: readonly string[]): Promise<void>;
  /** The daily check of derived data and its repair. */
  records: DerivedRepair;
  /** Ends streams, finishes replies, gives claimed messages back. The database stays open. */
  close(): Promise<void>;
}

export function buildWorker(deps: WorkerDeps): Worker {
  const { db, settings, log, clock, identity } = deps;
  const store = createStore(db, (cause) => {
    log.error({ err: cause }, "a write failed");
    storage.failed(cause);
  });
  const storage = createStorageHealth(clock, store.storageFailure);
  const quiet = createQuiet(clock);
  const vectors = createVectorSearch({
    db,
    store,
    settings,
    clock,
    quiet: quiet.wait,
    warn: (sentence) => log.warn(sentence),
  });
  const projects = buildProjects({ store, env: deps.env, clock, onChange: () => sendCatalogue() });
  const { elsewhere } = projects.checkouts;
  const { keeper, changedSince, contentOf } = buildFreshness({ store, clock, projects });
  const { folders, touched, refreshTouched } = buildFolders({ store, settings, clock });
  const live = createLiveSettings({
    dataDir: settings.dataDir,
    env: deps.env,
    clock,
    warn: (sentence) => log.warn(sentence),
  });
  const stream = createStreamHub({
    clock,
    snapshot: () => ({ ...status.processing(), projects: store.projects.labels() }),
  });
  const sendCatalogue = (): void => {
    stream.publish({ type: "initial_load", projects: store.projects.labels(), ...status.processing() });
  };
  const cost = createCost({ store, settings, clock, warn: (sentence) => log.warn(sentence) });
  const generation = createGeneration({
    ...deps,
    store,
    cost,
    instance: identity.instance,
    quiet: quiet.wait,
    onChange: () => status.changed(),
    onMade(made) {
      keeper.note(made.observations);
      for (const { project } of made.observations) touched(project);
      vectors.notify(made.observations.map(({ id }) => id));
      for (const observation of made.observations)
        for (const event of eventsOf(observation)) stream.publish(event);
      for (const observation of made.changed ?? []) {
        touched(observation.project);
        stream.publish({ type: "observation_changed", observation });
      }
      for (const summary of made.summaries) stream.publish({ type: "summary_created", summary });
      status.changed();
    },
  });
  const { loop, regenerator } = generation;
  const status = createStatus({
    clock,
    counts: store.pending.counts,
    oldestPending: store.pending.oldest,
    firstDeadSince: store.queue.firstDeadSince,
    lastSuccessAt: loop.lastSuccessAt,
    pause: () => describePause(generation.flow.state(clock.now()), { ...deps, ...generation }),
    storageFails: () => storage.failure() !== null,
    startedAt: identity.startedAt,
    publish: stream.publish,
    hasClients: () => stream.clientCount() > 0,
  });
  const reindexed: string[] = [];
  const notices = createNotices(settings, status, { storageFailure: storage.failure, reindexed });
  const publish = (event: StreamEvent): void => {
    stream.publish(event);
    if (event.type === "observation_changed") touched(event.observation.project);
    if (event.type === "observation_created") {
      touched(event.observation.project);
      keeper.note([event.observation]);
      vectors.notify([event.observation.id]);
    }
    // Nothing more will come for it, so its messages need not wait for company.
    if (event.type === "session_completed") loop.notify(event.sessionDbId);
  };
  const rules = buildRules({ store, clock, projects, publish, onNewText: vectors.notify });
  const shared = { store, clock, projectOf: projects.claim, projectNamed: projects.current, publish };
  const cleaner = createThreadCleaner({
    script: packageFile("dist", "clean-thread.cjs"),
    warn: (sentence) => log.warn(sentence),
  });
  const inTurn = createInTurn();
  const intake = createIntake({
    ...shared,
    cleaner,
    skipTools: live.skipTools,
    ownPort: deps.port,
    onQueued(sessionDbId) {
      quiet.disturb();
      loop.notify(sessionDbId);
      status.changed();
    },
    async onWithdrawn({ sessionDbId, project, isShown }) {
      touched(project);
      if (isShown) await loop.cancel(sessionDbId);
    },
  });
  const search = buildSearch(deps, store, vectors);
  const relevant = createRelevant({ search, byId: store.observations.byId });
  const context = buildContext({ ...deps, relevant, changedSince, contentOf, elsewhere }, store);
  const hostEvents = createHostEvents({
    hostNamed,
    intake,
    cleaner,
    inTurn,
    context,
    ledger: createLedger({ port: store.contextLedger, now: clock.now, commit: store.commit }),
    projectOf: projects.labelOf,
    sessionOf: store.sessions.byClaudeId,
    editedPaths: store.observations.editedPaths,
    notice: notices.first,
  });
  const spool = createSpoolDrain({
    directory: settings.paths.spool,
    clock,
    log,
    receive: hostEvents.receive,
  });
  const maintenance = createMaintenance({
    clock,
    rawRetentionDays: settings.get("MEM_RAW_RETENTION_DAYS"),
    completeIdle: intake.completeIdle,
    purgeRawEvents: (before, limit) => store.commit(() => store.rawEvents.purge(before, limit)),
    refreshFolders: refreshTouched,
    purgeContextLedger: (before, limit) => store.commit(() => store.contextLedger.purge(before, limit)),
    drainSpool: spool.drain,
  });
  const derived = createDerivedRepair({ clock, store, warn: (sentence) => log.warn(sentence) });
  const idleMemory = createIdleMemory({ clock });
  const patternWarmUp = createPatternWarmUp({ quiet: quiet.wait });
  const ports = createHttpPorts({
    ...deps,
    store,
    status,
    notices,
    stream,
    notify: loop.notify,
    askAgain: generation.askAgain,
    writer: generation.writer,
    budgetNote: cost.notice,
    vectors: vectors.status,
  });
  const { app, acceptPipe } = buildHttp({
    ...ports,
    log,
    clock,
    intake: intakeInTurn(intake, inTurn),
    stream,
    recordObservation: createObservationRecorder(shared),
    search,
    mcp: createMcpPorts(settings.paths, deps.env),
    ...buildRecall({ db, settings, store, search, changedSince, elsewhere, projectOf: projects.labelOf }),
    context,
    explain: createExplain({ context, ...explainPorts({ store, projects }) }),
    folders,
    cost,
    judge: buildJudge(store, publish),
    ...rules,
    maintenance: derived,
    projectDetails: { ...projects.relabel, list: store.projectMoves.list },
    projectNamed: projects.current,
    regenerate: regenerator,
    receiveHook: hostEvents.receive,
  });

  return {
    server: app.server,
    acceptPipe,
    async ready() {
      await app.ready();
      // Before anyone can ask: what a killed worker had claimed waits again.
      store.pending.reclaimAll();
    },
    start() {
      generation.start();
      vectors.start();
      maintenance.start();
      projects.relabel.resume();
      derived.start();
      idleMemory.start();
      patternWarmUp.start();
    },
    async reindex(indexes) {
      for (const index of indexes) {
        await quiet.wait();
        await store.commit(() => reindex(db, index));
        log.warn({ index }, "an index did not agree with its table, it was built again");
        reindexed.push(index);
      }
    },
    records: derived,
    async close() {
      idleMemory.stop();
      patternWarmUp.stop();
      await app.close();
      await Promise.all([maintenance.stop(), generation.close(), vectors.close(), cleaner.close()]);
      await Promise.all([keeper.stop(), projects.close(), derived.stop()]);
      status.stop();
      store.flush();
    },
  };
}
