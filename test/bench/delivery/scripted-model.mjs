// A model for `MEM_PROVIDER=compat`: a chat-completions server on loopback that answers every batch as its prompt asks.
import { once } from "node:events";
import { createServer } from "node:http";
import { readBatchPrompt } from "./batch-prompt.mjs";

const modelName = "scripted";

/** A rule that stands in no source: code must drop it from every answer. */
export const inventedRule = "Deploy every change to production on Fridays without asking anyone.";

/** Starts the server; `telling` gives the statements of a turn. `env` makes a worker ask it. */
export async function startScriptedModel(telling) {
  const server = createServer((request, response) => {
    respond(request, response, telling).catch((cause) => response.destroy(cause));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address();
  return {
    env: {
      MEM_PROVIDER: "compat",
      MEM_COMPAT_BASE_URL: `http://127.0.0.1:${port}/v1`,
      MEM_COMPAT_MODEL: modelName,
      MEM_COMPAT_API_KEY: "none",
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The answer to one prompt: an observation of its tool uses, and each summary that it asks for. */
function answerTo(prompt, telling) {
  const { messages, summarized } = readBatchPrompt(prompt);
  const uses = messages.filter(({ number }) => !summarized.includes(number));
  return {
    observations: uses.length === 0 ? [] : [observationOf(uses)],
    summaries: messages
      .filter(({ number }) => summarized.includes(number))
      .map((each) => summaryOf(each, telling)),
    nothing: messages.length === 0,
  };
}

async function respond(request, response, telling) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { messages } = JSON.parse(Buffer.concat(chunks).toString());
  const prompt = messages.find(({ role }) => role === "user").content;
  const content = JSON.stringify(answerTo(prompt, telling));
  const body = {
    id: "chatcmpl-1",
    object: "chat.completion",
    model: modelName,
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage: { prompt_tokens: Math.ceil(prompt.length / 4), completion_tokens: Math.ceil(content.length / 4) },
  };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(body));
}

const noLists = { facts: [], concepts: [], files_read: [], files_modified: [] };

function observationOf(uses) {
  const inputs = uses.map(({ parts }) => firstLine(parts.input ?? ""));
  return {
    type: "change",
    title: `Ran ${uses.map(({ head }) => head.split(",")[0]).join(", ")}`.slice(0, 100),
    subtitle: "",
    narrative: inputs.join(". "),
    ...noLists,
    sources: uses.map(({ number }) => number),
  };
}

function summaryOf({ number, parts }, telling) {
  const invented = {
    kind: "rule",
    said_by: "user",
    quote: inventedRule,
    title: "",
    standing: true,
    reach: "everywhere",
  };
  return {
    source: number,
    request: firstLine(parts.user ?? ""),
    investigated: "",
    learned: "",
    completed: firstLine(parts.agent ?? ""),
    next_steps: "",
    notes: "",
    ...noLists,
    statements: [...telling(parts), invented],
  };
}

function firstLine(text) {
  return text.trim().split("\n")[0].slice(0, 300);
}
