// Signals between the worker's parts, and who hears of what.
import type { EventEmitter } from "node:events";
import type { Made } from "../core/records/drafts.ts";
import type { StreamEvent } from "../core/records/events.ts";
import { createdEvents } from "../core/records/manual-observation.ts";
import type { StreamHub } from "../http/api/stream.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { buildFolders } from "./folder-context.ts";
import type { buildFreshness } from "./freshness.ts";
import type { createGeneration } from "./generation.ts";
import type { createStatus, createStatusLine } from "./status.ts";
import type { DeviceSync } from "./sync.ts";
import type { TeamSharing } from "./team.ts";
import type { createVectorSearch } from "./vectors.ts";

/** Signals between parts. A part that emits one does not know who listens; `connectSignals` does. */
export interface Signals {
  labelsChanged: [];
  /** Messages were queued, moved or finished, or the provider paused. */
  queueChanged: [];
  /** Generation wrote records. */
  made: [made: Made];
  /** A record was stored or changed outside generation. */
  record: [event: StreamEvent];
}

interface Parts
  extends Pick<ReturnType<typeof buildFreshness>, "blobHashes">,
    Pick<ReturnType<typeof buildFolders>, "touched"> {
  signals: EventEmitter<Signals>;
  store: Store;
  status: ReturnType<typeof createStatus>;
  stream: StreamHub;
  statusLine: ReturnType<typeof createStatusLine>;
  vectors: ReturnType<typeof createVectorSearch>;
  generation: ReturnType<typeof createGeneration>;
  sync: DeviceSync;
  team: TeamSharing;
}

/** Who hears of what. */
export function connectSignals({ signals, generation: { scheduler }, ...parts }: Parts): void {
  const { store, status, stream, statusLine, blobHashes, vectors, touched, sync, team } = parts;
  signals.on("labelsChanged", () => {
    stream.publish({ type: "initial_load", projects: store.projects.labels(), ...status.processing() });
  });
  signals.on("queueChanged", () => {
    statusLine.changed();
    sync.active();
  });
  signals.on("made", ({ observations, changed = [], summaries, deleted = [] }) => {
    blobHashes.add(observations);
    for (const { project } of observations) touched(project);
    vectors.notify(observations.map(({ id }) => id));
    for (const event of observations.flatMap(createdEvents)) stream.publish(event);
    for (const observation of changed) {
      touched(observation.project);
      stream.publish({ type: "observation_changed", observation });
    }
    for (const summary of summaries) stream.publish({ type: "summary_created", summary });
    for (const record of deleted) stream.publish({ type: "record_deleted", ...record });
    statusLine.changed();
    sync.active();
    team.active();
  });
  signals.on("record", (event) => {
    stream.publish(event);
    sync.active();
    team.active();
    if (event.type === "observation_changed") touched(event.observation.project);
    if (event.type === "summary_changed") touched(event.summary.project);
    if (event.type === "record_deleted" || event.type === "record_restored") touched(event.project);
    if (event.type === "observation_created") {
      touched(event.observation.project);
      // Another device has other files.
      if (event.observation.origin_device_id === null) blobHashes.add([event.observation]);
      vectors.notify([event.observation.id]);
    }
    // No more messages will come, so its batch need not wait for company.
    if (event.type === "session_completed") scheduler.notify(event.sessionDbId);
  });
}
