// What the three vendors have in common: one POST, an answer in a wire format, and a plainer request where one is refused.
import type { Clock } from "../../core/clock.ts";
import { cleanReason } from "../../core/outbound/error-text.ts";
import type { Resolve } from "../../core/outbound/network-guard.ts";
import type { OutsideRequest } from "../../core/outbound/post.ts";
import { errorIn, valueAt } from "../../core/outbound/wire-values.ts";
import type { JsonObject } from "../../text/json.ts";
import {
  addUsage,
  type ModelAnswer,
  type ModelClient,
  type ModelRequest,
  type TokenUsage,
} from "../model-client.ts";
import { ModelFailure } from "../model-failure.ts";
import { createOutsideCall, type OutsideCall } from "./outside-call.ts";
import { refusalFailure, statusOfError } from "./refusal.ts";
import { type Payloads, parsePayloads } from "./sse.ts";

/** What every client is made of. */
export interface HttpClientOptions {
  clock: Clock;
  /** Until the last byte of an answer. */
  timeoutMs: number;
  /** Resolves names; the system's where it is left out. */
  resolve?: Resolve;
}

/** How a request is put. It is changed when a server does not take it so, and then kept for the calls to come. */
export interface RequestForm {
  /** Hold the answer to the schema; and what else the vendor's own servers take. */
  structured: boolean;
  /** The name of the limit of the answer, which chat servers do not agree on. */
  limit: "max_tokens" | "max_completion_tokens";
  /** Added to that limit: what a model thinks counts there, and can use up all of it before it says anything. */
  thinkingTokens: number;
}

/** An answer as it was found; what a server leaves out is filled in. */
export interface FoundAnswer {
  text: string;
  /** Undefined where the server did not say that the answer is over. */
  stopped: ModelAnswer["stopped"] | undefined;
  model: string | undefined;
  usage: Partial<TokenUsage>;
  /** The model thought before it answered. */
  thought: boolean;
}

/** One vendor's wire format. */
export interface WireFormat {
  name: string;
  model: string;
  /** Where requests go; a text is what is wrong with the setting, said when the first call is made. */
  endpoint: { origin: string; path: string } | string;
  /** Headers with the keys of this moment. Throws `auth` where one is missing. */
  access(): Pick<OutsideRequest, "headers" | "secrets">;
  body(request: ModelRequest, form: RequestForm): object;
  read(objects: readonly JsonObject[]): FoundAnswer;
}

/** A client of one wire format. Connections are made when they are first needed. */
export function createHttpClient(wire: WireFormat, options: HttpClientOptions): ModelClient {
  let call: OutsideCall | undefined;
  let form: RequestForm = { structured: true, limit: "max_tokens", thinkingTokens: 0 };

  async function ask(request: ModelRequest, how: RequestForm, signal: AbortSignal): Promise<Asked> {
    if (typeof wire.endpoint === "string") {
      throw new ModelFailure("auth", wire.endpoint, { mends: "address" });
    }
    const { origin, path } = wire.endpoint;
    const { headers, secrets } = wire.access();
    call ??= createOutsideCall({ ...options, origin });
    const roomy = { ...request, maxOutputTokens: request.maxOutputTokens + how.thinkingTokens };
    const answer = await call.post({ path, headers, body: wire.body(roomy, how), secrets }, signal);
    const payloads = parsePayloads(answer.contentType, answer.text);
    throwError(payloads, { who: new URL(origin).host, secrets, now: options.clock.now() });
    const found = wire.read(payloads.objects);
    return { answer: whole(found, payloads, { request, asked: wire.model }), thought: found.thought };
  }

  return {
    name: wire.name,
    model: wire.model,
    complete: async (request, signal) => {
      let spent: TokenUsage | undefined;
      for (let how = form; ; ) {
        try {
          const { answer, thought } = await ask(request, how, signal);
          form = how;
          const usage = spent === undefined ? answer.usage : addUsage(spent, answer.usage);
          if (!thought || answer.stopped !== "length" || how.thinkingTokens > 0) return { ...answer, usage };
          spent = usage;
          how = { ...how, thinkingTokens: roomToThink };
        } catch (error) {
          const other = error instanceof ModelFailure ? otherForm(how, error) : undefined;
          if (other === undefined) throw error;
          how = other;
        }
      }
    },
    close: async () => {
      await call?.close();
      call = undefined;
    },
  };
}

interface Asked {
  answer: ModelAnswer;
  thought: boolean;
}

const roomToThink = 8_192;

// What may make the same request welcome: a server that knows no schemas, a model that knows the limit by another name.
function otherForm(how: RequestForm, failure: ModelFailure): RequestForm | undefined {
  if (failure.kind !== "bad_request") return undefined;
  if (how.limit === "max_tokens" && /max_completion_tokens/.test(failure.message)) {
    return { ...how, limit: "max_completion_tokens" };
  }
  return how.structured ? { ...how, structured: false } : undefined;
}

// A server that has begun to answer with 200 says in the body that it failed.
function throwError(
  payloads: Payloads,
  from: { who: string; secrets: readonly string[]; now: number },
): void {
  for (const payload of payloads.objects) {
    const error = errorIn(payload) ?? errorIn(valueAt(payload, "choices", 0));
    if (error === undefined) continue;
    const body = JSON.stringify({ error });
    throw refusalFailure({ ...from, status: statusOfError(error), headers: {}, body });
  }
}

function whole(
  found: FoundAnswer,
  payloads: Payloads,
  { request, asked }: { request: ModelRequest; asked: string },
): ModelAnswer {
  const inputTokens = found.usage.inputTokens ?? estimate(request.system.length + request.prompt.length);
  const usage = {
    inputTokens,
    outputTokens: found.usage.outputTokens ?? estimate(found.text.length),
    cachedTokens: Math.min(found.usage.cachedTokens ?? 0, inputTokens),
  };
  const stopped = found.stopped ?? (payloads.streamed && !payloads.done ? undefined : "end");
  if (stopped === undefined) {
    throw new ModelFailure("bad_answer", "The answer broke off before its end.", { usage });
  }
  if (found.text.trim() === "" && stopped === "end") {
    throw new ModelFailure("bad_answer", "The model answered with nothing.", { usage });
  }
  return { text: found.text, stopped, model: modelName(found.model) ?? asked, usage };
}

function estimate(characters: number): number {
  return Math.ceil(characters / 4);
}

// It is stored as the generator and looked up in the price table: nothing but a name.
function modelName(model: string | undefined): string | undefined {
  return model !== undefined && /^[\w./:@+-]{1,200}$/.test(model) ? model : undefined;
}

/** The key as it goes into a header. Throws `auth` where it is empty or cannot be sent. */
export function headerKey(key: string, setting: string): string {
  const trimmed = key.trim();
  if (trimmed === "") throw new ModelFailure("auth", `No key is set: ${setting}.`, { mends: "key" });
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new ModelFailure("auth", `The key holds characters that cannot be sent: ${setting}.`, {
    mends: "key",
  });
}

/** A text that people wrote, as a header can carry it. */
export function headerText(text: string): string {
  return cleanReason(text, [])
    .replace(/[^\x20-\x7e]/g, "")
    .trim();
}
