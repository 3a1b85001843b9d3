// The observation feed: from the worker's stream to a channel of the gateway, and back after a lost connection.
import { describe, expect, onTestFinished, test } from "vitest";
import { type CalledWorker, serveIn } from "../../helpers/called-worker.ts";
import { eventually } from "../../helpers/eventually.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { drained, workerHome } from "../../helpers/worker-process.ts";
import { type GatewayDouble, gatewayDouble } from "./gateway-double.ts";

const observationFeed = { enabled: true, channel: "chat", to: "room-1" };

interface Message {
  to: string;
  text: string;
}

/** A gateway with a channel, and with a clock that the test moves. */
function withChannel(environment: NodeJS.ProcessEnv, settings: object = { observationFeed }) {
  const messages: Message[] = [];
  const waits: number[] = [];
  const due: (() => void)[] = [];
  const sendText = async ({ to, text }: Message) => {
    messages.push({ to, text });
  };
  const loadAdapter = async (name: string) => (name === "chat" ? { sendText } : undefined);
  const gateway = gatewayDouble({
    settings: { ...settings },
    runtime: { channel: { outbound: { loadAdapter } } },
    deps: {
      environment,
      after(ms, run) {
        // Deadlines of messages are not waited for.
        if (ms === 10_000) return () => undefined;
        waits.push(ms);
        due.push(run);
        return () => due.splice(due.indexOf(run), 1);
      },
    },
  });
  onTestFinished(() => gateway.stopServices());
  return { gateway, messages, waits, passTime: () => due.shift()?.() };
}

async function observe(worker: CalledWorker, file: string): Promise<void> {
  await worker.post("/api/sessions/observations", {
    claudeSessionId: "s1",
    project: "demo",
    tool_name: "Edit",
    tool_input: { file_path: `/srv/demo/${file}`, old_string: "1", new_string: "2" },
    tool_response: "ok",
  });
  await drained(worker);
}

const connected = (gateway: GatewayDouble) =>
  eventually(async () => expect(await gateway.command("mem_feed")).toContain(", connected"));

test("a new observation becomes a message to the channel", async () => {
  const home = workerHome();
  const worker = await serveIn(home);
  const { gateway, messages } = withChannel(home.env);
  gateway.startServices();
  await connected(gateway);
  await observe(worker, "login-timeout.ts");
  await eventually(() => expect(messages).toHaveLength(1));
  expect(messages[0]).toEqual({ to: "room-1", text: expect.stringMatching(/^\[demo\] .*login-timeout\.ts/) });
  expect(await gateway.command("mem_feed")).toBe("Feed: on, to chat room-1, connected; 1 sent");
});

test("waits 1 s after a lost connection, twice as long each time, at most 30 s", async () => {
  const { gateway, waits, passTime } = withChannel({ MEM_DATA_DIR: tempDir() });
  gateway.startServices();
  for (const count of [1, 2, 3, 4, 5, 6, 7]) {
    await eventually(() => expect(waits).toHaveLength(count));
    passTime();
  }
  expect(waits.slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

test("connects to the next worker, and waits 1 s again after that", async () => {
  const home = workerHome();
  const first = await serveIn(home);
  const { gateway, messages, waits, passTime } = withChannel(home.env);
  gateway.startServices();
  await connected(gateway);
  await first.stop();
  await eventually(() => expect(waits).toEqual([1_000]));
  passTime();
  await eventually(() => expect(waits).toEqual([1_000, 2_000]));
  const second = await serveIn(home);
  passTime();
  await connected(gateway);
  await observe(second, "again.ts");
  await eventually(() => expect(messages).toHaveLength(1));
  await second.stop();
  await eventually(() => expect(waits).toEqual([1_000, 2_000, 1_000]));
});

describe("/mem_feed", () => {
  test("turns it on and off", async () => {
    const home = workerHome();
    const worker = await serveIn(home);
    const { gateway, messages } = withChannel(home.env, {
      observationFeed: { ...observationFeed, enabled: false },
    });
    gateway.startServices();
    expect(await gateway.command("mem_feed")).toContain("Feed: off");
    expect(await gateway.command("mem_feed", " ON ")).toContain("Feed: on");
    await connected(gateway);
    expect(await gateway.command("mem_feed", "off")).toContain("Feed: off");
    await observe(worker, "unseen.ts");
    expect(messages).toEqual([]);
  });

  test("tells what is missing", async () => {
    const { gateway } = withChannel({ MEM_DATA_DIR: tempDir() }, {});
    gateway.startServices();
    expect(await gateway.command("mem_feed", "on")).toContain("Set observationFeed.channel");
    expect(await gateway.command("mem_feed", "loud")).toBe("Usage: /mem_feed [on|off]");
  });
});

test("a channel that refuses messages is logged once, and the feed goes on", async () => {
  const home = workerHome();
  const worker = await serveIn(home);
  const { gateway } = withChannel(home.env, { observationFeed: { ...observationFeed, channel: "gone" } });
  gateway.startServices();
  await connected(gateway);
  await observe(worker, "a.ts");
  await eventually(async () => expect(await gateway.command("mem_feed")).toContain("1 not delivered"));
  expect(gateway.warnings).toEqual(["mem: the feed's channel did not take a message"]);
});
