import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { StreamEvent } from "../../../src/core/records/events.ts";
import { streamEvent } from "../../../src/http/schemas/stream.ts";
import { eventually } from "../../helpers/eventually.ts";
import { anObservation, aSummary } from "../sample-answers.ts";
import { type FakeWorld, fakeWorld, listenOnLoopback } from "../support.ts";

let world: FakeWorld;
const clients: StreamClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.leave();
  await world.app.close();
});

async function start(options: Parameters<typeof fakeWorld>[0] = {}): Promise<number> {
  world = fakeWorld(options);
  return listenOnLoopback(world);
}

async function join(port: number, query = ""): Promise<StreamClient> {
  const client = await openStream(port, query);
  clients.push(client);
  return client;
}

const published: StreamEvent[] = [
  { type: "processing_status", isProcessing: true, queueDepth: 3, paused: null },
  {
    type: "processing_status",
    isProcessing: true,
    queueDepth: 3,
    paused: { kind: "auth", message: "401", until: null, next: "Log in again." },
  },
  { type: "session_started", sessionDbId: 1, project: "alpha" },
  { type: "session_completed", sessionDbId: 1, project: "alpha" },
  { type: "observation_queued", sessionDbId: 1 },
  { type: "summarize_queued" },
  { type: "observation_created", observation: anObservation(1) },
  {
    type: "new_prompt",
    id: 1,
    claude_session_id: "c",
    project: "alpha",
    prompt_number: 1,
    prompt_text: "two\nlines",
    created_at_epoch: 1,
  },
  {
    type: "new_observation",
    id: 1,
    title: "t",
    subtitle: null,
    obs_type: "bugfix",
    project: "alpha",
    created_at_epoch: 1,
  },
];

