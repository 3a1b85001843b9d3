import { beforeEach, expect, it } from "vitest";
import { createTopics, type Topic, type TopicRequest, type Topics } from "../../src/recall/topics.ts";
import { createMemorySearch } from "../helpers/memory-search.ts";
import { eachMemoryStore, someTime } from "../helpers/memory-store.ts";

const memory = eachMemoryStore();
let topics: Topics;
beforeEach(() => {
  topics = createTopics(createMemorySearch(memory));
});

async function observations(topic: Topic, request: Partial<TopicRequest> = {}): Promise<number[]> {
  const found = await topics.of(topic, { format: "index", limit: 20, ...request });
  return found.observations.map(({ id }) => id);
}

function fill(): void {
  memory.addObservation({ obs_type: "decision", at: someTime + 1, files_modified: ["src/a.ts"] });
  memory.addObservation({ obs_type: "change", concepts: ["what-changed"], at: someTime + 2 });
  memory.addObservation({ obs_type: "change", at: someTime + 4, concepts: ["how-it-works"] });
  memory.addObservation({ obs_type: "bugfix", concepts: ["what-changed"], at: someTime + 3 });
  memory.addObservation({ obs_type: "decision", project: "other", at: someTime + 5 });
  memory.addSummary({ concepts: ["what-changed"], files_read: ["src/a.ts"] });
  memory.addPrompt("what-changed decision src/a.ts");
}

it("decisions are observations of that type, newest first, of all projects or one", async () => {
  fill();
  expect(await observations({ topic: "decisions" })).toEqual([5, 1]);
  expect(await observations({ topic: "decisions" }, { project: "app" })).toEqual([1]);
  expect(await observations({ topic: "decisions" }, { project: "nowhere" })).toEqual([]);
});

it("finds changes by type or by concept, each once, newest first", async () => {
  fill();
  expect(await observations({ topic: "changes" })).toEqual([3, 4, 2]);
  expect(await observations({ topic: "changes" }, { limit: 2 })).toEqual([3, 4]);
});

it("finds how-it-works records by their concept", async () => {
  fill();
  expect(await observations({ topic: "how-it-works" })).toEqual([3]);
});

it("a concept and a file find session summaries as well, a type only observations", async () => {
  fill();
  const request = { format: "full", limit: 20 } as const;
  const byConcept = await topics.of({ topic: "concept", concept: "what-changed" }, request);
  expect(byConcept.observations.map(({ id }) => id)).toEqual([4, 2]);
  expect(byConcept.sessions).toMatchObject([{ id: 1, concepts: ["what-changed"] }]);
  const byFile = await topics.of({ topic: "file", path: "a.ts" }, request);
  expect([byFile.observations.length, byFile.sessions.length, byFile.prompts.length]).toEqual([1, 1, 0]);
  const byType = await topics.of({ topic: "type", obs_type: "bugfix" }, request);
  expect([byType.observations.length, byType.sessions.length]).toEqual([1, 0]);
});
