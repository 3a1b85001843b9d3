// Loads `@huggingface/transformers` and a model with it. Runs in the process of the model, never in the worker.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, isAbsolute, join } from "node:path";
import { poolingOf } from "./model-traits.ts";
import type { ModelLoad } from "./onnx-messages.ts";

export type Extract = (texts: readonly string[]) => Promise<Float32Array[]>;

/** The library is not installed; the message says where it was looked for. */
export class LibraryMissing extends Error {}

/** What of the library is used. */
interface Transformers {
  env: { cacheDir: string; localModelPath: string; allowRemoteModels: boolean; allowLocalModels: boolean };
  pipeline(
    task: "feature-extraction",
    model: string,
    options: { dtype: string; device: string; local_files_only: boolean },
  ): Promise<
    (
      texts: string[],
      options: { pooling: string; normalize: boolean },
    ) => Promise<{
      dims: number[];
      data: ArrayLike<number>;
    }>
  >;
}

const library = "@huggingface/transformers";

/** The model, ready to embed. Throws `LibraryMissing`, or what the library says of the model. */
export async function loadOnnxModel({ model, libraries, cacheDir }: ModelLoad): Promise<Extract> {
  const { env, pipeline } = requireLibrary(libraries);
  const isLocal = isAbsolute(model);
  env.cacheDir = cacheDir;
  env.allowRemoteModels = !isLocal;
  if (isLocal) env.localModelPath = `${dirname(model)}/`;
  const extract = await pipeline("feature-extraction", isLocal ? basename(model) : model, {
    dtype: isLocal ? storedType(model) : "q8",
    device: "cpu",
    local_files_only: isLocal,
  });
  const pooling = poolingOf(model);
  return async (texts) => {
    const { dims, data } = await extract([...texts], { pooling, normalize: true });
    const width = dims.at(-1) ?? 0;
    return texts.map((_text, at) =>
      Float32Array.from({ length: width }, (_, place) => data[at * width + place] ?? Number.NaN),
    );
  };
}

// Found by hand, folder by folder: Node would go on into the folders above, which may be anybody's.
function requireLibrary(folders: readonly string[]): Transformers {
  const found = folders.find((folder) => existsSync(join(folder, "node_modules", library, "package.json")));
  if (found === undefined) throw new LibraryMissing(`${library} is in none of: ${folders.join(", ")}`);
  return createRequire(join(found, "node_modules", "from-here.js"))(library) as Transformers;
}

// The smallest there is: a quantised model of 384 dimensions is a quarter of the whole one, and as good for this.
function storedType(directory: string): string {
  const files = [
    ["model_quantized.onnx", "q8"],
    ["model_int8.onnx", "int8"],
    ["model_fp16.onnx", "fp16"],
  ] as const;
  return files.find(([file]) => existsSync(join(directory, "onnx", file)))?.[1] ?? "fp32";
}
