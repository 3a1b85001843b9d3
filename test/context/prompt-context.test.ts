import { expect, it } from "vitest";
import { createMemoryContext } from "../helpers/memory-context.ts";
import { eachMemoryStore } from "../helpers/memory-store.ts";

const memory = eachMemoryStore();

const statement = { said_by: "agent", standing: false, reach: "project", salience: 1 } as const;
const later = (words: string, known: number[] = []) =>
  createMemoryContext(memory).forLaterPrompt({ project: "app", words, known: new Set(known) });

it("quotes what is known of a file, a symbol or an error that the prompt names", async () => {
  const { id } = memory.addObservation({ summary: "`OrderCodec` builds a mapper per request.", statement });
  memory.addObservation({ summary: "The lock is per tenant.", statement });
  expect((await later("now look at OrderCodec please")).records).toEqual([id]);
  expect(await later("now look at OrderCodec please", [id])).toEqual({ text: "", records: [] });
  expect(await later("and now the next one")).toEqual({ text: "", records: [] });
});

it("does not take a name that stands in many records for a sign", async () => {
  for (let n = 0; n < 20; n++) memory.addObservation({ summary: `Step ${n} of \`app.ts\`.`, statement });
  expect(await later("open app.ts")).toEqual({ text: "", records: [] });
});
