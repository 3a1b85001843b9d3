// Session routes over the store: the worker's intake decides, on the session's state in the database.
import type { CaptureStore } from "../../capture/capture-store.ts";
import { cleanInput } from "../../capture/clean-input.ts";
import { type Cleaner, isLarge } from "../../capture/cleaner.ts";
import { createInTurn, type InTurn } from "../../capture/in-turn.ts";
import type { Intake } from "../../capture/inputs.ts";
import { createIntake } from "../../capture/intake.ts";
import type { Clock } from "../../core/clock.ts";
import { contentKey } from "../../core/ids.ts";
import type { ProjectScope } from "../../core/records/tenancy.ts";
import type { SessionIntake } from "../../http/api/service.ts";
import { noSuchProject } from "../../http/v1/project-scope.ts";
import { byDefault } from "../../settings/table.ts";
import { type AskedSession, inSession } from "../../store/postgres/capture.ts";
import type { Connections } from "../../store/postgres/open.ts";
import type { JsonObject } from "../../text/json.ts";
import { storableJson, storableText } from "../../text/storable.ts";
import { createDraft, type Sender } from "./capture-step.ts";

interface CaptureDeps {
  app: Connections;
  clock: Clock;
  /** Hears how many events a call stored. */
  onStored(events: number): void;
  /** Without one everything is cleaned in this process. */
  cleaner?: Cleaner | undefined;
  inTurn?: InTurn | undefined;
}

/** Fields of the four calls, before cleaning. */
interface Input extends Sender {
  claudeSessionId: string;
  /** Only a prompt has one. */
  prompt?: string | undefined;
  promptKey?: string | undefined;
  promptNumber?: number | undefined;
  prompt_number?: number | undefined;
}

// A server has no settings.json of a user: the default applies.
const skipTools: ReadonlySet<string> = new Set(byDefault("MEM_SKIP_TOOLS"));

/** The intake of one project. Every call resolves once what it stored is committed; a rejected one stored nothing. */
export function createHostedIntake(deps: CaptureDeps, scope: ProjectScope): SessionIntake {
  const { inTurn = createInTurn(), cleaner } = deps;
  const intakeOf = (input: Input): Intake =>
    createIntake({
      store: captureStore(deps, scope, cleanInput(input)),
      clock: deps.clock,
      skipTools: () => skipTools,
      projectOf: () => scope.project_id,
      projectNamed: () => scope.project_id,
      publish: () => undefined,
      onQueued: () => undefined,
      // The transaction of a withdrawal also cancels its generation.
      onWithdrawn: async () => undefined,
      ...(cleaner === undefined ? {} : { cleaner }),
    });
  const calling =
    <I extends Input, A>(call: (intake: Intake, input: I) => Promise<A>) =>
    async (given: I): Promise<A> => {
      const input = storableInput(given);
      const session = `${scope.project_id} ${input.claudeSessionId}`;
      return inTurn(session, isLarge(input as unknown as JsonObject), () => call(intakeOf(input), input));
    };
  return {
    initSession: calling((intake, input) => intake.initSession(input)),
    observe: calling((intake, input) => intake.observe(input)),
    summarize: calling((intake, input) => intake.summarize(input)),
    complete: calling((intake, input) => intake.complete(input)),
  };
}

// Makes texts at any depth storable; keeps the set of fields.
function storableInput<I extends Input>(input: I): I {
  const fields = { ...input, claudeSessionId: sessionName(input.claudeSessionId) } as unknown as JsonObject;
  return storableJson(fields) as unknown as I;
}

/** The stored name of a session: as sent, or the hash of a name too long for the index. */
export function sessionName(claudeSessionId: string): string {
  const name = storableText(claudeSessionId);
  return Buffer.byteLength(name) > maxNameBytes ? contentKey(name) : name;
}

const maxNameBytes = 2_000;

function captureStore({ app, onStored }: CaptureDeps, scope: ProjectScope, input: Input): CaptureStore {
  const store: CaptureStore = {
    async commit(write) {
      const done = await inSession(app, scope, askedOf(input), (known) => {
        const { changes, ...draft } = createDraft(known, scope, input);
        Object.assign(store, draft);
        return { answer: { value: write() }, changes: changes() };
      });
      if (done === undefined) throw noSuchProject();
      if (done.stored > 0) onStored(done.stored);
      return done.answer.value;
    },
    // Never read: intake calls the rest inside of `commit` alone.
    ...createDraft({ session: undefined, freshSeq: 0, prompts: [] }, scope, input),
  };
  return store;
}

function askedOf({
  claudeSessionId,
  prompt,
  eventKey,
  promptKey,
  promptNumber,
  prompt_number,
}: Input): AskedSession {
  return {
    content_session_id: claudeSessionId,
    promptKey: promptKey ?? eventKey ?? null,
    promptNumbers: [promptNumber, prompt_number].filter((number) => number !== undefined),
    mayWithdraw: prompt !== undefined && eventKey !== undefined,
  };
}
