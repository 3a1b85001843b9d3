// Who may make which key: a child within its parent, and the first one on the server's host.

import { MemError } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { type ApiKey, isWithin, type Reach } from "../../core/records/api-key.ts";
import { hashKey, makeKey, shownParts } from "./key-format.ts";

/** A key that is about to be stored, and its text, which is shown once. */
export interface MadeKey extends Reach {
  apiKey: string;
  id: string;
  parent_id: string | null;
  key_hash: Buffer;
  prefix: string;
  last_four: string;
  label: string;
  expires_at_epoch: number;
}

export interface KeyWish {
  label: string;
  expiresInDays: number;
}

const dayMs = 86_400_000;

/**
 * A key that reads what its parent reads and ends with it at the latest, however long is asked for. Throws
 * `insufficient_scope` for a parent that does not read itself: its child would reach further.
 */
export function childOf(parent: ApiKey, wish: KeyWish, now: number): MadeKey {
  const made = freshKey(
    { team_id: parent.team_id, project_id: parent.project_id, scopes: ["memories:read"] },
    { ...wish, now },
  );
  if (!isWithin(made, parent)) {
    throw new MemError("insufficient_scope", {
      message: "A key that does not read cannot make one that does.",
      hint: "Use a key with both scopes, memories:read and memories:write.",
    });
  }
  return {
    ...made,
    parent_id: parent.id,
    expires_at_epoch: Math.min(made.expires_at_epoch, parent.expires_at_epoch),
  };
}

/** A key of that reach, for whoever has the database itself. */
export function freshKey(reach: Reach, { label, expiresInDays, now }: KeyWish & { now: number }): MadeKey {
  const apiKey = makeKey();
  return {
    ...reach,
    apiKey,
    id: newId(),
    parent_id: null,
    key_hash: hashKey(apiKey),
    ...shownParts(apiKey),
    label,
    expires_at_epoch: now + expiresInDays * dayMs,
  };
}
