// `http`: a server that embeds, with OpenAI's `/embeddings` or Ollama's `/api/embed`.
import type { Clock } from "../../core/clock.ts";
import { parseEndpoint } from "../../core/outbound/endpoint.ts";
import { cleanReason, reasonIn } from "../../core/outbound/error-text.ts";
import type { Resolve } from "../../core/outbound/network-guard.ts";
import { createPoster, type PostAnswer, type Poster, PostFailure } from "../../core/outbound/post.ts";
import { retryAfterMs } from "../../core/outbound/retry-after.ts";
import { listAt, valueAt } from "../../core/outbound/wire-values.ts";
import { checkVectors, type Embedder, EmbedFailure } from "./embedder.ts";
import { asked } from "./model-traits.ts";

interface HttpEmbedderOptions {
  /** `MEM_EMBEDDING_MODEL`, sent unchanged. */
  model: string;
  /** `MEM_EMBEDDING_BASE_URL`; an address ending in `/api` or `/api/embed` is Ollama's. */
  baseUrl: string;
  /** `MEM_EMBEDDING_API_KEY`; read at every call. Servers on the user's own machine need none. */
  apiKey: () => string;
  clock: Clock;
  timeoutMs?: number;
  resolve?: Resolve;
}

const callTimeoutMs = 60_000;

// Parsing blocks the worker for 43 ms per MB. The number of texts per call keeps answers at half a MB; the first call has
// few, because only its answer tells the dimension.
const mostTexts = 32;
const firstTexts = 4;
const answerBytes = 512 * 1024;
const bytesPerNumber = 24;
const maxAnswerBytes = 1024 * 1024;

export function createHttpEmbedder(options: HttpEmbedderOptions): Embedder {
  const { model, clock, timeoutMs = callTimeoutMs, resolve } = options;
  const endpoint = endpointOf(options.baseUrl);
  let poster: Poster | undefined;

  let textsAtOnce = firstTexts;

  function open(origin: string): Poster {
    const bounds = { timeoutMs, maxAnswerBytes };
    poster ??= createPoster({ origin, ...bounds, ...(resolve === undefined ? {} : { resolve }) });
    return poster;
  }

  return {
    identity: { embedder: "http", model },
    get batch() {
      return textsAtOnce;
    },
    async embed(texts, role, signal) {
      if (typeof endpoint === "string") throw new EmbedFailure("setup", endpoint, { hint: setAddress });
      if (model === "") throw new EmbedFailure("setup", "No embedding model is named.", { hint: setModel });
      const key = options.apiKey().trim();
      const request = {
        path: endpoint.path,
        headers: key === "" ? {} : { authorization: `Bearer ${key}` },
        body: { model, input: asked(texts, role, model), ...endpoint.extra },
        secrets: [key],
      };
      const answer = await open(endpoint.origin)
        .post(request, signal)
        .catch((cause: unknown) => {
          throw cause instanceof PostFailure ? notAnswered(cause) : cause;
        });
      if (answer.status >= 400) throw refused(endpoint.origin, answer, [key], clock.now());
      const vectors = readVectors(new URL(endpoint.origin).host, answer.text, texts.length, [key]);
      textsAtOnce = textsWithin(vectors[0]?.length ?? 0);
      return vectors;
    },
    close: async () => poster?.close(),
  };
}

const setAddress = "mem settings set MEM_EMBEDDING_BASE_URL <address> && mem worker restart";
const setModel = "mem settings set MEM_EMBEDDING_MODEL <model> && mem worker restart";
const setKey = "mem settings set MEM_EMBEDDING_API_KEY <key> && mem worker restart";

interface Endpoint {
  origin: string;
  path: string;
  /** Parameters of the protocol besides model and input. */
  extra: object;
}

function endpointOf(baseUrl: string): Endpoint | string {
  const setting = "MEM_EMBEDDING_BASE_URL";
  if (baseUrl.trim() === "") return `${setting} is empty: http needs the address of a server.`;
  if (/\/api(\/embed)?\/*$/.test(baseUrl.trim())) {
    const found = parseEndpoint(baseUrl.trim().replace(/\/embed\/*$/, ""), {
      setting,
      call: "/embed",
      version: "",
    });
    return typeof found === "string" ? found : { ...found, extra: { truncate: true } };
  }
  const found = parseEndpoint(baseUrl, { setting, call: "/embeddings", version: "/v1" });
  return typeof found === "string" ? found : { ...found, extra: { encoding_format: "float" } };
}

function textsWithin(dimension: number): number {
  const bytes = Math.max(1, dimension) * bytesPerNumber;
  return Math.min(mostTexts, Math.max(1, Math.floor(answerBytes / bytes)));
}

function readVectors(who: string, text: string, wanted: number, secrets: readonly string[]): Float32Array[] {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new EmbedFailure(
      "unavailable",
      `${who} answered with invalid JSON: ${cleanReason(text.slice(0, 200), secrets)}`,
    );
  }
  const ollama = listAt(answer, "embeddings");
  // A server may reorder them; each has the index of its text.
  const openAi = listAt(answer, "data").toSorted((a, b) => indexOf(a) - indexOf(b));
  const lists = ollama.length > 0 ? ollama : openAi.map((entry) => valueAt(entry, "embedding"));
  // Counted first: 4 MB of empty lists would become a million arrays of 300 MB.
  const checked =
    lists.length === wanted
      ? checkVectors(lists.map(numbersOf), wanted)
      : `${lists.length} vectors for ${wanted} texts`;
  // As many as asked for, and one of them unusable: its text is the cause.
  const kind = lists.length === wanted ? "refused" : "unavailable";
  if (typeof checked === "string") throw new EmbedFailure(kind, `${who} answered with ${checked}.`);
  return checked;
}

function indexOf(entry: unknown): number {
  return Number(valueAt(entry, "index") ?? 0);
}

function numbersOf(value: unknown): Float32Array {
  return Float32Array.from(Array.isArray(value) ? value : [], (entry) =>
    typeof entry === "number" ? entry : Number.NaN,
  );
}

function notAnswered({ kind, message, cause }: PostFailure): EmbedFailure {
  switch (kind) {
    case "late":
    case "unreachable":
    case "unreadable":
      return new EmbedFailure("unavailable", message, { cause });
    case "address":
      return new EmbedFailure("setup", message, { hint: setAddress });
    case "unsendable":
      return new EmbedFailure("setup", message, { hint: setKey });
    default:
      return kind satisfies never;
  }
}

function refused(
  origin: string,
  { status, headers, text }: PostAnswer,
  secrets: readonly string[],
  now: number,
): EmbedFailure {
  const reason = reasonIn(text, secrets);
  const message = `${new URL(origin).host} answered ${status}${reason === "" ? "." : `: ${reason}`}`;
  if (status === 401 || status === 403) return new EmbedFailure("setup", message, { hint: setKey });
  // Ollama answers 404 for an unknown model, other servers for a path.
  if (status === 404 || status === 405) return new EmbedFailure("setup", message, { hint: setModel });
  // llama.cpp and Ollama answer 500 for a text that is too long for the model.
  if ([400, 413, 422, 500].includes(status)) return new EmbedFailure("refused", message);
  const wait = retryAfterMs(headers, text, now);
  return new EmbedFailure("unavailable", message, wait === undefined ? {} : { retryAfterMs: wait });
}
