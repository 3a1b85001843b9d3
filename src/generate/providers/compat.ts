// `compat`: any server with the chat-completions protocol, on this machine or elsewhere.

import { isThisMachine, parseEndpoint } from "../../core/outbound/endpoint.ts";
import { countAt, listAt, textAt } from "../../core/outbound/wire-values.ts";
import type { JsonObject } from "../../text/json.ts";
import type { ModelAnswer, ModelClient } from "../model-client.ts";
import {
  createHttpClient,
  type FoundAnswer,
  type HttpClientOptions,
  headerKey,
  headerText,
} from "./http-client.ts";
import { answerSchema } from "./schemas.ts";

export interface CompatOptions extends HttpClientOptions {
  /** `MEM_COMPAT_MODEL`, sent unchanged. */
  model: string;
  /** `MEM_COMPAT_BASE_URL`, see `parseEndpoint`; empty is the public default, which needs a key. */
  baseUrl: string;
  /** `MEM_COMPAT_API_KEY`, read at every call. Servers on the user's own machine need none. */
  apiKey: () => string;
  /** `MEM_COMPAT_SITE_URL` and `MEM_COMPAT_APP_NAME`; empty is not sent. */
  siteUrl: string;
  appName: string;
}

const publicAddress = "https://openrouter.ai/api/v1";

/** The client of a chat-completions server. */
export function createCompatClient(options: CompatOptions): ModelClient {
  const isPublic = options.baseUrl.trim() === "";
  const [site, app] = [headerText(options.siteUrl), headerText(options.appName)];
  const endpoint = parseEndpoint(isPublic ? publicAddress : options.baseUrl, {
    setting: "MEM_COMPAT_BASE_URL",
    call: "/chat/completions",
    version: "/v1",
  });
  const client = createHttpClient(
    {
      name: "compat",
      model: options.model,
      endpoint,
      access: () => {
        const key = options.apiKey().trim();
        return {
          headers: {
            ...(key !== "" || isPublic
              ? { authorization: `Bearer ${headerKey(key, "MEM_COMPAT_API_KEY")}` }
              : {}),
            ...(site === "" ? {} : { "http-referer": site }),
            ...(app === "" ? {} : { "x-title": app }),
          },
          secrets: [key],
        };
      },
      body: (request, { structured, limit }) => ({
        model: options.model,
        [limit]: request.maxOutputTokens,
        // Some servers stream by default.
        stream: false,
        messages: [
          { role: "system", content: request.system },
          { role: "user", content: request.prompt },
        ],
        ...(structured
          ? {
              response_format: {
                type: "json_schema",
                json_schema: { name: "memory", strict: true, schema: answerSchema(request.schema) },
              },
            }
          : {}),
      }),
      read: readChat,
    },
    options,
  );
  return { ...client, isOwn: typeof endpoint !== "string" && isThisMachine(endpoint.origin) };
}

export function readChat(objects: readonly JsonObject[]): FoundAnswer {
  const found: FoundAnswer = { text: "", stopped: undefined, model: undefined, usage: {}, thought: false };
  for (const object of objects) {
    for (const from of ["message", "delta"]) {
      found.text += contentOf(object, from);
      for (const name of ["reasoning_content", "reasoning"]) {
        found.thought ||= (textAt(object, "choices", 0, from, name) ?? "") !== "";
      }
      if ((textAt(object, "choices", 0, from, "refusal") ?? "") !== "") found.stopped = "refused";
    }
    const reason = textAt(object, "choices", 0, "finish_reason");
    if (reason !== undefined && found.stopped !== "refused") found.stopped = stopReasons[reason] ?? "end";
    found.model ??= textAt(object, "model");
    readUsage(found, object);
  }
  const said = withoutThoughts(found.text);
  return { ...found, text: said, thought: found.thought || said !== found.text };
}

// Local servers leave the thinking at the beginning of the text, some without the opening tag. Elsewhere the tag is part
// of the answer.
function withoutThoughts(text: string): string {
  const end = text.indexOf("</think>");
  if (/^\s*<think>/.test(text)) return end < 0 ? "" : text.slice(end + "</think>".length);
  return end < 0 || /^\s*(```|[{[])/.test(text) ? text : text.slice(end + "</think>".length);
}

const stopReasons: Readonly<Record<string, ModelAnswer["stopped"]>> = {
  length: "length",
  content_filter: "refused",
};

// A text, or a list of parts.
function contentOf(object: unknown, from: string): string {
  const text = textAt(object, "choices", 0, from, "content");
  if (text !== undefined) return text;
  return listAt(object, "choices", 0, from, "content")
    .map((part) => textAt(part, "text") ?? "")
    .join("");
}

function readUsage(found: FoundAnswer, object: unknown): void {
  const input = countAt(object, "usage", "prompt_tokens");
  if (input !== undefined) {
    found.usage.inputTokens = input;
    found.usage.cachedTokens =
      countAt(object, "usage", "prompt_tokens_details", "cached_tokens") ??
      countAt(object, "usage", "prompt_cache_hit_tokens") ??
      0;
  }
  if ((countAt(object, "usage", "completion_tokens_details", "reasoning_tokens") ?? 0) > 0) {
    found.thought = true;
  }
  const output = countAt(object, "usage", "completion_tokens");
  if (output !== undefined) found.usage.outputTokens = output;
}
