// `secondary`: Google Gemini, generateContent.

import { countAt, listAt, textAt, valueAt } from "../../core/outbound/wire-values.ts";
import type { JsonObject } from "../../text/json.ts";
import type { ModelAnswer, ModelClient } from "../model-client.ts";
import { createHttpClient, type FoundAnswer, type HttpClientOptions, headerKey } from "./http-client.ts";
import { secondaryModel } from "./model-names.ts";
import { answerSchema } from "./schemas.ts";

export interface SecondaryOptions extends HttpClientOptions {
  /** As in `MEM_SECONDARY_MODEL`. */
  model: string;
  /** `MEM_SECONDARY_API_KEY`, read at every call. */
  apiKey: () => string;
  /** Scheme, host and port; default: the vendor's. */
  origin?: string;
}

/** The client of Gemini. */
export function createSecondaryClient(options: SecondaryOptions): ModelClient {
  const { id, thinking } = secondaryModel(options.model);
  return createHttpClient(
    {
      name: "secondary",
      model: id,
      endpoint: {
        origin: options.origin ?? "https://generativelanguage.googleapis.com",
        path: `/v1beta/models/${encodeURIComponent(id)}:generateContent`,
      },
      access: () => {
        const key = headerKey(options.apiKey(), "MEM_SECONDARY_API_KEY");
        return { headers: { "x-goog-api-key": key }, secrets: [key] };
      },
      body: (request, { structured }) => ({
        systemInstruction: { parts: [{ text: request.system }] },
        contents: [{ role: "user", parts: [{ text: request.prompt }] }],
        generationConfig: {
          maxOutputTokens: request.maxOutputTokens,
          responseMimeType: "application/json",
          ...(structured
            ? {
                responseJsonSchema: answerSchema(request.schema),
                ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
              }
            : {}),
        },
      }),
      read: readGemini,
    },
    options,
  );
}

function readGemini(objects: readonly JsonObject[]): FoundAnswer {
  const found: FoundAnswer = { text: "", stopped: undefined, model: undefined, usage: {}, thought: false };
  for (const object of objects) {
    for (const part of listAt(object, "candidates", 0, "content", "parts")) {
      if (valueAt(part, "thought") !== true) found.text += textAt(part, "text") ?? "";
    }
    const reason = textAt(object, "candidates", 0, "finishReason");
    if (reason !== undefined) found.stopped = stopReasons[reason] ?? "end";
    if (textAt(object, "promptFeedback", "blockReason") !== undefined) found.stopped = "refused";
    found.model = textAt(object, "modelVersion") ?? found.model;
    readUsage(found, object);
  }
  return found;
}

const stopReasons: Readonly<Record<string, ModelAnswer["stopped"]>> = {
  MAX_TOKENS: "length",
  SAFETY: "refused",
  RECITATION: "refused",
  LANGUAGE: "refused",
  BLOCKLIST: "refused",
  PROHIBITED_CONTENT: "refused",
  SPII: "refused",
};

// `promptTokenCount` includes the cached part; thinking is billed as output. Every event of a stream has the totals.
function readUsage(found: FoundAnswer, object: unknown): void {
  const input = countAt(object, "usageMetadata", "promptTokenCount");
  if (input === undefined) return;
  found.usage.inputTokens = input;
  found.usage.cachedTokens = countAt(object, "usageMetadata", "cachedContentTokenCount") ?? 0;
  const said = countAt(object, "usageMetadata", "candidatesTokenCount");
  const thought = countAt(object, "usageMetadata", "thoughtsTokenCount");
  found.thought = (thought ?? 0) > 0;
  if (said !== undefined || thought !== undefined) found.usage.outputTokens = (said ?? 0) + (thought ?? 0);
}
