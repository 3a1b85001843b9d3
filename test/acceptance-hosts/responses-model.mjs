// A scripted model on loopback that speaks the Responses API: each request of a turn gets the next step.
import { once } from "node:events";
import { createServer } from "node:http";

/**
 * Starts it. `script(steps)` sets the answers to come: `{ text }`, `{ call: name, input }` for a function, or
 * `{ custom: name, input }` for a tool that takes text. Without a step the answer is "Done.".
 */
export async function startResponsesModel() {
  let steps = [];
  const seen = { requests: [], outside: [] };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (!request.url.endsWith("/responses")) {
      if (!request.url.startsWith("/v1")) seen.outside.push(request.url);
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
      return;
    }
    seen.requests.push(JSON.parse(text));
    const step = steps.shift() ?? { text: "Done." };
    answer(response, step, seen.requests.length);
  });
  server.on("connect", ({ url }, socket) => {
    seen.outside.push(url);
    socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    seen,
    url: `http://127.0.0.1:${server.address().port}`,
    script: (next) => {
      steps = [...next];
    },
    left: () => steps.length,
    close: () => server.closeAllConnections() ?? server.close(),
  };
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
