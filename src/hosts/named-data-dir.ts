// The data directory as what a host starts must be told of it.
import { homedir } from "node:os";
import { join } from "node:path";
import type { DataPaths } from "../core/paths.ts";

/** The data directory; null for the default one. */
export function namedDataDir({ root }: DataPaths): string | null {
  return root === join(homedir(), ".mem") ? null : root;
}
