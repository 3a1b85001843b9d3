// The observation feed: every new observation of the worker's stream, as a message to a channel of the gateway.
import { get, type IncomingMessage } from "node:http";
import { failOpen, failOpenSync } from "../../core/errors.ts";
import { shorten } from "../../core/shorten.ts";
import { isJsonObject, type JsonObject } from "../../text/json.ts";
import { textField } from "../../text/json-fields.ts";
import { type Connection, failureOf } from "../hook/connection.ts";
import type { WorkerLink } from "../in-process/worker-link.ts";

export interface Feed {
  start(): void;
  stop(): void;
  state(): FeedState;
}

export interface FeedState {
  isOn: boolean;
  isConnected: boolean;
  sent: number;
  /** Messages that the channel did not take, or that came faster than it. */
  failed: number;
}

interface FeedDeps {
  link: Pick<WorkerLink, "open">;
  /** Sends one message to the channel. */
  send(text: string): Promise<void>;
  /** Calls `run` once after `ms`; the result cancels it. */
  after(ms: number, run: () => void): () => void;
  warn(message: string): void;
}

const firstRetryMs = 1_000;
const lastRetryMs = 30_000;
const openMs = 5_000;
// The worker sends a comment every 15 s.
const silentMs = 45_000;
const sendMs = 10_000;
const maxFrameChars = 1_048_576;
const maxMessages = 50;
const maxMessageChars = 900;

/** Connects while it is on. After a lost connection it waits 1 s, then twice as long each time, at most 30 s. */
export function createFeed({ link, send, after, warn }: FeedDeps): Feed {
  const messages: string[] = [];
  const counts = { sent: 0, failed: 0 };
  let isOn = false;
  let isSending = false;
  let retryMs = firstRetryMs;
  // Ends what was started last: a connection, or the wait for the next one.
  let end: () => void = () => undefined;
  let isConnected = false;

  async function connect(): Promise<void> {
    let connection: Connection | undefined;
    let isEnded = false;
    end = () => {
      isEnded = true;
      connection?.close();
    };
    try {
      connection = await link.open(openMs);
      if (isEnded) return connection.close();
      await readStream(connection, {
        onOpen() {
          isConnected = true;
          retryMs = firstRetryMs;
        },
        onEvent: take,
      });
    } catch (cause) {
      if (retryMs === firstRetryMs && isOn) warn(`the feed is not connected (${failureOf(cause)})`);
    }
    isConnected = false;
    if (isOn && !isEnded) waitAndConnect();
  }

  function waitAndConnect(): void {
    const cancel = after(retryMs, () => void failOpen("connect the feed", connect));
    end = cancel;
    retryMs = Math.min(2 * retryMs, lastRetryMs);
  }

  function take(event: JsonObject): void {
    if (event.type !== "new_observation") return;
    messages.push(messageOf(event));
    if (messages.length > maxMessages) {
      messages.shift();
      counts.failed += 1;
    }
    if (!isSending) void failOpen("send the feed", sendAll);
  }

  async function sendAll(): Promise<void> {
    isSending = true;
    for (let text = messages.shift(); text !== undefined && isOn; text = messages.shift()) {
      const message = text;
      const sent = await failOpen("send to a channel", () => within(sendMs, after, send(message)));
      if (sent === undefined && counts.failed === 0) warn("the feed's channel did not take a message");
      counts[sent === undefined ? "failed" : "sent"] += 1;
    }
    isSending = false;
  }

  return {
    start() {
      if (isOn) return;
      isOn = true;
      retryMs = firstRetryMs;
      void failOpen("connect the feed", connect);
    },
    stop() {
      isOn = false;
      messages.length = 0;
      end();
    },
    state: () => ({ isOn, isConnected, ...counts }),
  };
}

interface StreamReader {
  onOpen(): void;
  onEvent(event: JsonObject): void;
}

/** Reads `GET /stream` until it ends. Rejects when the connection fails or is silent for too long. */
function readStream(connection: Connection, reader: StreamReader): Promise<void> {
  const { socket, host } = connection.release();
  return new Promise((resolve, reject) => {
    // Without a listener an error of the connection would end the gateway.
    socket.on("error", reject);
    socket.setTimeout(silentMs, () => socket.destroy(new Error("the stream is silent")));
    const headers = { host, accept: "text/event-stream" };
    const request = get({ path: "/stream", createConnection: () => socket, headers });
    request.on("error", reject);
    socket.on("close", () => resolve());
    request.on("response", (response: IncomingMessage) => {
      if (response.statusCode === 200) {
        reader.onOpen();
        readFrames(response, reader);
      } else socket.destroy(new Error(`status ${response.statusCode}`));
    });
  });
}

function readFrames(response: IncomingMessage, { onEvent }: StreamReader): void {
  let received = "";
  response.setEncoding("utf8");
  response.on("error", () => undefined);
  response.on("data", (chunk: string) => {
    const frames = (received + chunk).split(/\r?\n\r?\n/);
    received = frames.pop() ?? "";
    if (received.length > maxFrameChars) received = "";
    for (const frame of frames) {
      const event = eventIn(frame);
      if (event !== null) onEvent(event);
    }
  });
}

function eventIn(frame: string): JsonObject | null {
  const lines = frame.split(/\r?\n/).filter((line) => line.startsWith("data:"));
  if (lines.length === 0) return null;
  const text = lines.map((line) => line.slice("data:".length)).join("\n");
  const event = failOpenSync("read an event of the stream", (): unknown => JSON.parse(text));
  return isJsonObject(event) ? event : null;
}

function messageOf(event: JsonObject): string {
  const [project, kind] = [textField(event, "project"), textField(event, "obs_type")];
  const head = `${project === "" ? "" : `[${project}] `}${kind === "" ? "" : `${kind}: `}${textField(event, "title")}`;
  const subtitle = textField(event, "subtitle");
  return shorten(subtitle === "" ? head : `${head}\n${subtitle}`, maxMessageChars);
}

// Resolves with true once `work` is done.
function within(ms: number, after: FeedDeps["after"], work: Promise<void>): Promise<true> {
  return new Promise((resolve, reject) => {
    const cancel = after(ms, () => reject(new Error("no answer")));
    work.then(() => resolve(true), reject).finally(cancel);
  });
}
