// A scripted model on loopback: the server and its script, whatever protocol it speaks.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";

/**
 * Starts it. `script(steps)` sets the answers to come: `{ text }`, or `{ call: name, input }` for a tool. Without a step the
 * answer is "Done.". `protocol.isTurn` tells a request of a turn from others, which `protocol.besides` answers.
 */
export async function startScriptedModel(protocol) {
  let steps = [];
  const seen = { requests: [], outside: [] };
  const server = createServer(async (incoming, response) => {
    let text = "";
    for await (const chunk of incoming) text += chunk;
    const request = { url: incoming.url, body: parsed(text) };
    if (protocol.isTurn(request)) {
      seen.requests.push(request.body);
      protocol.answer(request, response, steps.shift() ?? { text: "Done." }, seen.requests.length);
    } else if (incoming.method === "POST") {
      protocol.besides(request, response);
    } else {
      response.writeHead(404, { "content-type": "application/json" }).end("{}");
    }
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

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Runs the host's program for one prompt; resolves with its exit code and output. */
export function runHeadless({ program, project, env }, words) {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      words,
      { cwd: project, env, timeout: 120_000 },
      (failure, stdout, stderr) => resolve({ code: failure?.code ?? 0, text: stdout, stderr }),
    );
    child.stdin.end();
  });
}
