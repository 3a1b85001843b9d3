// Removes quotations of team content from provider errors, before the operator's log gets them.
import { ModelFailure } from "../../generate/model-failure.ts";
import type { GenerationBatch, Provider } from "../../generate/provider.ts";

/** Wraps a provider: its errors quote no text of the batch. */
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
  const { retryAfterMs, usage, fix, isPage } = failure;
  return new ModelFailure(failure.kind, message, {
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(usage === undefined ? {} : { usage }),
    ...(fix === undefined ? {} : { fix }),
    isPage,
    // Without the cause, which has the removed text.
  });
}

// Weight of a run that counts as a quotation; names of models and parameters weigh less.
const quotationWeight = 16;
// Providers write English, so letters of other scripts are a team's and weigh more. Quotation marks need less weight.
const foreignWeight = 4;
const quotable = 3;

/** The message without its reason when a run of it is in the batch, and without shorter quotations. */
function withoutTextOf({ session, messages, recentTitles }: GenerationBatch, message: string): string {
  const sent = plain(
    textsIn([session.user_prompt, ...recentTitles, messages.map(({ message: sent }) => ({ ...sent }))]).join(
      " ",
    ),
  );
  // `api.example.com answered 400: …`: the part before the reason is ours.
  const [ours = ""] = /^\S+ answered \d{3}(?=: )/.exec(message) ?? [];
  const said = plain(message.slice(ours.length));
  for (const run of quotationRuns(said)) {
    if (sent.includes(run)) return `${ours} (the rest quotes what was sent)`.trim();
  }
  return message.replace(/(["'`])(.+?)\1/g, (quotation, mark: string, quoted: string) => {
    const words = plain(quoted);
    return weightOf(words) >= quotable && sent.includes(words) ? `${mark}…${mark}` : quotation;
  });
}

/** The shortest runs with the weight of a quotation, from each position. */
function* quotationRuns(said: string): Generator<string> {
  let [start, end, weight] = [0, 0, 0];
  while (end < said.length) {
    weight += weightAt(said, end);
    end += 1;
    while (weight >= quotationWeight) {
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

/** Letters and digits only: escapes and line breaks hide no quotation. */
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
