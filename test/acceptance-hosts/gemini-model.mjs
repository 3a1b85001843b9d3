// A scripted model on loopback that speaks the Gemini API: each request with tools gets the next step.
import { startScriptedModel } from "./scripted-model.mjs";

/** Starts it; see `startScriptedModel`. */
export function startGeminiModel() {
  return startScriptedModel({
    // A request without tools is one beside the turn: a title, or a choice of the model.
    isTurn: ({ url, body }) => /:(?:streamG|g)enerateContent/.test(url) && (body.tools?.length ?? 0) > 0,
    besides: ({ url }, response) => answer(response, url, [{ text: "{}" }]),
    answer: ({ url }, response, step) => answer(response, url, [partOf(step)]),
  });
}

function partOf(step) {
  if (step.call === undefined) return { text: step.text };
  return { functionCall: { name: step.call, args: step.input } };
}

function answer(response, url, parts) {
  const chunk = {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
  };
  if (!url.includes(":stream")) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(chunk));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(`data: ${JSON.stringify(chunk)}\n\n`);
}
