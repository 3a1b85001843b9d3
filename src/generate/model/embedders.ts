// Builds the configured embedder, and the embedders of older vectors.
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { packageFile } from "../../core/paths.ts";
import type { Embedder, EmbedderIdentity, EmbedderName } from "../../recall/embed/embedder.ts";
import { createHttpEmbedder } from "../../recall/embed/http.ts";
import { createOnnxEmbedder } from "../../recall/embed/onnx.ts";
import { cacheDirectory } from "../../settings/data-dir.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import type { Secret } from "../../settings/secret.ts";
import type { ServerSettings } from "../../settings/server.ts";

/** Worker and server have them under the same names in their own tables. */
export interface EmbedderSettings {
  isWanted: boolean;
  embedder: EmbedderName | "builtin" | "off";
  model: string;
  baseUrl: string;
  apiKey: Secret;
}

export function embedderSettings({ get }: Pick<LoadedSettings, "get">): EmbedderSettings {
  return {
    isWanted: get("MEM_VECTOR_INDEX"),
    embedder: get("MEM_EMBEDDER"),
    model: get("MEM_EMBEDDING_MODEL"),
    baseUrl: get("MEM_EMBEDDING_BASE_URL"),
    apiKey: get("MEM_EMBEDDING_API_KEY"),
  };
}

export function serverEmbedderSettings({ get }: ServerSettings): EmbedderSettings {
  return {
    isWanted: get("MEM_VECTOR_INDEX"),
    embedder: get("MEM_EMBEDDER"),
    model: get("MEM_EMBEDDING_MODEL"),
    baseUrl: get("MEM_EMBEDDING_BASE_URL"),
    apiKey: get("MEM_EMBEDDING_API_KEY"),
  };
}

/** A model of the hub, 23 MB, 384 dimensions. */
const defaultOnnxModel = "Xenova/all-MiniLM-L6-v2";

/** Null when it is off. */
export function chosenEmbedder({ embedder, model }: EmbedderSettings): EmbedderIdentity | null {
  switch (embedder) {
    case "off":
    case "builtin":
      return null;
    case "onnx":
      return { embedder, model: model === "" ? defaultOnnxModel : model.replace(/^~(?=\/)/, homedir()) };
    case "http":
      return { embedder, model };
    default:
      return embedder satisfies never;
  }
}

/** Why there are no vectors, or null. */
export function whyNoVectors({ isWanted, embedder }: EmbedderSettings): string | null {
  if (!isWanted) return "MEM_VECTOR_INDEX is off";
  if (embedder === "off") return "MEM_EMBEDDER is off";
  return embedder === "builtin"
    ? "MEM_EMBEDDER is builtin, which keeps no vectors; MEM_EMBEDDER=onnx or http does"
    : null;
}

interface EmbedderDeps {
  settings: EmbedderSettings;
  /** The user's own libraries are installed here. */
  dataDir: string;
  clock: Clock;
}

export function buildEmbedder(
  { embedder, model }: EmbedderIdentity,
  { settings, dataDir, clock }: EmbedderDeps,
): Embedder {
  switch (embedder) {
    case "onnx":
      return createOnnxEmbedder({
        model,
        script: packageFile("dist", "embed-process.cjs"),
        libraries: libraryFolders(dataDir),
        cacheDir: join(cacheDirectory(), "models"),
        installIn: dataDir,
      });
    case "http":
      return createHttpEmbedder({
        model,
        clock,
        baseUrl: settings.baseUrl,
        apiKey: () => settings.apiKey.reveal(),
      });
    default:
      return embedder satisfies never;
  }
}

// The user's install for mem, mem's own package, and global packages beside Node.
function libraryFolders(dataDir: string): string[] {
  const node = dirname(process.execPath);
  return [dataDir, packageFile(), process.platform === "win32" ? node : join(dirname(node), "lib")];
}
