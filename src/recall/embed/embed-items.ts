// Gives what has a text its vector, where one text that is refused keeps no other from its own.
import { type Embedder, EmbedFailure } from "./embedder.ts";

interface Embedding<T> {
  textOf(item: T): string;
  signal: AbortSignal;
  /** Vectors of some of the items, in their order, all of one dimension. */
  put(items: readonly T[], vectors: readonly Float32Array[]): Promise<unknown>;
  /** Its text is refused, also cut short. */
  onRefused(item: T, cause: EmbedFailure): void;
}

const shortText = 1_000;

/** Embeds the items, all at once if that is possible. Throws what is no refusal. */
export async function embedItems<T>(
  embedder: Embedder,
  items: readonly T[],
  { textOf, signal, put, onRefused }: Embedding<T>,
): Promise<void> {
  async function embed(some: readonly T[], maxChars?: number): Promise<void> {
    const texts = some.map((item) => textOf(item).slice(0, maxChars));
    await put(some, await embedder.embed(texts, "document", signal));
  }

  async function embedAlone(item: T): Promise<void> {
    try {
      await embed([item]);
    } catch (cause) {
      demandRefusal(cause);
      await embed([item], shortText).catch((again: unknown) => onRefused(item, demandRefusal(again)));
    }
  }

  try {
    await embed(items);
  } catch (cause) {
    demandRefusal(cause);
    for (const item of items) await embedAlone(item);
  }
}

function demandRefusal(cause: unknown): EmbedFailure {
  if (cause instanceof EmbedFailure && cause.kind === "refused") return cause;
  throw cause;
}
