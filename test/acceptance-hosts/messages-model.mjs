// A scripted model on loopback that speaks the Messages API: each request with tools gets the next step.
import { startScriptedModel } from "./scripted-model.mjs";

/** Starts it; see `startScriptedModel`. */
export function startMessagesModel() {
  return startScriptedModel({
    isTurn: ({ url, body }) => isMessages(url) && (body.tools?.length ?? 0) > 0,
    besides({ url, body }, response) {
      if (url.includes("count_tokens")) json(response, { input_tokens: 10 });
      else if (isMessages(url)) answer(response, body, { text: "Title" }, 0);
      else json(response, {}, 404);
    },
    answer: ({ body }, response, step, number) => answer(response, body, step, number),
  });
}

function isMessages(url) {
  return /^\/v1\/messages(\?|$)/.test(url);
}

function json(response, value, status = 200) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function answer(response, { model, stream }, step, number) {
  const usage = { input_tokens: step.tokens ?? 10, output_tokens: 5 };
  const block =
    step.call === undefined
      ? { type: "text", text: step.text }
      : { type: "tool_use", id: `toolu_${number}`, name: step.call, input: step.input };
  const end = { stop_reason: step.call === undefined ? "end_turn" : "tool_use", stop_sequence: null };
  const message = { id: `msg_${number}`, type: "message", role: "assistant", model, content: [], usage };
  if (stream !== true) return json(response, { ...message, ...end, content: [block] });
  const [empty, delta] =
    step.call === undefined
      ? [
          { ...block, text: "" },
          { type: "text_delta", text: step.text },
        ]
      : [
          { ...block, input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(step.input) },
        ];
  const events = [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: "content_block_start", index: 0, content_block: empty },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: end, usage },
    { type: "message_stop" },
  ];
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}
