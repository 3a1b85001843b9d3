// The embedders as the settings make them: the one that is set, and the ones that older vectors were made with.
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Clock } from "../clock.ts";
import { createBuiltinEmbedder } from "../embed/builtin.ts";
import type { Embedder, EmbedderIdentity } from "../embed/embedder.ts";
import { createHttpEmbedder } from "../embed/http.ts";
import { createOnnxEmbedder } from "../embed/onnx.ts";
import { packageFile } from "../paths.ts";
import { cacheDirectory } from "../settings/data-dir.ts";
import type { LoadedSettings } from "../settings/load.ts";

/** A model of the hub, 23 MB, 384 dimensions. */
const defaultOnnxModel = "Xenova/all-MiniLM-L6-v2";

/** What embeds by the settings, or null when nothing does. */
export function chosenEmbedder({ get }: LoadedSettings): EmbedderIdentity | null {
  const embedder = get("MEM_EMBEDDER");
  const model = get("MEM_EMBEDDING_MODEL");
  switch (embedder) {
    case "off":
      return null;
    case "builtin":
      return { embedder, model: "" };
    case "onnx":
      return { embedder, model: model === "" ? defaultOnnxModel : model.replace(/^~(?=\/)/, homedir()) };
    case "http":
      return { embedder, model };
    default:
      return embedder satisfies never;
  }
}

export function buildEmbedder(
  { embedder, model }: EmbedderIdentity,
  { settings, clock }: { settings: LoadedSettings; clock: Clock },
): Embedder {
  switch (embedder) {
    case "builtin":
      return createBuiltinEmbedder();
    case "onnx":
      return createOnnxEmbedder({
        model,
        script: packageFile("dist", "embed-process.cjs"),
        libraries: libraryFolders(settings.dataDir),
        cacheDir: join(cacheDirectory(), "models"),
        installIn: settings.dataDir,
      });
    case "http":
      return createHttpEmbedder({
        model,
        clock,
        baseUrl: settings.get("MEM_EMBEDDING_BASE_URL"),
        apiKey: () => settings.get("MEM_EMBEDDING_API_KEY").reveal(),
      });
    default:
      return embedder satisfies never;
  }
}

// The user's own install for mem, mem's own package, and what is installed for all: beside Node on every system.
function libraryFolders(dataDir: string): string[] {
  const node = dirname(process.execPath);
  return [dataDir, packageFile(), process.platform === "win32" ? node : join(dirname(node), "lib")];
}
