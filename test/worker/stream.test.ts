// The stream of a real worker: every event of a session, with its fields, in the order of its making.
import { request } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { StreamEvent } from "../../src/core/records/events.ts";
import { streamEvent } from "../../src/http/schemas/stream.ts";
import { eventually } from "../helpers/eventually.ts";
import { startWorker, workerHome } from "../helpers/worker-process.ts";

function follow(port: number, query = ""): StreamEvent[] {
  const events: StreamEvent[] = [];
  let text = "";
  const sent = request({ host: "127.0.0.1", port, path: `/stream${query}`, agent: false }, (response) => {
    response.setEncoding("utf8").on("data", (chunk: string) => {
      const frames = (text + chunk).split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames)
        if (frame.startsWith("data: ")) events.push(streamEvent.parse(JSON.parse(frame.slice(6))));
    });
    response.on("error", () => undefined);
  });
  sent.on("error", () => undefined).end();
  onTestFinished(() => void sent.destroy());
  return events;
}

test("a session sends every event of the contract, to its project and to all", async () => {
  const worker = await startWorker(workerHome());
  const [all, other] = [follow(worker.port), follow(worker.port, "?project=other")];
  const types = (events: StreamEvent[]) => new Set(events.map(({ type }) => type));
  await eventually(() => expect(types(all)).toContain("processing_status"));
  await eventually(() => expect(types(other)).toContain("processing_status"));
  const session = { claudeSessionId: "c", project: "shop" };
  await worker.post("/api/sessions/init", { ...session, prompt: "Fix the redirect." });
  const file = { file_path: "/w/shop/login.ts", old_string: "a", new_string: "b" };
  await worker.post("/api/sessions/observations", {
    ...session,
    tool_name: "Edit",
    tool_input: file,
    tool_response: { filePath: "/w/shop/login.ts" },
  });
  await worker.post("/api/sessions/summarize", { ...session, last_assistant_message: "The redirect works." });
  await worker.post("/api/sessions/complete", session);
  const expected = [
    "initial_load",
    "processing_status",
    "session_started",
    "new_prompt",
    "observation_queued",
    "summarize_queued",
    "session_completed",
    "observation_created",
    "new_observation",
    "summary_created",
  ];
  await eventually(() =>
    expect(expected.filter((type) => !all.some((event) => event.type === type))).toEqual([]),
  );
  const [created] = all.flatMap((event) => (event.type === "observation_created" ? [event.observation] : []));
  expect(all).toContainEqual({
    type: "new_observation",
    id: created?.id,
    title: created?.title,
    subtitle: created?.subtitle,
    obs_type: created?.obs_type,
    project: "shop",
    created_at_epoch: created?.created_at_epoch,
  });
  expect(all).toContainEqual(
    expect.objectContaining({ type: "new_prompt", project: "shop", prompt_text: "Fix the redirect." }),
  );
  expect([...types(other)].toSorted()).toEqual([
    "initial_load",
    "observation_queued",
    "processing_status",
    "summarize_queued",
  ]);
  expect(other.at(0)).toMatchObject({
    type: "initial_load",
    isProcessing: false,
    queueDepth: 0,
    projects: [],
  });
  await worker.stop();
});
