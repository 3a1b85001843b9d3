// `primary`: the Anthropic Messages API, at the vendor's own address or at a gateway that speaks it.

import { parseEndpoint } from "../../core/outbound/endpoint.ts";
import { countAt, listAt, textAt } from "../../core/outbound/wire-values.ts";
import type { JsonObject } from "../../text/json.ts";
import type { ModelAnswer, ModelClient } from "../model-client.ts";
import { createHttpClient, type FoundAnswer, type HttpClientOptions, headerKey } from "./http-client.ts";
import { primaryModel } from "./model-names.ts";
import { answerSchema } from "./schemas.ts";

export interface PrimaryOptions extends HttpClientOptions {
  /** As in `MEM_MODEL`. */
  model: string;
  /** `LLM_BASE_URL` of a gateway; empty is the vendor's public address, which needs a key. */
  baseUrl: string;
  /** `LLM_API_KEY`, sent as `x-api-key`, read at every call; may be empty. */
  apiKey: () => string;
  /** `LLM_AUTH_TOKEN`, sent as a bearer token. */
  authToken: () => string;
}

const publicAddress = "https://api.anthropic.com";

/** The client of `api-key` and `gateway`. */
export function createPrimaryClient(options: PrimaryOptions): ModelClient {
  const { id, thinking } = primaryModel(options.model);
  const isPublic = options.baseUrl.trim() === "";
  return createHttpClient(
    {
      name: "primary",
      model: id,
      endpoint: parseEndpoint(isPublic ? publicAddress : options.baseUrl, {
        setting: "LLM_BASE_URL",
        call: "/messages",
        version: "/v1",
      }),
      access: () => {
        const [key, token] = [options.apiKey().trim(), options.authToken().trim()];
        const where = "LLM_API_KEY in the .env file of the data directory";
        return {
          headers: {
            "anthropic-version": "2023-06-01",
            ...(key !== "" || (isPublic && token === "") ? { "x-api-key": headerKey(key, where) } : {}),
            ...(token === ""
              ? {}
              : { authorization: `Bearer ${headerKey(token, "LLM_AUTH_TOKEN in .env")}` }),
          },
          secrets: [key, token],
        };
      },
      body: (request, { structured }) => ({
        model: id,
        max_tokens: request.maxOutputTokens,
        // Constant: a later call within five minutes reads it from the vendor's cache.
        system: [{ type: "text", text: request.system, cache_control: { type: "ephemeral" } }],
        messages: [{ role: "user", content: request.prompt }],
        ...(structured
          ? {
              output_config: { format: { type: "json_schema", schema: answerSchema(request.schema) } },
              ...(thinking === undefined ? {} : { thinking }),
            }
          : {}),
      }),
      read: readMessages,
    },
    options,
  );
}

/** Reads a message or the events of a streamed one, without blocks of thinking. */
export function readMessages(objects: readonly JsonObject[]): FoundAnswer {
  const found: FoundAnswer = { text: "", stopped: undefined, model: undefined, usage: {}, thought: false };
  for (const object of objects) {
    const message = object.type === "message_start" ? object.message : object;
    for (const block of listAt(message, "content")) {
      found.text += textAt(block, "text") ?? "";
      found.thought ||= isThinking(textAt(block, "type"));
    }
    found.thought ||= isThinking(textAt(object, "content_block", "type"));
    if (textAt(object, "delta", "type") === "text_delta") found.text += textAt(object, "delta", "text") ?? "";
    const reason = textAt(object, "stop_reason") ?? textAt(object, "delta", "stop_reason");
    if (reason !== undefined) found.stopped = stopReasons[reason] ?? "end";
    found.model ??= textAt(message, "model");
    readUsage(found, message);
  }
  return found;
}

function isThinking(type: string | undefined): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

const stopReasons: Readonly<Record<string, ModelAnswer["stopped"]>> = {
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refused",
};

// `input_tokens` excludes tokens read from or written to the cache. A stream's last event has the totals, and may omit
// counts of the first one.
function readUsage(found: FoundAnswer, message: unknown): void {
  const output = countAt(message, "usage", "output_tokens");
  if (output !== undefined) found.usage.outputTokens = output;
  const input = countAt(message, "usage", "input_tokens");
  if (input === undefined) return;
  const read = countAt(message, "usage", "cache_read_input_tokens") ?? 0;
  const written = countAt(message, "usage", "cache_creation_input_tokens") ?? 0;
  found.usage.inputTokens = input + read + written;
  found.usage.cachedTokens = read;
}
