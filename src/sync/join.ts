// Joins an account: reads which keys its log announces, and makes the ring of this device.
import { hostname } from "node:os";
import { systemTimers } from "../core/clock.ts";
import { type ErrorCode, MemError } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import { keyOfPhrase, passphraseProblem, recoveryPhrase, type WrappedKey } from "./account-key.ts";
import { HubFailure, type HubFailureKind } from "./failure.ts";
import { createHubClient, type HubAccess, type HubClient } from "./hub-client.ts";
import { createHubTransport, parseHubAddress } from "./hub-transport.ts";
import {
  createRing,
  joinRing,
  joinRingByKey,
  type KeyRing,
  newerNotice,
  newestKey,
  rewrapRing,
  rotateRing,
  type SealedRing,
} from "./key-ring.ts";
import { readChange } from "./ops.ts";

/** `new`: no device has announced a key, so this one decides. */
export type AccountState = { is: "new" } | { is: "plain" } | { is: "sealed"; notices: readonly WrappedKey[] };

/** Reads the log of the account; changes nothing on the hub. Throws `HubFailure`. */
async function readAccount(client: Pick<HubClient, "changes">, signal: AbortSignal): Promise<AccountState> {
  const device = { id: newId(), nonce: newId() };
  const notices: WrappedKey[] = [];
  let isPlain = false;
  for (let since = "0", more = true; more; ) {
    const page = await client.changes({ device, since }, signal);
    for (const { body, seq } of page.ops) {
      const change = readChange(body, seq, { mode: "plain" });
      if (change.is !== "notice") continue;
      if (change.notice.mode === "plain") isPlain = true;
      else notices.push(change.notice);
    }
    since = page.ops.at(-1)?.seq ?? since;
    more = page.more;
  }
  if (notices.length > 0) return { is: "sealed", notices };
  return isPlain ? { is: "plain" } : { is: "new" };
}

/** Asks the hub for the state of an account. Throws `usage` for an address that is none, else why the hub does not answer. */
export async function lookAtAccount(
  url: string,
  access: Pick<HubAccess, "token" | "userId">,
  { allowHttp }: { allowHttp: boolean },
): Promise<AccountState> {
  const address = parseHubAddress(url, { allowHttp });
  if (typeof address === "string")
    throw new MemError("usage", { message: address, hint: "Nothing was changed." });
  const transport = createHubTransport({ address, timers: systemTimers });
  const client = createHubClient(transport, { ...access, deviceName: hostname() });
  try {
    return await readAccount(client, new AbortController().signal);
  } catch (cause) {
    if (!(cause instanceof HubFailure)) throw cause;
    const { kind } = cause.failure;
    const hint = `Nothing was changed. ${remedies[kind] ?? "Try again when the hub answers."}`;
    throw new MemError(errorOf[kind] ?? "hub_unreachable", { message: cause.message, hint, cause });
  } finally {
    await client.close();
  }
}

const errorOf: Partial<Record<HubFailureKind["kind"], ErrorCode>> = {
  unauthorized: "hub_refused",
  wrong_account: "account_mismatch",
  device_limit: "device_limit_exceeded",
};

// On the hub's host.
const remedies: Partial<Record<HubFailureKind["kind"], string>> = {
  unauthorized: "Make a token on the hub: `mem hub account token <account>`.",
  wrong_account: "See the id of the account on the hub: `mem hub account list`.",
  bad_answer: "Check the address of the hub.",
};

/** What a user gives to open an account, or to make one. */
export interface Secrets {
  passphrase?: string | undefined;
  /** 24 words. */
  recovery?: string | undefined;
}

export interface Joined {
  ring: KeyRing;
  /** Of a new account key, to be shown once. */
  phrase: string | null;
}

/** A new sealed account. Throws `usage` for a weak passphrase. */
export async function makeAccount({ passphrase = "" }: Secrets): Promise<Joined> {
  demandStrong(passphrase);
  const ring = await createRing(passphrase);
  return { ring, phrase: recoveryPhrase(newestKey(ring).key) };
}

/** The ring of an account that other devices use. Throws `passphrase_wrong`; nothing is changed then. */
export async function joinAccount(
  notices: readonly WrappedKey[],
  { passphrase, recovery }: Secrets,
): Promise<Joined> {
  const isPhrase = recovery !== undefined;
  const ring = isPhrase ? byPhrase(notices, recovery) : await joinRing(notices, passphrase ?? "");
  if (ring !== undefined && newerNotice(ring, notices) !== undefined) {
    throw new MemError("passphrase_wrong", {
      message: `The account has a newer key than this ${isPhrase ? "recovery phrase" : "passphrase"} opens.`,
      hint: "Nothing was changed. Use the one from after the last `mem sync rotate`.",
    });
  }
  if (ring === undefined) {
    throw new MemError("passphrase_wrong", {
      ...(isPhrase ? { message: "This recovery phrase belongs to another account." } : {}),
    });
  }
  return { ring, phrase: null };
}

/** The ring with a new passphrase for its newest key. Throws `usage` for a weak one. */
export async function withPassphrase(ring: SealedRing, passphrase: string): Promise<Changed> {
  demandStrong(passphrase);
  return { ring: await rewrapRing(ring, passphrase), phrase: null };
}

/** The ring with a new key and its passphrase. Throws `usage` for a weak one. */
export async function withNewKey(ring: SealedRing, passphrase: string): Promise<Changed> {
  demandStrong(passphrase);
  const rotated = await rotateRing(ring, passphrase);
  return { ring: rotated, phrase: recoveryPhrase(newestKey(rotated).key) };
}

interface Changed {
  ring: SealedRing;
  /** Of a new key, to be shown once. */
  phrase: string | null;
}

/** Throws `usage` without a confirmation: a hub that says an account is not encrypted may want to read what this device pushes. */
export function demandPlain(isWanted: boolean): void {
  if (isWanted) return;
  throw new MemError("usage", {
    message: "The hub says that this account is not encrypted: it could read your records.",
    hint: "Nothing was changed. Join with `--plain`, if you made the account so.",
  });
}

/** Throws `usage` when another device has made a newer key. */
export function demandNewest(ring: SealedRing, account: AccountState): void {
  if (account.is !== "sealed" || newerNotice(ring, account.notices) === undefined) return;
  throw new MemError("usage", {
    message: "Another device has made a new key for the account.",
    hint: "Nothing was changed. Enter its passphrase first: `mem sync setup`.",
  });
}

function demandStrong(passphrase: string): void {
  const problem = passphraseProblem(passphrase);
  if (problem !== undefined) throw new MemError("usage", { message: problem, hint: "Choose a longer one." });
}

function byPhrase(notices: readonly WrappedKey[], text: string): SealedRing | undefined {
  const key = keyOfPhrase(text);
  if (typeof key === "string") throw new MemError("usage", { message: key, hint: "Nothing was changed." });
  return joinRingByKey(notices, key);
}
