// The thread that cleans large events, for worker and server.
import { parentPort } from "node:worker_threads";
import { type CleanAnswer, type CleanRequest, cleanedBy } from "../capture/cleaner.ts";

parentPort?.on("message", ({ call, task }: CleanRequest) => {
  const answer: CleanAnswer = { call, cleaned: cleanedBy(JSON.parse(task)) };
  parentPort?.postMessage(answer);
});
