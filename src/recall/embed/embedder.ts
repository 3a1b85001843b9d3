// The port of everything that turns text into vectors.
import { MemError } from "../../core/errors.ts";

/** What a text is embedded for: many models want to be told. */
export type TextRole = "query" | "document";

/** The embedders there are; `off` is none. */
export type EmbedderName = "builtin" | "onnx" | "http";

/** Whose vectors can be compared: those of one embedder and one model. */
export interface EmbedderIdentity {
  embedder: EmbedderName;
  /** Empty where there is only one. */
  model: string;
}

export interface Embedder {
  readonly identity: EmbedderIdentity;
  /** Texts of one call at most; it may be another number after a call. */
  readonly batch: number;
  /**
   * One vector for each text, in their order, all of one dimension. Throws `EmbedFailure`, and `cancelled` when `signal`
   * aborts.
   */
  embed(texts: readonly string[], role: TextRole, signal: AbortSignal): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/**
 * - `setup`: something that the user has to mend; `hint` says how.
 * - `unavailable`: it may answer another time.
 * - `refused`: these texts are refused; others may pass.
 */
export type EmbedFailureKind = "setup" | "unavailable" | "refused";

interface EmbedFailureOptions {
  hint?: string;
  retryAfterMs?: number;
  cause?: unknown;
}

/** Texts that could not be embedded. The message is for people: no keys. */
export class EmbedFailure extends MemError {
  readonly kind: EmbedFailureKind;
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: EmbedFailureKind,
    message: string,
    { hint, retryAfterMs, cause }: EmbedFailureOptions = {},
  ) {
    super("embedder_failed", { message, cause, ...(hint === undefined ? {} : { hint }) });
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The vectors of an answer, or why they are not what was asked for. */
export function checkVectors(vectors: readonly Float32Array[], wanted: number): Float32Array[] | string {
  if (vectors.length !== wanted) return `${vectors.length} vectors for ${wanted} texts`;
  const dimension = vectors[0]?.length ?? 0;
  if (dimension < 2 || dimension > largestDimension) return `vectors of ${dimension} numbers`;
  if (vectors.some((vector) => vector.length !== dimension)) return "vectors of different lengths";
  if (vectors.some((vector) => !vector.every(Number.isFinite))) return "vectors with what is no number";
  return [...vectors];
}

const largestDimension = 8_192;
