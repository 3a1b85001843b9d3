// A scripted model on loopback that speaks chat completions: each request with tools gets the next step.
import { startScriptedModel } from "./scripted-model.mjs";

/** Starts it; see `startScriptedModel`. */
export function startChatModel() {
  return startScriptedModel({
    isTurn: ({ url, body }) => url.endsWith("/chat/completions") && (body.tools?.length ?? 0) > 0,
    besides: ({ body }, response) => answer(response, body, { text: "Title" }, 0),
    answer: ({ body }, response, step, number) => answer(response, body, step, number),
  });
}

function answer(response, { stream, model }, step, number) {
  const message = messageOf(step, number);
  const finish_reason = step.call === undefined ? "stop" : "tool_calls";
  const common = { id: `chat_${number}`, created: 1, model };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  if (stream !== true) {
    const body = {
      ...common,
      object: "chat.completion",
      choices: [{ index: 0, message, finish_reason }],
      usage,
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    return;
  }
  const chunk = (delta, reason) => ({
    ...common,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const data of [chunk(message, null), { ...chunk({}, finish_reason), usage }])
    response.write(`data: ${JSON.stringify(data)}\n\n`);
  response.end("data: [DONE]\n\n");
}

function messageOf(step, number) {
  if (step.call === undefined) return { role: "assistant", content: step.text };
  const call = { name: step.call, arguments: JSON.stringify(step.input) };
  return {
    role: "assistant",
    content: null,
    tool_calls: [{ index: 0, id: `call_${number}`, type: "function", function: call }],
  };
}
