// Tokens of model calls.

/** As the vendor counts them, else estimated at four characters a token. */
export interface TokenUsage {
  /** Includes the cached part. */
  inputTokens: number;
  outputTokens: number;
  /** The part of `inputTokens` from the vendor's cache, which is cheaper. */
  cachedTokens: number;
}

export const noUsage: Readonly<TokenUsage> = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };

export function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
  };
}
