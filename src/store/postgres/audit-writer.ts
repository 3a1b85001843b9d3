// Audit rows of reads, committed in groups; each reader waits for its own row.

import { setTimeout as delay } from "node:timers/promises";
import { newId } from "../../core/ids.ts";
import type { AuditRow } from "../../core/records/audit.ts";
import { insertAudits } from "./audit.ts";
import type { Queryable } from "./open.ts";

export type AuditWriter = ReturnType<typeof createAuditWriter>;

interface AuditWriterDeps {
  /** As `mem_system`: a group has rows of many teams. */
  system: Queryable;
  onFailure(cause: unknown, rows: number): void;
}

// Between the starts of two groups: under load one commit serves all reads of that time; a single read does not wait.
const groupMs = 5;
// A locked table must not block reads.
const maxWaitMs = 500;
// Rows that may wait for a database that does not answer.
const maxWaiting = 10_000;

interface Waiting {
  row: AuditRow & { id: string };
  done(): void;
}

/** Writes one group at a time. */
export function createAuditWriter({ system, onFailure }: AuditWriterDeps) {
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let failures = 0;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const nextGroup = delay(groupMs);
      const group = waiting;
      waiting = [];
      await writeGroup(group);
      if (waiting.length > 0) await nextGroup;
    }
    writing = undefined;
  }

  async function writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      await insertAudits(
        system,
        group.map(({ row }) => row),
      );
    } catch (cause) {
      failures += group.length;
      onFailure(cause, group.length);
    } finally {
      for (const { done } of group) done();
    }
  }

  return {
    /** Resolves when the row is committed, or lost and counted: a read does not fail for it. Never rejects. */
    write(row: AuditRow) {
      if (waiting.length >= maxWaiting) {
        failures += 1;
        return Promise.resolve();
      }
      const written = new Promise<void>((done) => {
        waiting.push({ row: { ...row, id: newId() }, done });
      });
      writing ??= writeAll();
      return atMost(maxWaitMs, written);
    },
    /** Lost rows. */
    failures: () => failures,
    /** Resolves when every row is written or lost. */
    async settled() {
      await writing;
    },
  };
}

function atMost(ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
