// The port of the hub: its accounts and their logs, in SQLite or PostgreSQL.
import type {
  Followed,
  HubAccount,
  HubCaller,
  HubDevices,
  HubPage,
  HubStatus,
  HubToken,
  NewAccount,
  NewToken,
  PageWish,
  Push,
  PushVerdict,
} from "../core/records/hub.ts";

/** What the routes need. A method that is given an unknown or deleted account returns undefined. */
export interface HubLogStore {
  /** The account of a token that is not revoked. */
  findToken(hash: Buffer): Promise<HubCaller | undefined>;
  /** Notes that the token is in use. */
  touchToken(caller: HubCaller, now: number): Promise<void>;
  /** Decides with `decidePush` and stores what it says in one transaction; resolves when that is durable. */
  push(push: Push): Promise<PushVerdict | undefined>;
  /** Operations after `since`, at most `limit` and at most `maxBytes` of bodies, but at least one. */
  changes(account_id: string, page: PageWish): Promise<HubPage | undefined>;
  status(account_id: string): Promise<HubStatus | undefined>;
  devices(account_id: string): Promise<HubDevices | undefined>;
  /** What a live connection follows. */
  follow(account_id: string): Promise<Followed | undefined>;
}

/** What runs in the background. Each step is bounded, so that requests run in between. */
export interface HubUpkeepStore {
  /** Removes bodies that a newer revision replaced before `before_epoch`; returns how many. */
  compact(step: { before_epoch: number; limit: number }): Promise<number>;
  /** Removes rows of logs that a reset ended and of deleted accounts; returns how many. */
  sweep(limit: number): Promise<number>;
}

/** What the commands on the hub's host need. */
export interface HubAccountStore {
  /** False when an account has the name. */
  createAccount(account: NewAccount): Promise<boolean>;
  /** By name. */
  accounts(): Promise<HubAccount[]>;
  addToken(token: NewToken): Promise<void>;
  /** Of one account, the newest first. */
  tokens(account_id: string): Promise<HubToken[]>;
  /** Undefined when no account has such a token; false when it was revoked before. */
  revokeToken(id: string, now: number): Promise<boolean | undefined>;
  removeDevice(account_id: string, device_id: string): Promise<boolean>;
  /** Starts a new log. `sweep` removes the old one. */
  reset(account_id: string, epoch: string): Promise<void>;
  /** Revokes its tokens and frees its name. `sweep` removes the rest. */
  deleteAccount(account_id: string, now: number): Promise<void>;
}

export type HubStore = HubLogStore & HubUpkeepStore & HubAccountStore;
