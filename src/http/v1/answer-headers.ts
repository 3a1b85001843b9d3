// The headers of answers that no single route sets, for the document.
import type { DescribedHeaders } from "../plugins/zod.ts";

/** Those of an answer with that status, of a route that needs a key or of one that does not. */
export function answerHeaders(status: number, isKeyed: boolean): DescribedHeaders {
  const isCounted = isKeyed && (status < 300 || status === 402 || status === 429);
  return {
    "X-Request-Id": "Names the request in the audit log and in the server's own log.",
    ...(status === 401 ? { "WWW-Authenticate": "`Bearer`: how a key is sent." } : {}),
    ...(status === 429 || status === 503 ? { "Retry-After": "Seconds to wait before another try." } : {}),
    ...(isCounted ? rate : {}),
  };
}

const rate: DescribedHeaders = {
  "X-RateLimit-Limit": "Requests of the key in a minute; sent where the server has a rate limit.",
  "X-RateLimit-Remaining": "How many of them are left; sent where the server has a rate limit.",
  "X-RateLimit-Reset": "When all of them are free again, in epoch seconds; sent where there is a rate limit.",
};
