// What the device exchanges with the store about records that go to the team's server.
import type { JsonObject } from "../../text/json.ts";
import type { SharedKind, SharedResult } from "./shared-record.ts";

/** A revision of a record, or its deletion, as it is sent. */
export interface TeamRecord {
  kind: SharedKind;
  record_id: number;
  /** Counts the changes of the record. */
  revision: number;
  /** The device that the server knows it by. */
  device: string;
  /** Fields of the record as the server takes them; null when it is deleted there. */
  content: JsonObject | null;
  /** Deleted there, since it moved to another project of the team, where it is sent next. */
  moves: boolean;
}

/** Records that go to one project of the team. */
export interface TeamBatch {
  team_project: string;
  records: readonly TeamRecord[];
}

/** What the server answered for a record. */
export interface TeamOutcome {
  record: TeamRecord;
  result: SharedResult;
}

/** A project whose accepted records go to the team. */
export interface TeamProject {
  project: string;
  team_project: string;
  /** Older records stay on this device; 0 for none. */
  since_epoch: number;
  /** Why the server takes nothing for it; null while it does. */
  problem: string | null;
}

/** A record that the server refused. */
export interface RefusedRecord {
  kind: SharedKind;
  record_id: number;
  reason: string;
}

export interface TeamCounts {
  /** Changes to send. */
  waiting: number;
  /** Records that the team has from this device. */
  shared: number;
  /** Records that the team deleted. */
  deleted_by_team: number;
}
