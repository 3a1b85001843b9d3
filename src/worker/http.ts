// The ports of the HTTP routes, filled from the store and the settings.

import type { RecordEdits } from "../context/freshness/edit-record.ts";
import { packageFile } from "../core/paths.ts";
import type { QueueRetried } from "../core/records/queue.ts";
import type { VectorStatus } from "../core/records/vector-status.ts";
import { version } from "../core/version.ts";
import type { StreamHub } from "../http/api/stream.ts";
import type { HttpDeps } from "../http/app.ts";
import type { SettingsList, ViewerChange } from "../http/schemas/settings.ts";
import type { Health } from "../http/schemas/status.ts";
import { cleanText } from "../privacy/clean.ts";
import { redactSecrets } from "../privacy/secrets.ts";
import { acceptedBy } from "../settings/definition.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { definitionOf, type SettingKey, settingKeys } from "../settings/table.ts";
import type { SyncHealth } from "../sync/engine.ts";
import { type Notices, unreadSince } from "./notices.ts";
import { createQueue } from "./queue.ts";
import { remoteAccess } from "./remote-access.ts";
import type { WorkerStatus } from "./status.ts";
import { createViews, type ViewDeps } from "./views.ts";
import { proveInstance, type WorkerIdentity } from "./worker-file.ts";

interface PortDeps extends ViewDeps {
  settings: LoadedSettings;
  identity: WorkerIdentity;
  port(): number;
  status: WorkerStatus;
  notices: Notices;
  stream: StreamHub;
  edits: Pick<RecordEdits, "session">;
  /** Messages moved in the queue. */
  queueChanged(): void;
  /** Messages of this session became due, or were removed. */
  notify(sessionId: number): void;
  /** The user wants what waits to be tried. */
  retryNow(): Pick<QueueRetried, "resumed" | "waitsUntil">;
  /** Who writes now, and with which model. */
  writer(): { active: string; model: string | null };
  /** How search by meaning is. */
  vectors(): VectorStatus;
  /** Undefined when sync is not set up. */
  syncHealth(): SyncHealth | undefined;
  /** A sentence when records for the team cannot be sent, else null. */
  teamNotice(): string | null;
  /** A sentence when a token budget is spent, else null. */
  budgetNote(): string | null;
  hosts(): Health["hosts"];
}

type Ports = Pick<
  HttpDeps,
  | "address"
  | "sessions"
  | "observations"
  | "summaries"
  | "prompts"
  | "projects"
  | "stats"
  | "status"
  | "queue"
  | "settings"
  | "remote"
  | "viewerDirectory"
  | "views"
>;

const monthMs = 30 * 24 * 3_600_000;

export function createHttpPorts(deps: PortDeps): Ports {
  const { store, settings, port } = deps;
  const { sessions, observations, summaries, prompts, viewerStates } = store;
  return {
    address: () => ({ host: settings.get("MEM_WORKER_HOST"), port: port() }),
    sessions: {
      ...sessions,
      queueLength: store.pending.ofSession,
      rename: deps.edits.session,
    },
    observations,
    summaries,
    prompts,
    projects: store.projects.labels,
    stats: () => ({
      worker: workerStats(deps),
      database: store.stats(),
      agent: store.agentTurns(deps.clock.now() - monthMs),
    }),
    status: statusPorts(deps),
    queue: createQueue(deps),
    remote: remoteAccess(settings),
    viewerDirectory: packageFile("dist", "viewer"),
    views: createViews(deps),
    settings: {
      viewer: {
        get: viewerStates.get,
        set: (change) => store.commit(() => viewerStates.set(cleanViewer(change))),
      },
      settings: () => Object.fromEntries(settingKeys.map((key) => [key, settings.reveal(key)])),
      list: () => listedSettings(settings),
    },
  };
}

/** Every setting for `GET /api/settings/list`. */
export function listedSettings(settings: LoadedSettings): SettingsList["settings"] {
  return settingKeys.map((key) => listed(settings, key));
}

function listed(settings: LoadedSettings, key: SettingKey): SettingsList["settings"][number] {
  const definition = definitionOf(key);
  const [text, isSecret] = [settings.reveal(key), definition.kind === "secret"];
  return {
    name: key,
    // An address may carry a password.
    value: isSecret ? (text === "" ? "" : "set") : redactSecrets(text),
    origin: settings.source(key),
    default: definition.default,
    meaning: definition.description,
    accepts: acceptedBy(definition),
    effect: definition.effect,
    isSecret,
    command: key === "MEM_DATA_DIR" ? `export ${key}=<value>` : `mem settings set ${key} <value>`,
  };
}

// The label comes from a viewer, so it is cleaned.
function cleanViewer(change: ViewerChange): ViewerChange {
  const { selectedProject } = change;
  return typeof selectedProject === "string"
    ? { ...change, selectedProject: cleanText(selectedProject) }
    : change;
}

function workerStats({ store, stream, port, clock, identity }: PortDeps) {
  return {
    version: version(),
    uptime: uptimeSeconds(clock.now() - identity.startedAt),
    activeSessions: store.sessions.countActive(),
    sseClients: stream.clientCount(),
    port: port(),
  };
}

function syncOf({ syncHealth }: PortDeps): Pick<Health, "sync"> {
  const sync = syncHealth();
  return sync === undefined ? {} : { sync };
}

function listOf(notice: string | null): string[] {
  return notice === null ? [] : [notice];
}

function statusPorts(deps: PortDeps): Ports["status"] {
  const { store, status, notices, settings, clock, identity, port } = deps;
  const generation = () => ({
    provider: { name: settings.get("MEM_PROVIDER"), ...deps.writer() },
    paused: status.pause(),
    budget: deps.budgetNote(),
  });
  return {
    health: () => ({
      status: status.level(),
      port: port(),
      version: version(),
      uptime: uptimeSeconds(clock.now() - identity.startedAt),
      pid: process.pid,
      instance: identity.instance,
      queue: status.queue(),
      ...generation(),
      vectors: deps.vectors(),
      ...syncOf(deps),
      unreadEvents: store.unreadEvents.list(unreadSince(settings, clock)),
      hosts: deps.hosts(),
      proposals: store.statements.proposalCount(),
      notices: [...notices.all(), ...listOf(deps.teamNotice())],
    }),
    version,
    processingStatus: () => ({
      ...status.processing(),
      ...store.pending.counts(),
      oldestPendingAgeMs: status.oldestPendingAgeMs(),
      lastSuccessAt: status.lastSuccessAt(),
      ...generation(),
    }),
    prove: (nonce) => proveInstance(identity.secret, nonce),
    compatibilityHealth: () => ({
      status: status.level(),
      timestamp: clock.now(),
      activeSessions: store.sessions.countActive(),
    }),
  };
}

function uptimeSeconds(ms: number): number {
  return Math.max(0, Math.round(ms / 100) / 10);
}
