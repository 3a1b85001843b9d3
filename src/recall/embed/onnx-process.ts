// A process that runs a model. Pending calls fail when it ends.
import { type ChildProcess, fork } from "node:child_process";
import { cleanReason } from "../../core/outbound/error-text.ts";
import { EmbedFailure } from "./embedder.ts";

/** First message to the process. */
export interface ModelLoad {
  /** A directory, or a name on the hub. */
  model: string;
  /** Folders whose `node_modules` may hold the library, best first. */
  libraries: readonly string[];
  /** Cache of models from the hub. */
  cacheDir: string;
}

export type ModelRequest = { load: ModelLoad } | { call: number; texts: readonly string[] };

export type ModelAnswer =
  | { loaded: true }
  | { failed: { kind: "library" | "model"; message: string } }
  | { call: number; vectors: Float32Array[] }
  | { call: number; error: string };

export interface ModelProcessOptions extends ModelLoad {
  /** The process's script. */
  script: string;
  /** Where to install the library, for the hint when it is missing. */
  installIn: string;
  callTimeoutMs: number;
}

export type ModelProcess = ReturnType<typeof startModelProcess>;

interface Waiting {
  resolve(answer: Extract<ModelAnswer, { call: number }> | undefined): void;
  reject(failure: EmbedFailure): void;
  timer: NodeJS.Timeout;
}

// The first start may download a model.
const loadTimeoutMs = 10 * 60_000;
/** The call number of the load. */
const load = 0;

export function startModelProcess(options: ModelProcessOptions) {
  const { model, libraries, cacheDir, callTimeoutMs } = options;
  const state: State = { options, child: forkModel(options.script), waiting: new Map(), given: 0 };
  watch(state);
  const loaded = ask(state, { load: { model, libraries, cacheDir } }, load, loadTimeoutMs);
  // Calls await it; without a call the rejection has no receiver.
  loaded.catch(() => undefined);
  return {
    pid: state.child.pid,
    /** Calls so far. */
    get given() {
      return state.given;
    },
    /** Pending calls. */
    get open() {
      return state.waiting.size;
    },
    get ended() {
      return state.gone !== undefined;
    },
    /** Waits until the model is loaded. Throws `EmbedFailure`. */
    async call(texts: readonly string[]): Promise<Float32Array[]> {
      const number = ++state.given;
      await loaded;
      const answer = await ask(state, { call: number, texts }, number, callTimeoutMs);
      if (answer === undefined) throw new TypeError("a call was answered by a load");
      if ("error" in answer)
        throw new EmbedFailure(
          "refused",
          `${model} could not embed a text: ${cleanReason(answer.error, [])}`,
        );
      return answer.vectors;
    },
    end: (why: string) => lose(state, unavailable(why)),
  };
}

interface State {
  options: ModelProcessOptions;
  child: ChildProcess;
  waiting: Map<number, Waiting>;
  given: number;
  gone?: EmbedFailure;
}

function forkModel(script: string): ChildProcess {
  const child = fork(script, [], {
    env: {},
    execArgv: [],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.unref();
  child.channel?.unref();
  return child;
}

function watch(state: State): void {
  const { child } = state;
  child.on("message", (message) => settle(state, message as ModelAnswer));
  child.once("error", (cause) =>
    lose(state, unavailable(`The process of the model cannot run: ${cause.message}`)),
  );
  child.once("exit", (code, signal) =>
    lose(state, unavailable(`The process of the model ended (${signal ?? code}).`)),
  );
}

function ask(
  state: State,
  request: ModelRequest,
  number: number,
  timeoutMs: number,
): Promise<Parameters<Waiting["resolve"]>[0]> {
  const { child, gone, options, waiting } = state;
  return new Promise((resolve, reject) => {
    if (gone !== undefined) return reject(gone);
    const late = unavailable(`The model ${options.model} gave no answer within ${timeoutMs / 1_000} s.`);
    const timer = setTimeout(() => lose(state, late), timeoutMs);
    timer.unref();
    waiting.set(number, { resolve, reject, timer });
    sendTo(child, request, (cause) =>
      lose(state, unavailable(`The model cannot be asked: ${cause.message}`)),
    );
  });
}

function settle(state: State, answer: ModelAnswer): void {
  if ("failed" in answer) {
    lose(state, loadFailure(answer.failed, state.options));
    return;
  }
  const number = "call" in answer ? answer.call : load;
  const one = state.waiting.get(number);
  if (one === undefined) return;
  state.waiting.delete(number);
  clearTimeout(one.timer);
  one.resolve("call" in answer ? answer : undefined);
}

function lose(state: State, failure: EmbedFailure): void {
  state.gone ??= failure;
  for (const { reject, timer } of state.waiting.values()) {
    clearTimeout(timer);
    reject(failure);
  }
  state.waiting.clear();
  state.child.kill("SIGKILL");
}

function sendTo(child: ChildProcess, request: ModelRequest, onFailure: (cause: Error) => void): void {
  try {
    child.send(request, (cause) => cause && onFailure(cause));
  } catch (cause) {
    onFailure(cause instanceof Error ? cause : new Error(String(cause)));
  }
}

function unavailable(message: string): EmbedFailure {
  return new EmbedFailure("unavailable", message);
}

function loadFailure(
  { kind, message }: { kind: "library" | "model"; message: string },
  { model, installIn }: { model: string; installIn: string },
): EmbedFailure {
  const said = cleanReason(message, []);
  if (kind === "library") {
    return new EmbedFailure("setup", "The library that runs models is not installed.", {
      hint: `npm install --prefix ${installIn} @huggingface/transformers && mem worker restart`,
    });
  }
  return new EmbedFailure("setup", `The model ${model} cannot be loaded: ${said}`, {
    hint: "mem settings set MEM_EMBEDDING_MODEL <directory or hub name> && mem worker restart",
  });
}
