// `mem hub account` on the hub's host. Access to the database is the permission.
import { existsSync } from "node:fs";
import type { Clock } from "../../core/clock.ts";
import { makePrivateDirectory } from "../../core/directory.ts";
import { MemError } from "../../core/errors.ts";
import { newEpoch, newId } from "../../core/ids.ts";
import type { HubAccount, HubDevice, HubToken } from "../../core/records/hub.ts";
import { version } from "../../core/version.ts";
import type { HubStore } from "../../hub/store.ts";
import { hashToken, makeToken, shownParts } from "../../hub/token.ts";
import { cleanText } from "../../privacy/clean.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import type { ServerSettings } from "../../settings/server.ts";
import { openHubStore } from "../../store/sqlite/hub/hub-store.ts";
import { storableText } from "../../text/storable.ts";

export interface HubPlace {
  settings: LoadedSettings;
  server: ServerSettings;
  clock: Clock;
  /** True for the hub of `mem server`; false for the one of `mem hub` in the data directory. */
  onServer: boolean;
}

/** A new token with what a device needs beside it; the token is shown only this once. */
export interface MadeToken {
  /** Id of the account. */
  id: string;
  name: string;
  tokenId: string;
  token: string;
}

/** Creates an account and its first token. Throws `usage` and `conflict`. */
export function createAccountNow(place: HubPlace, text: string): Promise<MadeToken> {
  const name = parseName(text);
  return withStore(place, { creates: true }, async (store) => {
    const id = newId();
    if (!(await store.createAccount({ id, name, epoch: newEpoch(), now: place.clock.now() }))) {
      throw new MemError("conflict", {
        message: `An account named \`${name}\` exists.`,
        hint: `Add a token to it: \`mem hub account token ${name}\`.`,
      });
    }
    return addToken(place, store, { id, name });
  });
}

/** Adds a token. Throws `not_found`. */
export function addTokenNow(place: HubPlace, account: string): Promise<MadeToken> {
  return withAccount(place, account, (store, found) => addToken(place, store, found));
}

export interface ListedAccount extends HubAccount {
  tokens: HubToken[];
}

/** Every account with its tokens. Throws `not_found` where no hub has run. */
export function listAccountsNow(place: HubPlace): Promise<ListedAccount[]> {
  return withStore(place, {}, async (store) => {
    const listed: ListedAccount[] = [];
    for (const account of await store.accounts()) {
      listed.push({ ...account, tokens: await store.tokens(account.id) });
    }
    return listed;
  });
}

/** Devices of an account. */
export function listDevicesNow(place: HubPlace, account: string): Promise<HubDevice[]> {
  return withAccount(place, account, async (store, { id }) => (await store.devices(id))?.devices ?? []);
}

/** Removes a device from the account's list; what it pushed stays. Throws `not_found`. */
export function removeDeviceNow(place: HubPlace, account: string, device: string): Promise<void> {
  return withAccount(place, account, async (store, { id, name }) => {
    if (await store.removeDevice(id, device)) return;
    throw new MemError("not_found", {
      message: `The account ${name} has no device \`${device}\`.`,
      hint: `List its devices: \`mem hub account devices ${name}\`.`,
    });
  });
}

/** False when it was revoked before. Throws `not_found`. */
export function revokeTokenNow(place: HubPlace, id: string): Promise<boolean> {
  return withStore(place, {}, async (store) => {
    const isRevoked = await store.revokeToken(id, place.clock.now());
    if (isRevoked !== undefined) return isRevoked;
    throw new MemError("not_found", {
      message: "No token has this id.",
      hint: "`mem hub account list` shows the ids.",
    });
  });
}

/** Starts a new log and removes the old one; returns the epoch of the new one. */
export function resetAccountNow(place: HubPlace, account: string): Promise<string> {
  return withAccount(place, account, async (store, { id }) => {
    const epoch = newEpoch();
    await store.reset(id, epoch);
    await sweepAll(store);
    return epoch;
  });
}

/** Deletes an account with its log, devices and tokens. */
export function deleteAccountNow(place: HubPlace, account: string): Promise<void> {
  return withAccount(place, account, async (store, { id }) => {
    await store.deleteAccount(id, place.clock.now());
    await sweepAll(store);
  });
}

const sweptRows = 500;

async function sweepAll(store: HubStore): Promise<void> {
  while ((await store.sweep(sweptRows)) > 0);
}

async function addToken(
  { clock }: HubPlace,
  store: HubStore,
  { id, name }: Pick<HubAccount, "id" | "name">,
): Promise<MadeToken> {
  const token = makeToken();
  const tokenId = newId();
  await store.addToken({
    id: tokenId,
    account_id: id,
    token_hash: hashToken(token),
    ...shownParts(token),
    now: clock.now(),
  });
  return { id, name, tokenId, token };
}

function withAccount<T>(
  place: HubPlace,
  nameOrId: string,
  work: (store: HubStore, account: HubAccount) => Promise<T>,
): Promise<T> {
  return withStore(place, {}, async (store) => {
    const accounts = await store.accounts();
    const found =
      accounts.find(({ name }) => name === nameOrId) ?? accounts.find(({ id }) => id === nameOrId);
    if (found === undefined) {
      throw new MemError("not_found", {
        message: `No account is named \`${nameOrId}\`.`,
        hint: "List accounts: `mem hub account list`.",
      });
    }
    return work(store, found);
  });
}

async function withStore<T>(
  place: HubPlace,
  { creates = false }: { creates?: boolean },
  work: (store: HubStore) => Promise<T>,
): Promise<T> {
  const { settings, clock, onServer } = place;
  if (onServer) {
    const { demandCluster, withMigrated } = await import("../administer/administer.ts");
    const { createServerHubStore } = await import("./server-hub.ts");
    if (!creates) demandCluster(place, noHub);
    return withMigrated(place, (database) => work(createServerHubStore(database)));
  }
  const { hub, hubDatabase } = settings.paths;
  if (!creates && !existsSync(hubDatabase)) throw new MemError("not_found", noHub);
  makePrivateDirectory(hub);
  const store = openHubStore(hubDatabase, { product: version(), now: clock.now() });
  try {
    return await work(store);
  } finally {
    store.close();
  }
}

const noHub = {
  message: "There is no hub here yet, so there are no accounts.",
  hint: "Create the first account: `mem hub account create NAME`. Accounts of `mem server`: add --server.",
};

const maxNameChars = 80;

function parseName(text: string): string {
  const name = cleanText(storableText(text)).trim();
  if (name !== "" && name.length <= maxNameChars) return name;
  throw new MemError("usage", {
    message: `The name of the account must have 1 to ${maxNameChars} characters.`,
    hint: "See `mem hub account create --help`.",
  });
}
