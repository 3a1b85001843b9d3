// The older session routes over the store: the local intake decides, on what the database knows of the session.
import type { CaptureStore, IntakeSession, StoredPrompt } from "../capture/capture-store.ts";
import { cleanInput } from "../capture/clean-input.ts";
import { createIntake, type Intake } from "../capture/intake.ts";
import type { Clock } from "../clock.ts";
import { isJsonObject, type Json, type JsonObject } from "../domain/json.ts";
import { storableJson, storableText } from "../domain/storable.ts";
import type { ProjectScope } from "../domain/tenancy.ts";
import { noSuchProject } from "../http/v1/project-scope.ts";
import { contentKey, newId } from "../ids.ts";
import type { NewEvent } from "../store/postgres/event-batch.ts";
import {
  type AskedSession,
  type Changes,
  inSession,
  type Known,
  type KnownPrompt,
  type SessionChange,
} from "../store/postgres/legacy-capture.ts";
import type { Connections } from "../store/postgres/open.ts";

export type LegacyIntake = Pick<Intake, "initSession" | "observe" | "summarize" | "complete">;

interface CaptureDeps {
  app: Connections;
  clock: Clock;
  skipTools: ReadonlySet<string>;
}

/** What the four calls have in common, before it is cleaned. */
interface Input {
  claudeSessionId: string;
  cwd?: string | undefined;
  host?: string | undefined;
  eventKey?: string | undefined;
  promptKey?: string | undefined;
  promptNumber?: number | undefined;
  prompt_number?: number | undefined;
}

/** The intake of one project. Every call resolves once what it stored is committed; a rejected one stored nothing. */
export function createHostedIntake(deps: CaptureDeps, scope: ProjectScope): LegacyIntake {
  const intakeOf = (input: Input): Intake =>
    createIntake({
      store: captureStore(deps, scope, cleanInput(input)),
      clock: deps.clock,
      skipTools: () => deps.skipTools,
      projectOf: () => scope.project_id,
      projectNamed: () => scope.project_id,
      publish: () => undefined,
      onQueued: () => undefined,
      // The transaction that takes back what came before breaks off what is made of it.
      onWithdrawn: async () => undefined,
    });
  const calling =
    <I extends Input, A>(call: (intake: Intake, input: I) => Promise<A>) =>
    async (given: I): Promise<A> => {
      const input = storableInput(given);
      return call(intakeOf(input), input);
    };
  return {
    initSession: calling((intake, input) => intake.initSession(input)),
    observe: calling((intake, input) => intake.observe(input)),
    summarize: calling((intake, input) => intake.summarize(input)),
    complete: calling((intake, input) => intake.complete(input)),
  };
}

// Texts of any depth; which fields there are, and that some are left out, stays as it is.
function storableInput<I extends Input>(input: I): I {
  const fields = { ...input, claudeSessionId: sessionName(input.claudeSessionId) } as unknown as JsonObject;
  return storableJson(fields) as unknown as I;
}

/** What a session is known by: its name as it was sent, or the hash of one that no index entry holds. */
export function sessionName(claudeSessionId: string): string {
  const name = storableText(claudeSessionId);
  return Buffer.byteLength(name) > maxNameBytes ? contentKey(name) : name;
}

const maxNameBytes = 2_000;

function captureStore({ app }: CaptureDeps, scope: ProjectScope, input: Input): CaptureStore {
  let draft = createDraft(emptyKnown, scope, input);
  return {
    async commit(write) {
      const done = await inSession(app, scope, askedOf(input), (known) => {
        draft = createDraft(known, scope, input);
        const answer = write();
        return { answer: { value: answer }, changes: draft.changes() };
      });
      if (done === undefined) throw noSuchProject();
      return done.value;
    },
    sessions: {
      forIntake: (_, named) => draft.session(named),
      insert: ({ now }) => draft.make(now),
      touch: (_, now) => draft.change({ status: "active", at: now }),
      complete: (_, now) => draft.change({ status: "completed", at: now }),
      completeIdle: () => [],
      // Read from the first prompt itself.
      setUserPrompt: () => undefined,
      countPrompt: (_, number) => draft.change({ prompt_count: number }),
      distrustNumbers: () => draft.keep({ trustsNumbers: false }),
      setNewestPrompt: (_, { prompt_number, event_key, private: isPrivate, now }) =>
        draft.keep({ number: prompt_number, key: event_key, private: isPrivate === 1, at: now }),
    },
    prompts: {
      insert: (prompt) => draft.addPrompt(prompt),
      byEventKey: (_, key) => draft.prompt((known) => known.key === key),
      byNumber: (_, number) => draft.prompt((known) => known.number === number),
    },
    rawEvents: { insert: (event) => draft.addEvent(event) },
    pending: { enqueue: (place) => draft.enqueue(place), count: () => undefined },
    withdrawals: {
      ofPrompt(_, key) {
        draft.withdraw(key);
        return false;
      },
    },
  };
}

