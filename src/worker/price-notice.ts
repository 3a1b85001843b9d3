// Notices about an unusable price table of the user.
import { statSync } from "node:fs";
import { failOpenSync } from "../core/errors.ts";
import { homePath, packageFile } from "../core/paths.ts";
import { loadPrices } from "../generate/prices.ts";

/** Reads the file again when it changes. */
export function createPriceNotice(own: string): () => string[] {
  let seen = "";
  let found: string[] = [];
  return () => {
    const stats = failOpenSync("look at prices.json", () => statSync(own, { throwIfNoEntry: false }));
    const now = stats === undefined ? "" : `${stats.ino}:${stats.mtimeMs}:${stats.size}`;
    if (now === seen) return found;
    seen = now;
    found = stats === undefined ? [] : problems(own);
    return found;
  };
}

function problems(own: string): string[] {
  const notices: string[] = [];
  const warn = (sentence: string): void => {
    const what = sentence.replace(own, homePath(own));
    notices.push(`mem: ${what} Fix it, then run \`mem worker restart\`; \`mem cost --help\` shows its form.`);
  };
  loadPrices({ shipped: packageFile("templates", "prices.json"), own, warn });
  return notices;
}
