// The vector index thread. It reads with its own connection, so that a search never blocks the worker.
import { parentPort, workerData } from "node:worker_threads";
import type { ThreadAnswer, ThreadData, ThreadRequest } from "../recall/vectors/index-thread.ts";
import { createVectorIndex } from "../recall/vectors/vector-index.ts";
import { openVectorReader } from "../store/sqlite/vectors.ts";

const { databasePath } = workerData as ThreadData;
const source = openVectorReader(databasePath);
const index = createVectorIndex(source);

parentPort?.on("message", (request: ThreadRequest) => {
  parentPort?.postMessage(answer(request));
});

// A failed read (a busy database, a full disk) fails one search, not the thread.
function answer({ call, nearest }: ThreadRequest): ThreadAnswer {
  try {
    return { call, hits: index.nearest(nearest) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return { call, failed: `the vectors cannot be read: ${why}` };
  }
}
