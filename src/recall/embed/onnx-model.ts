// Loads `@huggingface/transformers` and a model. Runs in the model's process, never in the worker.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, isAbsolute, join } from "node:path";
import { poolingOf } from "./model-traits.ts";
import type { ModelLoad } from "./onnx-process.ts";

export type Extract = (texts: readonly string[]) => Promise<Float32Array[]>;

/** The library is not installed; the message names the searched folders. */
export class LibraryMissing extends Error {}

/** The used part of the library. */
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

/** Loads the model. Throws `LibraryMissing` or the library's own error. */
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

// Only these folders: Node's own resolution would also read the folders above, which other users may own.
function requireLibrary(folders: readonly string[]): Transformers {
  const found = folders.find((folder) => existsSync(join(folder, "node_modules", library, "package.json")));
  if (found === undefined) throw new LibraryMissing(`${library} is in none of: ${folders.join(", ")}`);
  return createRequire(join(found, "node_modules", "from-here.js"))(library) as Transformers;
}

// The smallest file: a quantized model of 384 dimensions is a quarter of the full size and as good here.
function storedType(directory: string): string {
  const files = [
    ["model_quantized.onnx", "q8"],
    ["model_int8.onnx", "int8"],
    ["model_fp16.onnx", "fp16"],
  ] as const;
  return files.find(([file]) => existsSync(join(directory, "onnx", file)))?.[1] ?? "fp32";
}
