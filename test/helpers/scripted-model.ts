// A scripted model provider: a real HTTP server on loopback that speaks all three wire formats.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Behaviour, type Exchange, perform, type ScriptSettings } from "./scripted-behaviours.ts";
import { type Wire, wireFormats, wireOf } from "./scripted-wires.ts";

export { type Behaviour, behaviours } from "./scripted-behaviours.ts";
export type { Wire } from "./scripted-wires.ts";

/** One request as it came in. */
export interface RecordedRequest {
  /** 0 for the first. */
  index: number;
  wire: Wire | undefined;
  path: string;
  headers: IncomingHttpHeaders;
  /** The bytes of the body as text. */
  raw: string;
  body: unknown;
  system: string;
  prompt: string;
  behaviour: Behaviour;
  /** True when the caller went away before the answer was through. */
  aborted: boolean;
  /** Settles when the connection of this exchange is done with it: answered, or gone. */
  over: Promise<void>;
  bytesSent: number;
}

/** One behaviour for all, a list (the last one stays), or a choice for each request. */
export type Script =
  | Behaviour
  | readonly Behaviour[]
  | ((request: { index: number; prompt: string; system: string }) => Behaviour);

export interface ScriptedModel {
  /** `http://127.0.0.1:<port>`, without a path. */
  url: string;
  requests: RecordedRequest[];
  /** Changes how later requests are answered; a list starts at its first entry. */
  play(script: Script): void;
  /** Connections that are open now. */
  openConnections(): Promise<number>;
  close(): Promise<void>;
}

export interface ScriptedModelOptions extends Partial<ScriptSettings> {
  script?: Script;
}

/**
 * Starts it. The default good answer is what `model-client` users agree on: one observation with every message number
 * that the prompt shows as a source; `answer` replaces it by the text of the test's own.
 */
export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const settings: ScriptSettings = {
    answer: goodAnswer,
    retryAfterSeconds: 30,
    slowMs: 150,
    overflowChars: 20_000,
    redirectTo: "http://127.0.0.1:9/elsewhere",
    now: () => Date.now(),
    ...options,
  };
  const requests: RecordedRequest[] = [];
  const seenSystems = new Set<string>();
  let script: Script = options.script ?? "ok";
  let played = 0;

  function next(request: { index: number; prompt: string; system: string }): Behaviour {
    if (typeof script === "function") return script(request);
    if (typeof script === "string") return script;
    return script[Math.min(played++, script.length - 1)] ?? "ok";
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await readAll(request);
    const path = request.url ?? "";
    const wire = wireOf(path);
    const body = parseBody(raw);
    const asked =
      wire === undefined
        ? { system: "", prompt: "", streamed: false, schema: false }
        : wireFormats[wire].asked(body, path);
    const index = requests.length;
    const behaviour = next({ index, prompt: asked.prompt, system: asked.system });
    const recorded: RecordedRequest = {
      index,
      wire,
      path,
      headers: request.headers,
      raw,
      body,
      system: asked.system,
      prompt: asked.prompt,
      behaviour,
      aborted: false,
      over: new Promise((resolve) => {
        response.once("close", () => {
          recorded.aborted = !response.writableFinished;
          resolve();
        });
      }),
      bytesSent: 0,
    };
    requests.push(recorded);
    const exchange: Exchange = {
      wire: wire ?? "chat",
      asked,
      cached: seenSystems.has(asked.system),
      response,
      settings,
      sent: (bytes) => (recorded.bytesSent += bytes),
    };
    seenSystems.add(asked.system);
    await perform(behaviour, exchange);
  }
  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    play: (next) => {
      script = next;
      played = 0;
    },
    openConnections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
      ),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Numbers that the prompt gives its messages: `[3]` at the start of a line, from 1 to as many as it says there are. */
function messageNumbers(prompt: string): number[] {
  const count = Number(/^(\d+) messages?:/m.exec(prompt)?.[1] ?? Number.POSITIVE_INFINITY);
  const found = new Set([...prompt.matchAll(/^\[(\d+)\]/gm)].map((match) => Number(match[1])));
  return [...found].filter((number) => number >= 1 && number <= count);
}

/** One observation of all messages in the prompt and the summary it asks for, as the text that the writer asks for. */
function goodAnswer(prompt: string): string {
  const isEnd = /^A summary is asked for\.$/m.test(prompt);
  const observed = messageNumbers(prompt).slice(0, isEnd ? -1 : undefined);
  const lists = {
    facts: ["The tests passed"],
    concepts: ["what-changed"],
    files_read: [],
    files_modified: [],
  };
  const observation = {
    type: "change",
    title: "The work that was asked for was done",
    subtitle: "As the messages show",
    narrative: "Files were read and changed, and the tests passed.",
    ...lists,
    sources: observed,
  };
  const summary = {
    request: "The work was asked for",
    investigated: "The files",
    learned: "How they work",
    completed: "The work",
    next_steps: "",
    notes: "",
    ...lists,
  };
  return JSON.stringify({
    observations: observed.length === 0 ? [] : [observation],
    summary: isEnd ? summary : null,
    nothing: observed.length === 0 && !isEnd,
  });
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function parseBody(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return undefined;
  }
}
