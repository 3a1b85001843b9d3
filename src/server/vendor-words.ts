// What a vendor says of a failed call is what the operator needs, and may quote what it was sent: what teams wrote is taken
// out before it is logged.
import { ModelFailure } from "../generate/model-failure.ts";
import type { GenerationBatch, Provider } from "../generate/provider.ts";

/** The provider; its failures say nothing that stands in the batch. What they mean stays. */
export function withoutQuotes(provider: Provider): Provider {
  return {
    name: provider.name,
    async generate(batch, signal) {
      try {
        return await provider.generate(batch, signal);
      } catch (cause) {
        if (cause instanceof ModelFailure) throw unquoted(cause, batch);
        throw cause;
      }
    },
  };
}

function unquoted(failure: ModelFailure, batch: GenerationBatch): ModelFailure {
  const message = withoutTextOf(batch, failure.message);
  if (message === failure.message) return failure;
  const { retryAfterMs, usage, mends, isPage } = failure;
  return new ModelFailure(failure.kind, message, {
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(usage === undefined ? {} : { usage }),
    ...(mends === undefined ? {} : { mends }),
    isPage,
    // The cause would carry the words that were taken out.
  });
}

// What a name of a model or a parameter weighs less than.
const telling = 16;
// Vendors write English: four letters of another script are a team's. A quotation of three letters is one, of one such too.
const foreignWeight = 4;
const quotable = 3;

/** The message, without its reason when a run of its words stands in the batch, and without shorter quotations. */
function withoutTextOf({ session, messages, recentTitles }: GenerationBatch, message: string): string {
  const sent = plain(
    textsIn([session.user_prompt, ...recentTitles, messages.map(({ message: sent }) => ({ ...sent }))]).join(
      " ",
    ),
  );
  // `api.example.com answered 400: …`: what stands before the reason is ours.
  const [ours = ""] = /^\S+ answered \d{3}(?=: )/.exec(message) ?? [];
  const said = plain(message.slice(ours.length));
  for (const run of tellingRuns(said)) {
    if (sent.includes(run)) return `${ours} (the rest quotes what was sent)`.trim();
  }
  return message.replace(/(["'`])(.+?)\1/g, (quotation, mark: string, quoted: string) => {
    const words = plain(quoted);
    return weightOf(words) >= quotable && sent.includes(words) ? `${mark}…${mark}` : quotation;
  });
}

/** The shortest runs that tell something, from every letter on. */
function* tellingRuns(said: string): Generator<string> {
  let [start, end, weight] = [0, 0, 0];
  while (end < said.length) {
    weight += weightAt(said, end);
    end += 1;
    while (weight >= telling) {
      yield said.slice(start, end);
      weight -= weightAt(said, start);
      start += 1;
    }
  }
}

function weightOf(words: string): number {
  return Array.from({ length: words.length }, (_, at) => weightAt(words, at)).reduce(
    (sum, of) => sum + of,
    0,
  );
}

function weightAt(text: string, at: number): number {
  return text.charCodeAt(at) < 128 ? 1 : foreignWeight;
}

/** Letters and digits alone, so that escapes and line breaks hide no quotation. */
function plain(text: string): string {
  return text
    .replaceAll(/\\+u([0-9a-f]{4})/gi, (_escape, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
    .toLowerCase()
    .replaceAll(/\\+[nrtbf]?/g, " ")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
