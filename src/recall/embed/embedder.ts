// The port of embedders: text to vectors.
import { MemError } from "../../core/errors.ts";

/** The purpose of a text: many models embed queries differently. */
export type TextRole = "query" | "document";

/** The embedders. One that hashed words added nothing to full text: -0.2 to 0.7 points of R@10 on five sets. */
export type EmbedderName = "onnx" | "http";

/** Only vectors of the same embedder and model can be compared. */
export interface EmbedderIdentity {
  embedder: EmbedderName;
  /** Empty for the only model of an embedder. */
  model: string;
}

export interface Embedder {
  readonly identity: EmbedderIdentity;
  /** Most texts of one call; may change after a call. */
  readonly batch: number;
  /**
   * One vector for each text, in their order, all of one dimension. Throws `EmbedFailure`, and `cancelled` when `signal`
   * aborts.
   */
  embed(texts: readonly string[], role: TextRole, signal: AbortSignal): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/**
 * - `setup`: the user has to fix it; `hint` says how.
 * - `unavailable`: it may answer later.
 * - `refused`: these texts are refused; others may pass.
 */
export type EmbedFailureKind = "setup" | "unavailable" | "refused";

interface EmbedFailureOptions {
  hint?: string;
  retryAfterMs?: number;
  cause?: unknown;
}

/** Texts could not be embedded. The message is for users and has no keys. */
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

/** The vectors of an answer, or why they are invalid. */
export function checkVectors(vectors: readonly Float32Array[], wanted: number): Float32Array[] | string {
  if (vectors.length !== wanted) return `${vectors.length} vectors for ${wanted} texts`;
  const dimension = vectors[0]?.length ?? 0;
  if (dimension < 2 || dimension > largestDimension) return `vectors of ${dimension} numbers`;
  if (vectors.some((vector) => vector.length !== dimension)) return "vectors of different lengths";
  if (vectors.some((vector) => !vector.every(Number.isFinite)))
    return "vectors with a value that is not a number";
  return [...vectors];
}

const largestDimension = 8_192;
