// The library that runs models: the real one where it is installed, and a stand-in of the test's own that reads the same
// tiny model by itself. MEM_TEST_TRANSFORMERS names a folder with the real one in its node_modules.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tinyDimension } from "./tiny-model.ts";

const name = "@huggingface/transformers";
const root = fileURLToPath(new URL("../..", import.meta.url));

/** The folder whose node_modules hold the real library, if there is one. */
export const realLibrary = [process.env.MEM_TEST_TRANSFORMERS ?? "", root].find(
  (folder) => folder !== "" && existsSync(join(folder, "node_modules", name, "package.json")),
);

/** Installs the stand-in below `folder`. It dies of the text "crash", hangs at "hang" and refuses "broken". */
export function installStandIn(folder: string): string {
  const home = join(folder, "node_modules", name);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "package.json"), JSON.stringify({ name, version: "0.0.0", main: "main.cjs" }));
  writeFileSync(join(home, "main.cjs"), standIn);
  return folder;
}

const standIn = `
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const env = { cacheDir: "", localModelPath: "", allowRemoteModels: true, allowLocalModels: true };
exports.env = env;
exports.pipeline = async (task, model, options) => {
  if (task !== "feature-extraction" || !options.local_files_only || env.allowRemoteModels) throw new Error("not local");
  const files = join(env.localModelPath, model);
  const { vocab } = JSON.parse(readFileSync(join(files, "tokenizer.json"), "utf8")).model;
  readFileSync(join(files, "onnx", options.dtype === "fp32" ? "model.onnx" : "model_quantized.onnx"));
  return async (texts, { pooling, normalize }) => {
    if (pooling !== "mean" || !normalize) throw new Error("not asked for the mean");
    if (texts.includes("crash")) process.kill(process.pid, "SIGSEGV");
    if (texts.includes("hang")) await new Promise(() => setTimeout(() => {}, 1e6));
    if (texts.includes("broken")) throw new Error("this text is too much");
    const width = ${tinyDimension};
    const data = new Float32Array(texts.length * width);
    texts.forEach((text, at) => {
      const tokens = text.toLowerCase().split(/\\s+|(?=:)/).map((word) => vocab[word] ?? vocab["[UNK]"]);
      const row = new Float32Array(width);
      for (const token of tokens) { row[token % (width - 1)] += 1 / tokens.length; row[width - 1] += 0.5 / tokens.length; }
      const length = Math.hypot(...row);
      row.forEach((value, place) => { data[at * width + place] = value / length; });
    });
    return { dims: [texts.length, width], data };
  };
};
`;
