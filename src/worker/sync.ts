// Device sync in the worker: the engine over the store when a hub is set up, and what it tells the stream and the API.
import { readFileSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { type Clock, systemTimers } from "../core/clock.ts";
import { unlessMissing } from "../core/error-code.ts";
import { failOpen, failOpenSync, MemError } from "../core/errors.ts";
import { contentKey } from "../core/ids.ts";
import type { StreamEvent } from "../core/records/events.ts";
import { createdEvents } from "../core/records/manual-observation.ts";
import type { Applied } from "../core/records/sync.ts";
import type { SyncPorts } from "../http/api/device-sync.ts";
import type { SyncAnswer, SyncDevicesAnswer } from "../http/schemas/device-sync.ts";
import { cleanText } from "../privacy/clean.ts";
import type { LoadedSettings } from "../settings/load.ts";
import type { Sqlite } from "../store/sqlite/open.ts";
import type { Store } from "../store/sqlite/store.ts";
import { createSyncRecords, type SyncRecords } from "../store/sqlite/sync/sync-records.ts";
import { createSyncEngine, type SyncEngine, type SyncHealth } from "../sync/engine.ts";
import { failureMessage } from "../sync/failure.ts";
import { createHubClient, type HubAccess, type HubClient } from "../sync/hub-client.ts";
import { createHubTransport, type HubAddress, parseHubAddress } from "../sync/hub-transport.ts";
import { type KeyRing, parseRing, ringFile } from "../sync/key-ring.ts";
import { createLiveChannel } from "../sync/live-channel.ts";
import { createLiveConnect } from "../sync/live-socket.ts";
import { countOf } from "../sync/push.ts";
import { identify } from "../sync/run.ts";

interface SyncDeps {
  db: Sqlite;
  store: Store;
  settings: LoadedSettings;
  clock: Clock;
  warn(sentence: string): void;
  publish(event: StreamEvent): void;
  projectsChanged(): void;
  /** Moves records of renamed projects, in the background. */
  relabel(): void;
}

export interface DeviceSync {
  ports: SyncPorts;
  start(): void;
  /** What the device knows without asking the hub; undefined when sync is not set up. */
  health(): SyncHealth | undefined;
  /** A record changed, or a session did something. */
  active(): void;
  /** This device's id; a new or copied data directory takes one. */
  deviceId(): Promise<string>;
  /** Before the context of a session start: what other devices wrote, for at most 1.5 s. */
  beforeStart(): Promise<void>;
  close(): Promise<void>;
}

// A start takes at most 1.5 s with a hub that is silent: 0.25 s is for the context itself, which takes 0.1 s.
const startDeadlineMs = 1_250;
// The client waits 5 s for the whole answer.
const nowDeadlineMs = 4_000;
const shownFailures = 100;

export function createDeviceSync(deps: SyncDeps): DeviceSync {
  const { db, store, settings } = deps;
  const records = createSyncRecords(db, { ...store, clean: cleanText });
  const running = createRunning(deps, records, configuredHub(settings));
  const engine = running?.engine;
  let started: Promise<unknown> | undefined;
  return {
    ports: portsOf(deps, records, running),
    start() {
      if (engine === undefined) return;
      started = failOpen("note when sync was set up", () => records.noteLaunch(deps.clock.now()));
      engine.start();
    },
    health() {
      if (engine === undefined) return undefined;
      const { state, reason, live, pending, lastError } = engine.status();
      return { state, reason, live, waiting: countOf(pending), failed: records.failed().length, lastError };
    },
    active: () => engine?.written(),
    deviceId: async () =>
      (await identify({ store: records, nonce: placeName(settings.dataDir, db.name) })).id,
    async beforeStart() {
      await engine?.pullNow({ deadlineMs: startDeadlineMs });
    },
    async close() {
      await started;
      await engine?.close();
    },
  };
}

interface ConfiguredHub {
  access: HubAccess;
  /** A sentence when the setting is not the address of a hub. */
  address: HubAddress | string;
  ring: KeyRing;
  isLive: boolean;
}

/** Undefined while token, user id or address is empty. */
function configuredHub(settings: LoadedSettings): ConfiguredHub | undefined {
  const [token, userId] = [settings.get("MEM_CLOUD_SYNC_TOKEN"), settings.get("MEM_CLOUD_SYNC_USER_ID")];
  const url = settings.get("MEM_CLOUD_SYNC_HUB_URL");
  if (token.reveal() === "" || userId.reveal() === "" || url === "") return undefined;
  const deviceName = settings.get("MEM_CLOUD_SYNC_DEVICE_NAME") || hostname().slice(0, 80);
  return {
    access: { token: token.reveal(), userId: userId.reveal(), deviceName },
    // `mem sync setup` stores a plain one only when the user asks for it.
    address: parseHubAddress(url, { allowHttp: true }),
    ring: readRing(settings.dataDir),
    isLive: settings.get("MEM_CLOUD_SYNC_WS"),
  };
}

function readRing(dataDir: string): KeyRing {
  const file = join(dataDir, ringFile);
  const text = failOpenSync("read the account keys", () => unlessMissing(() => readFileSync(file, "utf8")));
  const ring = text === undefined ? undefined : parseRing(text);
  return ring ?? { mode: "unset" };
}

interface Running {
  hub: ConfiguredHub;
  client: HubClient;
  engine: SyncEngine;
}

function createRunning(
  deps: SyncDeps,
  records: SyncRecords,
  hub: ConfiguredHub | undefined,
): Running | undefined {
  if (hub === undefined) return undefined;
  const { address, access, ring, isLive } = hub;
  const { db, clock, store, settings, warn } = deps;
  if (typeof address === "string") {
    warn(`Sync is off: ${address}`);
    return undefined;
  }
  const connect = createLiveConnect(address, access);
  const client = createHubClient(createHubTransport({ address, timers: systemTimers }), access);
  const engine = createSyncEngine({
    store: records,
    client,
    ring,
    nonce: placeName(settings.dataDir, db.name),
    clock,
    createLive: isLive ? (hooks) => createLiveChannel({ ...hooks, connect }) : null,
    isSessionActive: () => store.sessions.countActive() > 0,
    onApplied: (applied) => tell(deps, applied),
    onChange: () => undefined,
    onFailure: (cause) => warn(`Sync failed: ${cause instanceof Error ? cause.message : String(cause)}`),
  });
  return { hub, client, engine };
}

/**
 * Names the machine, the data directory and the database file: a copy elsewhere has another name. So has a backup that was
 * restored, whose new rows would have the numbers of rows that were pushed after it.
 */
function placeName(dataDir: string, database: string): string {
  const readId = () => unlessMissing(() => readFileSync("/etc/machine-id", "utf8"));
  const machine = failOpenSync("read the machine's id", readId)?.trim() ?? "";
  // Neither the host's name nor the number of its disk: one changes with the network, the other at a restart.
  const places = [dataDir, database].map((path) => String(statSync(path).ino));
  return contentKey(machine, dataDir, ...places).slice(0, 32);
}

/** Tells the viewer what other devices changed. */
function tell({ store, publish, projectsChanged, relabel }: SyncDeps, applied: Applied): void {
  const { changed, deleted, isRemapped } = applied;
  if (isRemapped) relabel();
  const told = changed.length > mostTold ? [] : changed;
  for (const { kind, id, isNew } of told)
    for (const event of eventsOf(store, kind, id, isNew)) publish(event);
  for (const { kind, id, project } of deleted) publish({ type: "record_deleted", kind, id, project });
  if (changed.some(({ isNew }) => isNew)) projectsChanged();
}

// A first sync: open pages read again.
const mostTold = 200;

function eventsOf(store: Store, kind: string, id: number, isNew: boolean): StreamEvent[] {
  if (kind === "observation") {
    const observation = store.observations.byId(id);
    if (observation === undefined) return [];
    return isNew ? createdEvents(observation) : [{ type: "observation_changed", observation }];
  }
  if (kind === "summary") {
    const summary = store.summaries.byId(id);
    return summary === undefined ? [] : [{ type: isNew ? "summary_created" : "summary_changed", summary }];
  }
  const prompt = kind === "prompt" ? store.prompts.byId(id) : undefined;
  return prompt === undefined ? [] : [{ type: isNew ? "new_prompt" : "prompt_changed", ...prompt }];
}

function portsOf({ clock }: SyncDeps, records: SyncRecords, running: Running | undefined): SyncPorts {
  const demand = (): SyncEngine => {
    if (running === undefined) throw notSetUp();
    return running.engine;
  };
  return {
    status: async () =>
      running === undefined ? { configured: false } : await statusOf(running, records, clock),
    devices: () => devicesOf(records, running?.client),
    pause: () => demand().pause(),
    resume: () => demand().resume(),
    async now() {
      const engine = demand();
      await records.retryFailed();
      await engine.syncNow({ deadlineMs: nowDeadlineMs });
    },
    async includeEarlier() {
      const engine = demand();
      await records.includeEarlier();
      engine.written();
    },
    async setProject(project, synced) {
      if (project === undefined) await records.projects.setDefault(synced);
      else await records.projects.set(project, synced);
      running?.engine.written();
    },
  };
}

async function devicesOf(records: SyncRecords, client: HubClient | undefined): Promise<SyncDevicesAnswer> {
  if (client === undefined) return { configured: false, error: null, device_limit: null, items: [] };
  const { device_id } = records.state();
  try {
    const { device_limit, devices } = await client.devices(AbortSignal.timeout(nowDeadlineMs));
    const items = devices.map(({ first_push_at, last_push_at, ...device }) => ({
      ...device,
      this_device: device.id === device_id,
      first_push_at_epoch: first_push_at,
      last_push_at_epoch: last_push_at,
    }));
    return { configured: true, error: null, device_limit, items };
  } catch (cause) {
    return { configured: true, error: failureMessage(cause), device_limit: null, items: [] };
  }
}

function notSetUp(): MemError {
  return new MemError("not_set_up", {
    message: "Sync needs a hub, a user id and a token.",
    hint: "Run `mem sync setup`.",
  });
}

async function statusOf({ hub, engine }: Running, records: SyncRecords, clock: Clock): Promise<SyncAnswer> {
  const probe = await engine.probe();
  const { state, reason, lastError, lastFlushAt, pending, progress, live, device_id, epoch, cursor } =
    engine.status();
  const found = probe.reachable ? probe.hub : undefined;
  return {
    configured: true,
    state,
    reason,
    account: hub.access.userId,
    deviceId: device_id,
    deviceName: hub.access.deviceName,
    encrypted: hub.ring.mode === "sealed",
    live,
    pending: { ...pending, total: countOf(pending) },
    lastFlushAt,
    lastError,
    progress,
    projects: records.projects
      .list()
      .map(({ project, synced }) => ({ project, synced: synced === null ? null : synced === 1 })),
    otherProjects: records.projects.isDefault(),
    earlierStaysSince: records.boundary(),
    failed: records.failed().slice(0, shownFailures),
    hub: {
      checkedAt: clock.now(),
      reachable: probe.reachable,
      error: probe.reachable ? null : probe.error,
      epoch: found?.epoch ?? epoch,
      headSeq: found?.head_seq ?? null,
      cursor,
      deviceCount: found?.device_count ?? null,
    },
  };
}
