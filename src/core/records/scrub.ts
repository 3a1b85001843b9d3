// Applying the redaction of today to what was stored before.

/** The texts of a stored row. */
export type ScrubRow = Record<string, string | number | null> & { scrub_key: number };

/** A run: counts, no content. */
export interface ScrubReceipt {
  id: number;
  at_epoch: number;
  /** The table and the row that it read last; null when it has read everything. */
  position: { place: number; after: number } | null;
  rows_read: number;
  /** Changed rows by table. */
  changed: Record<string, number>;
  /** When no table, full text or log had a former text any more. */
  ended_at_epoch: number | null;
  /** When the database file was written again without bytes of these. */
  erased_at_epoch: number | null;
}
