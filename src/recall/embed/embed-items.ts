// Embeds items in batches; a refused text does not fail the others.
import { type Observation, parseList } from "../../core/records/records.ts";
import { type Embedder, EmbedFailure } from "./embedder.ts";

interface Embedding<T> {
  textOf(item: T): string;
  signal: AbortSignal;
  /** Vectors of some of the items, in their order, all of one dimension. */
  put(items: readonly T[], vectors: readonly Float32Array[]): Promise<unknown>;
  /** The text is refused, also in its short form. */
  onRefused(item: T, cause: EmbedFailure): void;
}

const shortText = 1_000;
// Any embedder takes it. Sent after a refusal: it tells a refused text from a server that refuses everything.
const harmless = "memory";

/** Embeds the items in one call; after a refusal in halves, down to the refused text. Throws every other failure. */
export async function embedItems<T>(
  embedder: Embedder,
  items: readonly T[],
  { textOf, signal, put, onRefused }: Embedding<T>,
): Promise<void> {
  async function embed(some: readonly T[], maxChars?: number): Promise<void> {
    const texts = some.map((item) => textOf(item).slice(0, maxChars));
    await put(some, await embedder.embed(texts, "document", signal));
  }

  async function embedParts(some: readonly T[]): Promise<void> {
    const [first] = some;
    if (first === undefined) return;
    if (some.length === 1)
      return embed(some, shortText).catch((cause: unknown) => onRefused(first, demandRefusal(cause)));
    const half = Math.ceil(some.length / 2);
    for (const part of [some.slice(0, half), some.slice(half)])
      await embed(part).catch((cause: unknown) => {
        demandRefusal(cause);
        return embedParts(part);
      });
  }

  try {
    await embed(items);
  } catch (cause) {
    demandRefusal(cause);
    await embedder.embed([harmless], "document", signal).catch(() => {
      throw cause;
    });
    await embedParts(items);
  }
}

function demandRefusal(cause: unknown): EmbedFailure {
  if (cause instanceof EmbedFailure && cause.kind === "refused") return cause;
  throw cause;
}

// Models read some hundred words and drop the rest; the most important parts come first.
const longestChars = 4_000;

/** The embedded text of an observation: title, facts and narrative, or the summary without a narrative. */
export function observationText(
  observation: Pick<Observation, "title" | "subtitle" | "summary" | "narrative" | "facts">,
): string {
  const { title, subtitle, summary, narrative, facts } = observation;
  const parts = [title, subtitle, ...parseList(facts), narrative || summary];
  const text = parts.filter((part) => part !== null && part !== "").join("\n");
  // A lone surrogate is not text.
  return text.slice(0, longestChars).replace(/[\ud800-\udbff]$/, "");
}
