// A scripted model on loopback that speaks Chat Completions, streamed: each request of a turn gets the next step.
import { once } from "node:events";
import { createServer } from "node:http";

/** Starts it; the same parts as `startResponsesModel`, without tools that take text. */
export async function startCompletionsModel() {
  let steps = [];
  const seen = { requests: [], outside: [] };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (!request.url.endsWith("/chat/completions")) {
      if (!request.url.startsWith("/v1")) seen.outside.push(request.url);
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
      return;
    }
    seen.requests.push(JSON.parse(text));
    answer(response, steps.shift() ?? { text: "Done." }, seen.requests.length);
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

function answer(response, { text, call, input }, number) {
  const named = { name: call, arguments: JSON.stringify(input ?? {}) };
  const delta =
    call === undefined
      ? { content: text }
      : { tool_calls: [{ index: 0, id: `call_${number}`, type: "function", function: named }] };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const choice = (more) => [{ index: 0, delta: {}, finish_reason: null, ...more }];
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const part of [
    { choices: choice({ delta: { role: "assistant", ...delta } }) },
    { choices: choice({ finish_reason: call === undefined ? "stop" : "tool_calls" }) },
    { choices: [], usage },
  ]) {
    const chunk = {
      id: `chat_${number}`,
      object: "chat.completion.chunk",
      created: 1,
      model: "loop",
      ...part,
    };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  response.end("data: [DONE]\n\n");
}
