// Recall of the secret finders by family, and clean documents altered.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { boundFigure } from "./measure.mjs";
import { runTests } from "./vitest.mjs";
import { root } from "./worker.mjs";

const documents = 20_000;
const megabyte = 1_000_000;

export async function run({ say }) {
  const redactSecrets = await loadFinders();
  return [...recall(say), clean(redactSecrets, say)];
}

async function loadFinders() {
  const outfile = join(tmpdir(), `mem-bench-secrets-${process.pid}.mjs`);
  const entryPoints = [join(root, "src", "privacy", "secrets.ts")];
  await build({ entryPoints, outfile, bundle: true, format: "esm", platform: "node", logLevel: "error" });
  const { redactSecrets } = await import(pathToFileURL(outfile).href);
  return redactSecrets;
}

function recall(say) {
  const { lines, failed } = runTests("test/privacy/secret-recall.test.ts", {
    MEM_FUZZ: String(documents / 3000),
    MEM_TEST_SEED: "23",
  });
  const table = [...new Set(lines.filter((line) => line.startsWith("recall: ")))];
  for (const line of table) say(line.slice("recall: ".length));
  const [, found, of] = /all \| (\d+) of (\d+)/.exec(table.join("\n")) ?? [];
  return [
    boundFigure({
      name: "secrets found",
      unit: "%",
      value: (100 * Number(found)) / Number(of),
      n: Number(of),
      target: ">= 95",
    }),
    boundFigure({
      name: "tests of recall that failed",
      unit: "tests",
      value: failed,
      n: documents,
      target: "= 0",
    }),
  ];
}

// Parts of real files: our own sources and the packages' sources.
function clean(redactSecrets, say) {
  const files = [join(root, "src"), join(root, "templates"), join(root, "node_modules")].flatMap((folder) =>
    filesIn(folder),
  );
  const random = createRandom(5);
  let altered = 0;
  for (let n = 0; n < documents; n++) {
    const file = files[Math.floor(random() * files.length)];
    const text = readFileSync(file, "utf8");
    const length = 500 + Math.floor(random() * 5500);
    const start = Math.floor(random() * Math.max(1, text.length - length));
    const document = text.slice(start, start + length);
    if (redactSecrets(document) === document) continue;
    altered++;
    if (altered <= 20) say(`altered: ${file.slice(root.length + 1)} at ${start}`);
  }
  return boundFigure({
    name: "clean documents altered",
    unit: "%",
    value: (100 * altered) / documents,
    n: documents,
    target: "<= 0.5",
  });
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(
      (entry) => entry.isFile() && /\.(?:[cm]?[jt]s|json|md|ya?ml|css|map|html|txt|h|c|py)$/.test(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => statSync(file).size < 2 * megabyte);
}

function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
