// A server of embeddings on this machine: the same text gets the same vector, and a test may let it fail.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface EmbeddingRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: { model: string; input: string[] } & Record<string, unknown>;
}

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as it is; not given: vectors in the protocol of the path. */
  body?: string;
  /** Answers only after so long. */
  afterMs?: number;
}

export interface EmbeddingServer {
  url: string;
  requests: EmbeddingRequest[];
  /** What the next requests get; undefined: vectors. */
  reply: (request: EmbeddingRequest) => Reply | undefined;
  dimensionOf: (model: string) => number;
  close(): Promise<void>;
}

/** Each word adds to one place of the vector: texts with words in common are near each other. */
export function wordVector(text: string, dimension: number): number[] {
  const vector = new Array<number>(dimension).fill(0.01);
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) {
    const place = [...word].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % dimension, 7);
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}

export async function embeddingServer(dimension = 64): Promise<EmbeddingServer> {
  const http = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const seen: EmbeddingRequest = {
      path: request.url ?? "",
      headers: request.headers,
      body: JSON.parse(text),
    };
    server.requests.push(seen);
    const { status = 200, headers = {}, body, afterMs = 0 } = server.reply(seen) ?? {};
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body ?? vectorsFor(seen, server.dimensionOf(seen.body.model)));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  };
  const { port } = http.address() as AddressInfo;
  const server: EmbeddingServer = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    reply: () => undefined,
    dimensionOf: () => dimension,
    close,
  };
  onTestFinished(close);
  return server;
}

function vectorsFor({ path, body }: EmbeddingRequest, dimension: number): string {
  const vectors = body.input.map((text) => wordVector(text, dimension));
  if (path.startsWith("/api/embed")) return JSON.stringify({ model: body.model, embeddings: vectors });
  // In another order than they were asked for: the index is what counts.
  const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding })).reverse();
  return JSON.stringify({ object: "list", data });
}
