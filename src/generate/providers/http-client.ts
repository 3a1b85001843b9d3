// The HTTP client of all vendors: one POST per call, and a plainer request after a refusal.
import type { Clock } from "../../core/clock.ts";
import { cleanReason } from "../../core/outbound/error-text.ts";
import type { Resolve } from "../../core/outbound/network-guard.ts";
import type { OutsideRequest } from "../../core/outbound/post.ts";
import { errorIn, valueAt } from "../../core/outbound/wire-values.ts";
import type { JsonObject } from "../../text/json.ts";
import type { ModelAnswer, ModelClient, ModelRequest } from "../model-client.ts";
import { ModelFailure } from "../model-failure.ts";
import { addUsage, type TokenUsage } from "../token-usage.ts";
import { createOutsideCall, type OutsideCall } from "./outside-call.ts";
import { refusalFailure, statusOfError } from "./refusal.ts";
import { type Payloads, parsePayloads } from "./sse.ts";

export interface HttpClientOptions {
  clock: Clock;
  /** Until the last byte of the answer. */
  timeoutMs: number;
  /** Resolves names; default: the system's resolver. */
  resolve?: Resolve;
}

/** The form of a request. It changes when a server refuses it, and stays for later calls. */
export interface RequestForm {
  /** Send the schema, and options that only the vendor's own servers support. */
  structured: boolean;
  /** Name of the answer's limit: chat servers differ. */
  limit: "max_tokens" | "max_completion_tokens";
  /** Added to that limit: thinking counts there and can use it up before the answer. */
  thinkingTokens: number;
}

/** An answer as the server sent it. */
export interface FoundAnswer {
  text: string;
  /** Undefined when the server did not end the answer. */
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
  /** A text is the fault of the setting, thrown by the first call. */
  endpoint: { origin: string; path: string } | string;
  /** Headers with the current keys. Throws `auth` when one is missing. */
  access(): Pick<OutsideRequest, "headers" | "secrets">;
  body(request: ModelRequest, form: RequestForm): object;
  read(objects: readonly JsonObject[]): FoundAnswer;
}

/** Connects with the first call. */
export function createHttpClient(wire: WireFormat, options: HttpClientOptions): ModelClient {
  let call: OutsideCall | undefined;
  let form: RequestForm = { structured: true, limit: "max_tokens", thinkingTokens: 0 };

  async function ask(request: ModelRequest, how: RequestForm, signal: AbortSignal): Promise<Asked> {
    if (typeof wire.endpoint === "string") {
      throw new ModelFailure("auth", wire.endpoint, { fix: "address" });
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

// For servers without schemas, and models with another name for the limit.
function otherForm(how: RequestForm, failure: ModelFailure): RequestForm | undefined {
  if (failure.kind !== "bad_request") return undefined;
  if (how.limit === "max_tokens" && /max_completion_tokens/.test(failure.message)) {
    return { ...how, limit: "max_completion_tokens" };
  }
  return how.structured ? { ...how, structured: false } : undefined;
}

// A failure after a status of 200 is in the body.
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

// Stored as the generator and looked up in the price table.
function modelName(model: string | undefined): string | undefined {
  return model !== undefined && /^[\w./:@+-]{1,200}$/.test(model) ? model : undefined;
}

/** Throws `auth` when the key is empty or no header can carry it. */
export function headerKey(key: string, setting: string): string {
  const trimmed = key.trim();
  if (trimmed === "") throw new ModelFailure("auth", `No key is set: ${setting}.`, { fix: "key" });
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new ModelFailure("auth", `The key holds characters that cannot be sent: ${setting}.`, {
    fix: "key",
  });
}

/** A text without the characters that a header cannot carry. */
export function headerText(text: string): string {
  return cleanReason(text, [])
    .replace(/[^\x20-\x7e]/g, "")
    .trim();
}
