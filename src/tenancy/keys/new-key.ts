// Creates keys: a child with at most its parent's rights, and the first key on the server's host.
import { MemError } from "../../core/errors.ts";
import { newId } from "../../core/ids.ts";
import { type ApiKey, isWithin, type NewKey, type Reach } from "../../core/records/api-key.ts";
import { hashKey, makeKey, shownParts } from "./key-format.ts";

/** A key to store, and its secret, which is shown once. */
export interface MadeKey extends NewKey {
  apiKey: string;
}

export interface KeyWish {
  label: string;
  expiresInDays: number;
}

const dayMs = 86_400_000;

/**
 * A read key with its parent's reach that expires with the parent at the latest. Throws `insufficient_scope` for a parent
 * that may not read.
 */
export function childOf(parent: ApiKey, wish: KeyWish, now: number): MadeKey {
  const made = freshKey(
    { team_id: parent.team_id, project_id: parent.project_id, scopes: ["memories:read"] },
    { ...wish, now },
  );
  if (!isWithin(made, parent)) {
    throw new MemError("insufficient_scope", {
      message: "A key without memories:read cannot create one that has it.",
      hint: "Use a key with both scopes, memories:read and memories:write.",
    });
  }
  return {
    ...made,
    parent_id: parent.id,
    expires_at_epoch: Math.min(made.expires_at_epoch, parent.expires_at_epoch),
  };
}

/** A key without a parent. */
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
