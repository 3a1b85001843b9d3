// The live channel: tells the connected devices of an account that its log advanced. A hint: the log is read over HTTP.
import { failOpen, MemError } from "../core/errors.ts";
import type { Followed, HubCaller } from "../core/records/hub.ts";
import type { HubLogStore } from "./store.ts";

/** A connection of a device. Neither method throws. */
export interface LiveSocket {
  send(text: string): void;
  /** Ends it; the device reads over HTTP until it connects again. */
  end(why: LiveEnd): void;
}

/** Why the hub ends a connection. */
export type LiveEnd = "revoked" | "stopping" | "deaf";

export interface LiveChannel {
  /**
   * Adds a connection and sends it the head of the log. Returns the function that removes it. Throws `stream_full`, and
   * `storage_failed` while changes by other processes cannot be heard.
   */
  join(caller: HubCaller, socket: LiveSocket): () => void;
  /** The account's log or tokens changed: notifies its connections, and ends connections of revoked tokens. */
  changed(account_id: string): void;
  /** The same for every account: it is not known which changed. */
  changedSomewhere(): void;
  /** Ends all connections, and refuses new ones until `listening` is true. */
  setListening(listening: boolean): void;
  /** Ends all connections. */
  close(): void;
}

/** Two for each device of an account: a worker that restarts, and the connection that it left. */
const maxPerAccount = 128;

interface Member {
  token_id: string;
  socket: LiveSocket;
  /** What it was sent last. */
  sent: string;
}

/** Reads of one account never overlap: changes during a read cause one more, however many they are. */
export function createLiveChannel(store: Pick<HubLogStore, "follow">): LiveChannel {
  const accounts = new Map<string, Set<Member>>();
  const reading = new Map<string, { again: boolean }>();
  let isListening = true;

  function notify(account_id: string): void {
    if (!accounts.has(account_id)) return;
    const running = reading.get(account_id);
    if (running !== undefined) {
      running.again = true;
      return;
    }
    const read = { again: false };
    reading.set(account_id, read);
    void failOpen("reading a log for its live connections", async () => {
      tell(accounts, account_id, await store.follow(account_id));
    }).then(() => {
      reading.delete(account_id);
      if (read.again) notify(account_id);
    });
  }

  function endAll(why: LiveEnd): void {
    for (const members of accounts.values()) for (const { socket } of members) socket.end(why);
    accounts.clear();
  }

  return {
    join({ account_id, token_id }, socket) {
      if (!isListening) throw new MemError("storage_failed");
      const members = accounts.get(account_id) ?? new Set<Member>();
      if (members.size >= maxPerAccount) {
        throw new MemError("stream_full", {
          message: "The account has too many live connections.",
          hint: "Stop the workers of devices that are not in use: `mem hub account devices <account>` lists them.",
        });
      }
      const member = { token_id, socket, sent: "" };
      members.add(member);
      accounts.set(account_id, members);
      // Also when the token was revoked since it was checked.
      notify(account_id);
      return () => {
        members.delete(member);
        if (members.size === 0 && accounts.get(account_id) === members) accounts.delete(account_id);
      };
    },
    changed: notify,
    changedSomewhere() {
      for (const account_id of accounts.keys()) notify(account_id);
    },
    setListening(listening) {
      isListening = listening;
      if (!listening) endAll("deaf");
    },
    close() {
      isListening = false;
      endAll("stopping");
    },
  };
}

function tell(
  accounts: ReadonlyMap<string, ReadonlySet<Member>>,
  account_id: string,
  found: Followed | undefined,
): void {
  const live = new Set(found?.token_ids);
  const { epoch, head_seq } = found ?? { epoch: "", head_seq: "" };
  const frame = JSON.stringify({ type: "advance", epoch, head_seq });
  for (const member of accounts.get(account_id) ?? []) {
    if (!live.has(member.token_id)) member.socket.end("revoked");
    else if (member.sent !== frame) {
      member.sent = frame;
      member.socket.send(frame);
    }
  }
}
