// `onnx`: a local model in a child process, which is started on demand and renewed regularly.
import { MemError } from "../../core/errors.ts";
import { checkVectors, type Embedder, EmbedFailure } from "./embedder.ts";
import { asked } from "./model-traits.ts";
import { type ModelProcess, type ModelProcessOptions, startModelProcess } from "./onnx-process.ts";

interface OnnxOptions extends Omit<ModelProcessOptions, "callTimeoutMs"> {
  /** Calls that one process answers: model runtimes leak memory. */
  callsPerProcess?: number;
  /** After this long without work the process ends and frees its memory. */
  idleMs?: number;
  callTimeoutMs?: number;
}

export interface OnnxEmbedder extends Embedder {
  /** The running process, if any. */
  pid(): number | undefined;
}

export function createOnnxEmbedder(options: OnnxOptions): OnnxEmbedder {
  const { model, callsPerProcess = 500, idleMs = 2 * 60_000, callTimeoutMs = 60_000 } = options;
  let current: ModelProcess | undefined;
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  function processNow(): ModelProcess {
    if (closed) throw new EmbedFailure("unavailable", "The worker is stopping.");
    clearTimeout(idle);
    if (current !== undefined && current.given >= callsPerProcess) retire(current);
    if (current === undefined || current.ended) current = startModelProcess({ ...options, callTimeoutMs });
    return current;
  }

  // It answers its pending calls first; new calls go to a new process.
  function retire(old: ModelProcess): void {
    if (current === old) current = undefined;
    if (old.open === 0) old.end("Its process was renewed.");
    else leaving.add(old);
  }
  const leaving = new Set<ModelProcess>();

  function rest(used: ModelProcess): void {
    if (leaving.has(used) && used.open === 0) {
      leaving.delete(used);
      used.end("Its process was renewed.");
    }
    clearTimeout(idle);
    if (current === undefined || current.open > 0) return;
    idle = setTimeout(() => current?.end("Its process had nothing to do."), idleMs);
    idle.unref();
  }

  return {
    identity: { embedder: "onnx", model },
    batch: 16,
    pid: () => (current === undefined || current.ended ? undefined : current.pid),
    async embed(texts, role, signal) {
      if (signal.aborted) throw new MemError("cancelled");
      const process = processNow();
      try {
        const vectors = await unlessAborted(process.call(asked(texts, role, model)), signal);
        const checked = checkVectors(vectors, texts.length);
        if (typeof checked === "string") throw new EmbedFailure("unavailable", `${model} gave ${checked}.`);
        return checked;
      } finally {
        rest(process);
      }
    },
    async close() {
      closed = true;
      clearTimeout(idle);
      for (const process of [current, ...leaving]) process?.end("The worker is stopping.");
    },
  };
}

// A running call cannot be cancelled; its answer is ignored.
function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new MemError("cancelled"));
    signal.addEventListener("abort", onAbort, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
