// One step of a session in memory.

import type { CaptureStore, StoredPrompt } from "../../capture/capture-store.ts";
import { contentKey, newId } from "../../core/ids.ts";
import type { NewRawEvent } from "../../core/records/messages.ts";
import type { IntakeSession, NamedPrompt, NewPrompt } from "../../core/records/records.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import type { Changes, Known, KnownPrompt, SessionChange } from "../../store/postgres/capture.ts";
import type { NewEvent } from "../../store/postgres/event-batch.ts";
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";

/** Sender of the step, cleaned. */
export interface Sender {
  cwd?: string | undefined;
  host?: string | undefined;
  /** The host's own id of the event. */
  eventKey?: string | undefined;
}

/** State of the session between steps. */
interface Kept {
  number: number;
  key: string | null;
  private: boolean;
  at: number;
  trustsNumbers: boolean;
}

interface Draft extends Omit<CaptureStore, "commit"> {
  changes(): Changes;
}

/** The store of intake over one step: answers from the known state, and collects the changes. */
export function createDraft(known: Known, scope: ProjectScope, sender: Sender): Draft {
  const place = { ...scope, session_id: known.session?.id ?? newId() };
  const events: NewEvent[] = [];
  const summaries = new Map<string, string>();
  const withdrawn: string[] = [];
  let kept = keptOf(known.session?.kept ?? null);
  let session: SessionChange | null = null;

  function change(part: Partial<SessionChange>): void {
    const { host = "", cwd = null } = sender;
    const unchanged = {
      id: place.session_id,
      platform_source: host,
      cwd,
      status: null,
      prompt_count: 0,
      at: 0,
    };
    session = { ...unchanged, ...session, ...part, kept: { ...kept } };
  }
  function keep(part: Partial<Kept>): void {
    kept = { ...kept, ...part };
    change({});
  }
  // The number of an event is its position, from 1.
  const add = (told: Told) => events.push(eventOf(place, sender, told));
  const prompt = (is: (known: KnownPrompt) => boolean) => storedPrompt(known.prompts.find(is));

  return {
    sessions: {
      forIntake: (_, named = {}) => intakeSession(known, kept, named),
      ...{ isDeletedSince: () => false, isDeletedPrivate: () => false },
      insert({ now }) {
        change({ at: now });
        return known.freshSeq;
      },
      touch: (_, now) => change({ status: "active", at: now }),
      complete: (_, now) => change({ status: "completed", at: now }),
      completeIdle: () => [],
      // Read from the first prompt itself.
      setUserPrompt: () => undefined,
      countPrompt: (_, number) => change({ prompt_count: number }),
      distrustNumbers: () => keep({ trustsNumbers: false }),
      setNewestPrompt: (_, { prompt_number, event_key, private: isPrivate, now }) =>
        keep({ number: prompt_number, key: event_key, private: isPrivate === 1, at: now }),
    },
    prompts: {
      insert(prompt) {
        const { now, private: _private, event_key: _key, session_id: _session, ...record } = prompt;
        return { ...record, ...unsynced, id: add(promptEvent(prompt)), created_at_epoch: now };
      },
      byEventKey: (_, wanted) => prompt(({ key }) => key === wanted),
      byNumber: (_, wanted) => prompt(({ number }) => number === wanted),
      deletedByKey: () => undefined,
      // Clients of these routes do not report the end of a turn.
      unfinished: () => undefined,
    },
    rawEvents: {
      insert: (message) => add(messageEvent(message, place.session_id, sender.eventKey)),
      // Events of these routes have no content key.
      ofKey: () => [],
    },
    pending: {
      enqueue(number) {
        const event = events[number - 1];
        if (event?.event_type === "summarize") summaries.set(event.id, newId());
        else if (event !== undefined) event.job_id = newId();
      },
      count: () => undefined,
    },
    withdrawals: {
      ofPrompt(_, key) {
        withdrawn.push(key);
        return { isShown: false, observations: [], summaries: [], changed: [] };
      },
      inTrash: () => undefined,
    },
    changes: () => ({ session, events, summaries, withdrawn }),
  };
}

type Told = Pick<NewEvent, "event_type" | "payload" | "metadata" | "occurred_at_epoch" | "keys">;

