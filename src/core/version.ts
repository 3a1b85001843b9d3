// The version of the product, as package.json has it.
import { readFileSync } from "node:fs";
import { packageFile } from "./paths.ts";

let cached: string | undefined;

/** The package's version, for example `0.1.0`. */
export function version(): string {
  cached ??= (JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string }).version;
  return cached;
}
