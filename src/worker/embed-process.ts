// The process of a local model. It never outlives its worker.

import { type Extract, LibraryMissing, loadOnnxModel } from "../recall/embed/onnx-model.ts";
import type { ModelAnswer, ModelRequest } from "../recall/embed/onnx-process.ts";

let extract: Extract | undefined;
// One call at a time: the library uses every core for a call.
let turn: Promise<void> = Promise.resolve();

process.on("message", (request: ModelRequest) => {
  turn = turn.then(async () => {
    const answer = await answerTo(request);
    if (process.connected) process.send?.(answer);
  });
});
// The channel closes when the worker ends, also when it is killed. A busy library would keep the process alive.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

async function answerTo(request: ModelRequest): Promise<ModelAnswer> {
  if ("load" in request) {
    try {
      extract = await loadOnnxModel(request.load);
      return { loaded: true };
    } catch (cause) {
      const kind = cause instanceof LibraryMissing ? "library" : "model";
      return { failed: { kind, message: messageOf(cause) } };
    }
  }
  const { call, texts } = request;
  try {
    if (extract === undefined) throw new TypeError("no model is loaded");
    return { call, vectors: await extract(texts) };
  } catch (cause) {
    return { call, error: messageOf(cause) };
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
