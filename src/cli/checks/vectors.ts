// What `mem doctor` says of search by meaning.
import type { Health } from "../../client/worker-client.ts";
import { vectorsInWords } from "../../core/records/vector-status.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { type Check, ok, warn } from "./check.ts";

/** Observations have vectors, or it is said why not. */
export function checkVectors({ vectors }: Pick<Health, "vectors">): Check {
  const name = "Vectors";
  if (vectors === undefined) return ok(name, "the worker is of an earlier version and has none");
  const words = terminalLine(vectorsInWords(vectors));
  if (vectors.state !== "failing") return ok(name, words);
  return warn(name, words, vectors.next ?? "mem worker logs");
}

/** Memories of this kind used to bring a Python with them; MEM_PYTHON_VERSION is accepted for their sake. */
export function checkPython(): Check {
  return ok("Python", "not needed: MEM_PYTHON_VERSION is accepted and not used");
}