describe("GET /stream", () => {
  test("starts with projects and queue, then sends every event as it is published", async () => {
    const port = await start({ projects: ["alpha", "beta"] });
    const client = await join(port);
    for (const event of published) world.hub.publish(event);
    await client.received(2 + published.length);
    expect(client.events).toEqual([
      { type: "initial_load", projects: ["alpha", "beta"], isProcessing: false, queueDepth: 0, paused: null },
      { type: "processing_status", isProcessing: false, queueDepth: 0, paused: null },
      ...published,
    ]);
    for (const event of client.events) expect(streamEvent.parse(event)).toEqual(event);
    expect(client.response.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    expect(client.response.headers["cross-origin-resource-policy"]).toBe("same-origin");
    expect(client.text).not.toMatch(/^(?!data: |:|$)/m);
  });

  test("reports a new client to others at most once a second, to itself immediately", async () => {
    let now = 10_000;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const port = await start({ nowMs: () => now });
      const first = await join(port);
      const loads = () => first.events.filter(({ type }) => type === "initial_load").length;
      now += 1500;
      await join(port);
      await first.received(3);
      expect(loads()).toBe(2);
      for (let n = 0; n < 20; n++) {
        now += 10;
        const late = await join(port);
        await late.received(2);
      }
      expect(loads()).toBe(2);
      now += 1000;
      vi.advanceTimersByTime(1000);
      await first.received(4);
      expect(loads()).toBe(3);
    } finally {
      vi.useRealTimers();
    }
  });

  test("with a project sends its events, after a rename too, and those without one", async () => {
    let label = "alpha";
    const port = await start({ override: { projectNamed: (name) => (name === "alpha" ? label : name) } });
    const [alpha, beta] = [await join(port, "?project=alpha"), await join(port, "?project=beta")];
    // The others' `initial_load` may come at any moment.
    const seenBy = (client: StreamClient) =>
      client.events.filter(({ type }) => !["initial_load", "processing_status"].includes(type));
    const about = (project: string, id: number): StreamEvent[] => [
      { type: "session_started", sessionDbId: id, project },
      { type: "observation_created", observation: { ...anObservation(id), project } },
      { type: "observation_changed", observation: { ...anObservation(id), project } },
      { type: "summary_created", summary: { ...aSummary(id), project } },
    ];
    const toAll: StreamEvent = { type: "observation_queued", sessionDbId: 9 };
    for (const event of [...about("alpha", 1), ...about("beta", 2), toAll]) world.hub.publish(event);
    label = "alpha-renamed";
    for (const event of [...about("alpha-renamed", 3), ...about("alpha", 4), toAll]) world.hub.publish(event);
    const expected = [...about("alpha", 1), toAll, ...about("alpha-renamed", 3), toAll];
    await eventually(() => expect(seenBy(alpha)).toEqual(expected));
    await eventually(() => expect(seenBy(beta)).toEqual([...about("beta", 2), toAll, toAll]));
    expect(beta.events[0]).toMatchObject({ type: "initial_load", projects: ["alpha"] });
  });

  test("forgets a client that has gone", async () => {
    const port = await start();
    const client = await join(port);
    await join(port);
    expect(world.hub.clientCount()).toBe(2);
    client.leave();
    await eventually(() => expect(world.hub.clientCount()).toBe(1));
    world.hub.publish({ type: "summarize_queued" });
  });

  test("is 503 stream_full when too many are open, and opens again when one has left", async () => {
    const port = await start({ streamLimits: { maxClients: 2 } });
    const client = await join(port);
    await join(port);
    const refused = await openStream(port);
    expect(refused.response.statusCode).toBe(503);
    await eventually(() => expect(refused.text).toContain("stream_full"));
    refused.leave();
    client.leave();
    await eventually(() => expect(world.hub.clientCount()).toBe(1));
    expect((await join(port)).response.statusCode).toBe(200);
  });

  test("drops a client that does not read, and the others miss nothing", async () => {
    const port = await start({ streamLimits: { maxQueuedBytes: 64 * 1024 } });
    const reader = await join(port);
    const paused = await join(port);
    paused.response.pause();
    const event: StreamEvent = {
      type: "observation_created",
      observation: { ...anObservation(1), narrative: "x".repeat(60_000) },
    };
    let sent = 0;
    while (world.hub.clientCount() === 2 && sent < 2000) {
      world.hub.publish(event);
      sent += 1;
      await reader.received(sent + 2);
    }
    expect(world.hub.clientCount()).toBe(1);
    expect(sent).toBeLessThan(2000);
    // A busy machine may send the number of clients in between, which is an event too.
    const created = () => reader.events.filter(({ type }) => type === "observation_created");
    await eventually(() => expect(created()).toHaveLength(sent));
  });

  test("keeps a client that reads when many events come in one go", async () => {
    const port = await start({ streamLimits: { maxQueuedBytes: 64 * 1024 } });
    const client = await join(port);
    const observation = { ...anObservation(1), narrative: "x".repeat(10_000) };
    for (let n = 0; n < 20; n++) world.hub.publish({ type: "observation_created", observation });
    await client.received(22);
    expect(world.hub.clientCount()).toBe(1);
  });

  test("sends a comment as heartbeat", async () => {
    const port = await start({ streamLimits: { heartbeatMs: 10 } });
    const client = await join(port);
    await eventually(() => expect(client.text).toContain("\n:\n\n"));
  });

  test("ends with the worker, also for a stalled client, and accepts none after", async () => {
    const port = await start();
    const reader = await join(port);
    const paused = await join(port);
    paused.response.pause();
    for (let n = 0; n < 100; n++) {
      world.hub.publish({
        type: "observation_created",
        observation: { ...anObservation(1), narrative: "x".repeat(100_000) },
      });
    }
    await world.app.close();
    await reader.ended;
    expect(world.hub.clientCount()).toBe(0);
    expect(() => world.hub.assertRoom()).toThrow(expect.objectContaining({ code: "shutting_down" }));
  });
});

interface StreamClient {
  response: IncomingMessage;
  /** Everything that came, as text. */
  readonly text: string;
  readonly events: { type: string }[];
  /** Resolves when so many events have come. */
  received(count: number): Promise<void>;
  ended: Promise<void>;
  leave(): void;
}

function openStream(port: number, query = ""): Promise<StreamClient> {
  return new Promise((resolve, reject) => {
    const sent: ClientRequest = request({ host: "127.0.0.1", port, path: `/stream${query}`, agent: false });
    sent.on("error", reject);
    sent.on("response", (response) => resolve(follow(sent, response)));
    sent.end();
  });
}

function follow(sent: ClientRequest, response: IncomingMessage): StreamClient {
  let text = "";
  const events: { type: string }[] = [];
  response.setEncoding("utf8");
  response.on("data", (chunk: string) => {
    text += chunk;
    const frames = text.split("\n\n");
    for (const frame of frames.slice(events.length, -1).filter((line) => line.startsWith("data: "))) {
      events.push(JSON.parse(frame.slice("data: ".length)));
    }
  });
  response.on("error", () => undefined);
  return {
    response,
    get text() {
      return text;
    },
    events,
    received: (count) => after(response, () => events.length >= count),
    ended: new Promise((done) => response.once("close", done)),
    leave: () => void sent.destroy(),
  };
}

function after(response: IncomingMessage, isTrue: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isTrue()) return;
      response.off("data", look);
      resolve();
    };
    response.on("data", look);
    look();
  });
}
