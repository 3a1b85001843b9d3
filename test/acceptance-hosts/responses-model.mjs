// A scripted model on loopback that speaks the Responses API: each request of a turn gets the next step.
import { startScriptedModel } from "./scripted-model.mjs";

/** Starts it; see `startScriptedModel`. A step may also be `{ custom: name, input }`, for a tool that takes text. */
export function startResponsesModel() {
  return startScriptedModel({
    isTurn: ({ url }) => url.endsWith("/responses"),
    besides: (_request, response) =>
      response.writeHead(404, { "content-type": "application/json" }).end("{}"),
    answer: (_request, response, step, number) => answer(response, step, number),
  });
}

function answer(response, step, number) {
  const events = [
    { type: "response.created", response: { id: `resp_${number}` } },
    ...itemsOf(step, number).map((item) => ({ type: "response.output_item.done", item })),
    {
      type: "response.completed",
      response: {
        id: `resp_${number}`,
        usage: {
          input_tokens: step.tokens ?? 10,
          input_tokens_details: null,
          output_tokens: 5,
          output_tokens_details: null,
          total_tokens: (step.tokens ?? 10) + 5,
        },
      },
    },
  ];
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

function itemsOf(step, number) {
  const call_id = `call_${number}`;
  if (step.call !== undefined) {
    const { call: name, input, namespace } = step;
    const item = { type: "function_call", call_id, name, arguments: JSON.stringify(input) };
    return [namespace === undefined ? item : { ...item, namespace }];
  }
  if (step.custom !== undefined) {
    return [{ type: "custom_tool_call", call_id, name: step.custom, input: step.input }];
  }
  const content = [{ type: "output_text", text: step.text }];
  return [{ type: "message", role: "assistant", id: `msg_${number}`, content }];
}
