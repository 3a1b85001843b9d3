// What remains of deleted records: their keys, so that none of them is generated or delivered again.
import { contentKey } from "../../core/ids.ts";
import {
  deletedDeliveryKey,
  deletedPromptKey,
  deletedTextKey,
  isHashedKey,
  storedDeliveryKey,
} from "../../core/prompt-key.ts";
import type { DraftObservation } from "../../core/records/drafts.ts";
import type { Sqlite } from "./open.ts";
import type { Replaceable } from "./shared-sources.ts";
import { createSql } from "./sql.ts";
import type { Row } from "./trash.ts";

type TombstoneKind = "observation" | "summary" | "prompt";

interface Deleted {
  kind: TombstoneKind;
  row: Row;
  /** Raw events that it was made from. */
  sources?: readonly number[];
  now: number;
}

interface DeletedObservation {
  record_id: number;
  sources: string;
  title_key: string | null;
  is_statement: 0 | 1;
}

export function createTombstones(db: Sqlite) {
  const sql = createSql(db);
  const add = sql.run<[Row]>(
    `insert into tombstones (kind, record_id, sdk_session_id, deleted_at_epoch, generation_key, sources, title_key,
       is_statement, origin_device_id, origin_local_id, revision, delivery_key, asked_at_epoch)
     values (@kind, @id, @sdk_session_id, @now, @generation_key, @sources, @title_key,
       @is_statement, @origin_device_id, @origin_local_id, @revision, @delivery_key, @asked_at_epoch)`,
  );
  const ofSession = sql.all<[sdkSessionId: string], DeletedObservation>(
    `select record_id, sources, title_key, is_statement
     from tombstones
     where sdk_session_id = ? and kind = 'observation' and sources <> '[]'`,
  );
  const editedStatement = sql.value<[sdkSessionId: string, source: number], number>(
    `select 1
     from tombstones t
     where t.sdk_session_id = ? and t.kind = 'observation' and t.is_statement = 1 and t.title_key is null
       and exists (select 1 from json_each(t.sources) s where s.value = ?)`,
  );
  const withKey = sql.value<[kind: TombstoneKind, generationKey: string], number>(
    "select 1 from tombstones where kind = ? and generation_key = ?",
  );
  return {
    add({ kind, row, sources = [], now }: Deleted): void {
      const { id, sdk_session_id, origin_device_id, origin_local_id, revision } = row;
      add({
        ...{ kind, id, sdk_session_id, origin_device_id, origin_local_id, revision, now },
        ...(kind === "prompt" ? keysOfPrompt(row) : keysOfRecord(row)),
        sources: JSON.stringify(sources),
        // The title of an edited one is not that of a draft.
        title_key: typeof row.title === "string" && row.generator !== "manual" ? contentKey(row.title) : null,
        is_statement: typeof row.said_by === "string" ? 1 : 0,
      } as Row);
    },
    drop: sql.run<[kind: TombstoneKind, id: number]>(
      "delete from tombstones where kind = ? and record_id = ?",
    ),
    hasKey: (kind: TombstoneKind, generationKey: string) => withKey(kind, generationKey) !== undefined,
    /** Whether a statement from this raw event was edited before it was deleted. */
    hasEditedStatement: (sdkSessionId: string, source: number) =>
      editedStatement(sdkSessionId, source) !== undefined,
    /** Deleted observations of the session, as what the drafts may not replace: such a draft is left out. */
    replaceable: (sdkSessionId: string, drafts: readonly Pick<DraftObservation, "title">[]): Replaceable[] =>
      ofSession(sdkSessionId).map((one) => ({
        id: -one.record_id,
        sources: JSON.parse(one.sources) as number[],
        title: drafts.find(({ title }) => contentKey(title) === one.title_key)?.title ?? "",
        isStatement: one.is_statement === 1,
        isKept: one.is_statement === 1,
        isFixed: true,
      })),
  };
}

/** What remains of deleted sessions: a hash of the host's id, and when each was deleted last. */
export function createDeletedSessions(db: Sqlite) {
  const sql = createSql(db);
  const add = sql.run<[key: string, now: number]>(
    `insert into deleted_sessions (session_key, deleted_at_epoch)
     values (?, ?)
     on conflict (session_key) do update set deleted_at_epoch = max(deleted_at_epoch, excluded.deleted_at_epoch)`,
  );
  const drop = sql.run<[key: string]>("delete from deleted_sessions where session_key = ?");
  const since = sql.value<[key: string, at: number], number>(
    "select 1 from deleted_sessions where session_key = ? and deleted_at_epoch >= ?",
  );
  const keyOf = (claudeSessionId: string) => contentKey("session", claudeSessionId);
  return {
    add: (claudeSessionId: string, now: number) => add(keyOf(claudeSessionId), now),
    drop: (claudeSessionId: string) => drop(keyOf(claudeSessionId)),
    /** Whether the host's session was deleted at this time or later. */
    has: (claudeSessionId: string, at: number) => since(keyOf(claudeSessionId), at) !== undefined,
  };
}

type Keys = Record<"generation_key" | "delivery_key", string | null> & { asked_at_epoch: number | null };

/** The key of a record in an export, without its session. */
function keysOfRecord({ generation_key, id, created_at_epoch }: Row): Keys {
  const key = typeof generation_key === "string" ? generation_key : `#${id}@${created_at_epoch}`;
  return { generation_key: key, delivery_key: null, asked_at_epoch: null };
}

function keysOfPrompt({ claude_session_id, prompt_text, created_at_epoch, ...row }: Row): Keys {
  const isPrivate = row.private === 1 ? 1 : 0;
  const event_key = String(row.event_key);
  const claude = String(claude_session_id);
  const delivery = storedDeliveryKey({ event_key, prompt_text: String(prompt_text), private: isPrivate });
  const imported = isHashedKey(event_key) ? deletedTextKey(claude, delivery) : deletedDeliveryKey(delivery);
  return {
    generation_key: deletedPromptKey(claude, delivery),
    // A private prompt is recorded again, so that what follows it is private.
    delivery_key: isPrivate === 1 ? null : imported,
    asked_at_epoch: Number(created_at_epoch),
  };
}