function promptEvent({ prompt_text, prompt_number, event_key, now, private: isPrivate }: NewPrompt): Told {
  return {
    event_type: "user_prompt",
    payload: { prompt: prompt_text },
    metadata: {
      promptNumber: prompt_number,
      promptKey: event_key,
      ...(isPrivate === 1 ? { private: true } : {}),
    },
    occurred_at_epoch: now,
    // Intake recognizes a repeated prompt by its key and text.
    keys: [],
  };
}

function messageEvent(
  { kind, payload: text, now }: NewRawEvent,
  session_id: string,
  eventKey: string | undefined,
): Told {
  const { type: _, prompt_key, ...payload } = objectOf(text);
  return {
    event_type: kind === "observation" ? "tool_use" : kind,
    payload,
    metadata: prompt_key === undefined ? {} : { awaitedPrompt: prompt_key },
    occurred_at_epoch: now,
    keys: eventKey === undefined ? [] : [`legacy:${contentKey(kind, session_id, eventKey)}`],
  };
}

function eventOf(
  place: ProjectScope & { session_id: string },
  { eventKey, host = "" }: Sender,
  told: Told,
): NewEvent {
  return {
    ...place,
    ...told,
    id: newId(),
    // The key identifies the event, so a repetition is the same event.
    body_hash: told.keys.length === 0 ? null : contentKey(...told.keys),
    content_session_id: null,
    new_session_id: newId(),
    source_type: "hook",
    source_event_id: eventKey ?? null,
    platform_source: host,
    job_id: null,
  };
}

const unsynced = { synced_at: null, origin_device_id: null, origin_local_id: null, revision: 1 };

// The prompt of the step: the one it names, else the newest. An unknown one is awaited.
function intakeSession(
  { session, prompts }: Known,
  kept: Kept,
  { promptKey, prompt_number }: NamedPrompt,
): IntakeSession | undefined {
  if (session === undefined) return undefined;
  const newest: IntakeSession = {
    id: session.seq,
    claude_session_id: session.content_session_id,
    sdk_session_id: session.id,
    project: "",
    status: session.status,
    prompt_count: session.prompt_count,
    prompt_number: kept.number,
    prompt_private: kept.private ? 1 : 0,
    newest_prompt_at_epoch: kept.at,
    last_active_at_epoch: session.last_active_at_epoch,
    completed_at_epoch: session.ended_at_epoch,
  };
  if (promptKey !== undefined) {
    if (promptKey === kept.key) return newest;
    const named = prompts.filter(
      ({ key }) => typeof key === "string" && (key === promptKey || key.startsWith(`${promptKey}:`)),
    );
    return named.length === 0 ? { ...newest, awaits_prompt: true } : { ...newest, ...lastOf(named) };
  }
  if (prompt_number === undefined || prompt_number === kept.number || !kept.trustsNumbers) return newest;
  const named = prompts.filter(({ number }) => number === prompt_number);
  return named.length === 0 ? newest : { ...newest, ...lastOf(named) };
}

// Later events belong to the last of them, and are private when any of them is.
function lastOf(prompts: readonly KnownPrompt[]): Pick<IntakeSession, "prompt_number" | "prompt_private"> {
  return {
    prompt_number: Math.max(...prompts.map(({ number }) => (typeof number === "number" ? number : 0))),
    prompt_private: prompts.some(({ isPrivate }) => isPrivate) ? 1 : 0,
  };
}

function storedPrompt(known: KnownPrompt | undefined): StoredPrompt | undefined {
  if (known === undefined || typeof known.number !== "number") return undefined;
  return {
    event_key: typeof known.key === "string" ? known.key : "",
    prompt_number: known.number,
    prompt_text: known.text,
    private: known.isPrivate ? 1 : 0,
    created_at_epoch: known.at,
  };
}

function keptOf(value: Json): Kept {
  const fields = isJsonObject(value) ? value : {};
  return {
    number: typeof fields.number === "number" ? fields.number : 0,
    key: typeof fields.key === "string" ? fields.key : null,
    private: fields.private === true,
    at: typeof fields.at === "number" ? fields.at : 0,
    trustsNumbers: fields.trustsNumbers !== false,
  };
}

function objectOf(text: string): JsonObject {
  const value: Json = JSON.parse(text);
  return isJsonObject(value) ? value : {};
}