const emptyKnown: Known = { session: undefined, freshSeq: 0, prompts: [] };

function askedOf({ claudeSessionId, eventKey, promptKey, promptNumber, prompt_number }: Input): AskedSession {
  return {
    content_session_id: claudeSessionId,
    promptKey: promptKey ?? eventKey ?? null,
    promptNumbers: [promptNumber, prompt_number].filter((number) => number !== undefined),
  };
}

/** What the session remembers between its steps. */
interface Kept {
  number: number;
  key: string | null;
  private: boolean;
  at: number;
  trustsNumbers: boolean;
}

/** What a step reads of the session, and what it would have stored. */
function createDraft(known: Known, scope: ProjectScope, input: Input) {
  const session_id = known.session?.id ?? newId();
  const events: NewEvent[] = [];
  const summaries = new Map<string, string>();
  const withdrawn: string[] = [];
  let kept = keptOf(known.session?.kept ?? null);
  let session: SessionChange | null = null;

  function change(part: Partial<SessionChange>): void {
    session = {
      id: session_id,
      platform_source: input.host ?? "",
      cwd: input.cwd ?? null,
      status: null,
      prompt_count: 0,
      at: 0,
      ...session,
      ...part,
      kept: { ...kept },
    };
  }

  function add(
    event: Pick<NewEvent, "event_type" | "payload" | "metadata" | "occurred_at_epoch" | "keys">,
  ): number {
    return events.push({
      ...scope,
      ...event,
      id: newId(),
      body_hash: event.keys.length === 0 ? null : contentKey(...event.keys),
      session_id,
      content_session_id: null,
      new_session_id: newId(),
      source_type: "hook",
      source_event_id: input.eventKey ?? null,
      platform_source: input.host ?? "",
      job_id: null,
    });
  }

  return {
    session: (named: NamedPrompt = {}) => intakeSession(known, kept, named),
    prompt: (is: (known: KnownPrompt) => boolean) => storedPrompt(known.prompts.find(is)),
    change,
    keep(part: Partial<Kept>): void {
      kept = { ...kept, ...part };
      change({});
    },
    make(now: number): number {
      change({ at: now });
      return known.freshSeq;
    },
    withdraw: (key: string) => void withdrawn.push(key),
    addPrompt({ prompt_text, prompt_number, event_key, now, ...prompt }: NewPrompt) {
      const isPrivate = prompt.private === 1;
      const id = add({
        event_type: "user_prompt",
        payload: { prompt: prompt_text },
        metadata: {
          promptNumber: prompt_number,
          promptKey: event_key,
          ...(isPrivate ? { private: true } : {}),
        },
        occurred_at_epoch: now,
        // Intake knows a repeated prompt by its key and its words.
        keys: [],
      });
      return { ...prompt, ...unsynced, id, prompt_number, prompt_text, created_at_epoch: now };
    },
    addEvent({ kind, payload: text, now }: NewMessage): number {
      const { type: _, prompt_key, ...payload } = objectOf(text);
      return add({
        event_type: kind === "observation" ? "tool_use" : kind,
        payload,
        metadata: prompt_key === undefined ? {} : { awaitedPrompt: prompt_key },
        occurred_at_epoch: now,
        keys: input.eventKey === undefined ? [] : [`legacy:${contentKey(kind, session_id, input.eventKey)}`],
      });
    },
    enqueue(place: number): void {
      const event = events[place - 1];
      if (event === undefined) return;
      if (event.event_type === "summarize") summaries.set(event.id, newId());
      else event.job_id = newId();
    },
    changes: (): Changes => ({ session, events, summaries, withdrawn }),
  };
}

type NamedPrompt = NonNullable<Parameters<CaptureStore["sessions"]["forIntake"]>[1]>;
type NewPrompt = Parameters<CaptureStore["prompts"]["insert"]>[0];
type NewMessage = Parameters<CaptureStore["rawEvents"]["insert"]>[0];

const unsynced = { synced_at: null, origin_device_id: null, origin_local_id: null, revision: 1 };

// Which prompt the step belongs to: the one that it names, else the newest. One that is not known is waited for.
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

// What follows belongs to the last of them, and is private when any of them is.
function lastOf(prompts: readonly KnownPrompt[]): Pick<IntakeSession, "prompt_number" | "prompt_private"> {
  return {
    prompt_number: Math.max(...prompts.map(({ number }) => (typeof number === "number" ? number : 0))),
    prompt_private: prompts.some(({ isPrivate }) => isPrivate) ? 1 : 0,
  };
}

function storedPrompt(known: KnownPrompt | undefined): StoredPrompt | undefined {
  if (known === undefined || typeof known.number !== "number") return undefined;
  return {
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
