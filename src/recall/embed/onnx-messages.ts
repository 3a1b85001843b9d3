// What the worker and the process that runs a model say to each other.

/** First message to the process. */
export interface ModelLoad {
  /** A directory, or a name on the hub. */
  model: string;
  /** Folders whose `node_modules` may hold the library, best first. */
  libraries: readonly string[];
  /** Where models of the hub are kept. */
  cacheDir: string;
}

export type ModelRequest = { load: ModelLoad } | { call: number; texts: readonly string[] };

export type ModelAnswer =
  | { loaded: true }
  | { failed: { kind: "library" | "model"; message: string } }
  | { call: number; vectors: Float32Array[] }
  | { call: number; error: string };
