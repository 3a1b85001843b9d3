// Audit rows of reads: those that come at about the same time are committed together, and each reader waits for his own.
import { newId } from "../../core/ids.ts";
import type { AuditRow } from "./audit.ts";
import type { Queryable } from "./open.ts";

export interface AuditWriter {
  /** Resolves when the row is committed, or was given up and counted: a read does not fail for it. Never rejects. */
  write(row: AuditRow): Promise<void>;
  /** How many rows were given up. */
  failures(): number;
  /** Resolves when everything that was handed over is written or given up. */
  settled(): Promise<void>;
}

interface AuditWriterDeps {
  /** As `mem_system`: a group holds rows of many teams. */
  system: Queryable;
  /** Hears of a group that could not be written. */
  onFailure(cause: unknown, rows: number): void;
}

// Between the beginnings of two groups: under load one commit serves all reads of that time, alone nobody waits.
const groupMs = 5;
// A locked table must not hold up reads.
const longestWaitMs = 500;
// What may wait for a database that does not answer.
const maxWaiting = 10_000;

interface Waiting {
  row: AuditRow & { id: string };
  done(): void;
}

/** One group at a time is on its way. */
export function createAuditWriter({ system, onFailure }: AuditWriterDeps): AuditWriter {
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let failures = 0;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const next = pause(groupMs);
      const group = waiting;
      waiting = [];
      await writeGroup(group);
      if (waiting.length > 0) await next;
    }
    writing = undefined;
  }

  async function writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      await system.query({
        name: "write-audit",
        text: insertText,
        values: [JSON.stringify(group.map(({ row }) => row))],
      });
    } catch (cause) {
      failures += group.length;
      onFailure(cause, group.length);
    } finally {
      for (const { done } of group) done();
    }
  }

  return {
    write(row) {
      if (waiting.length >= maxWaiting) {
        failures += 1;
        return Promise.resolve();
      }
      const written = new Promise<void>((done) => {
        waiting.push({ row: { ...row, id: newId() }, done });
      });
      writing ??= writeAll();
      return atMost(longestWaitMs, written);
    },
    failures: () => failures,
    async settled() {
      await writing;
    },
  };
}

const insertText = `insert into audit_log
    (id, team_id, project_id, api_key_id, action, resource_type, resource_id, details, request_id)
  select id, team_id, project_id, api_key_id, action, resource_type, resource_id, details, request_id
  from jsonb_to_recordset($1::jsonb) as a (
    id uuid, team_id uuid, project_id uuid, api_key_id uuid, action text, resource_type text, resource_id text,
    details jsonb, request_id text)`;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
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
