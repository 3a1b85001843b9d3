// Records of a device that the team's server keeps too, each under its origin: device, kind and the device's own id.

/** Kinds that are shared: prompts and sessions stay with their user. */
export const sharedKinds = ["observation", "summary"] as const;
export type SharedKind = (typeof sharedKinds)[number];

export const sharedLimits = {
  /** Records of one request. */
  records: 100,
  /** Bytes of one request's JSON; the server takes 5 MiB. */
  bytes: 2 * 1024 * 1024,
} as const;

/** Name of a record among all devices. */
export interface Origin {
  device: string;
  kind: SharedKind;
  id: string;
}

/**
 * - `stored`: the record is new or was replaced.
 * - `unchanged`: this revision, or a newer one, is stored already.
 * - `withdrawn`: the device deleted it, and it is gone.
 * - `deleted`: the team deleted it; no revision brings it back.
 */
export const sharedOutcomes = ["stored", "unchanged", "withdrawn", "deleted"] as const;
export type SharedOutcome = (typeof sharedOutcomes)[number];

export interface SharedResult {
  outcome: SharedOutcome;
  /** Id of the server's record; null without one. */
  memory_id: string | null;
  /** The newest revision that the server has seen. */
  revision: number;
}
