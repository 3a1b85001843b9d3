// Shape rules of src/README.md: cycles, sizes, names. Each takes a source tree and returns what breaks it.
import { lineOf, type SourceTree } from "./source-tree.ts";

/** Import cycles, each as the path through it; type-only imports count within src/. */
export function importCycles(tree: SourceTree): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  function visit(path: string, trail: readonly string[]): void {
    const at = trail.indexOf(path);
    if (at >= 0) cycles.push([...trail.slice(at), path].join(" -> "));
    if (at >= 0 || done.has(path)) return;
    for (const each of tree.get(path)?.imports ?? []) {
      if (each.file !== undefined && (!each.typeOnly || path.startsWith("src/")))
        visit(each.file, [...trail, path]);
    }
    done.add(path);
  }
  // A cycle begins at a file that others import: at no test.
  for (const path of tree.keys()) if (!path.endsWith(".test.ts")) visit(path, []);
  return cycles;
}

const longestFunction = 80;

/** Functions of src/ over 80 lines. */
export function longFunctions(tree: SourceTree): string[] {
  return [...tree.values()]
    .filter((file) => file.path.startsWith("src/"))
    .flatMap((file) =>
      file.nodes.flatMap((node) => {
        if (!/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)) return [];
        const end = typeof node.end === "number" ? node.end : node.start;
        const lines = file.text.slice(node.start, end).split("\n").length;
        return lines > longestFunction ? [`${file.path}:${lineOf(file, node)}: ${lines} lines`] : [];
      }),
    );
}

const smallFile = 40;

/** Files of src/ under 40 lines that one file imports and that stand alone for no reason in `boundaries`. */
export function smallFiles(tree: SourceTree, boundaries: RegExp): string[] {
  const importers = new Map<string, Set<string>>();
  for (const each of tree.values()) {
    if (!each.path.startsWith("src/")) continue;
    for (const { file } of each.imports) {
      if (file !== undefined) importers.set(file, (importers.get(file) ?? new Set()).add(each.path));
    }
  }
  return [...importers].flatMap(([path, by]) => {
    const lines = tree.get(path)?.text.split("\n").length ?? Number.POSITIVE_INFINITY;
    if (by.size > 1 || lines - 1 >= smallFile || !path.startsWith("src/") || boundaries.test(path)) return [];
    return /\.tsx?$/.test(path) ? [`${path}: only ${[...by].join()} imports it`] : [];
  });
}

const budgetLines = 400;

/** Files over 400 lines that are not generated, files directly in src/, meaningless names, and files without a first line of purpose. */
export function shapeFaults(tree: SourceTree): string[] {
  const files = [...tree.values()].filter((file) => /\.(tsx?|mjs|js|sql|sh)$/.test(file.path));
  const rootFiles = files.filter(
    (file) => /^src\/[^/]+\.ts$/.test(file.path) && !file.path.endsWith(".d.ts"),
  );
  return [
    ...files
      .filter(
        (file) => file.text.split("\n").length - 1 > budgetLines && !file.text.startsWith("-- Generated "),
      )
      .map((file) => `${file.path} is over ${budgetLines} lines`),
    ...files
      .filter((file) => /^src\//.test(file.path) && namelessPattern.test(file.path))
      .map((file) => `${file.path} has a name that names nothing`),
    ...files
      .filter((file) => !/^test\/.*\.test\.ts$/.test(file.path) && !firstLine.test(file.text))
      .map((file) => `${file.path}: line 1 does not say what it is for`),
    ...rootFiles.map((file) => `${file.path} belongs in a folder`),
  ];
}

const namelessPattern = /(^|\/)(utils?|helpers?|managers?|misc|common|shared|functions|stuff)(\/|\.[^/]+$)/;
const firstLine = /^(#!.*\n)?(\/\/|--|#|\/\*\*?) ?\S/;

/** Lines of code by folder: `src/capture`, ..., and `test`. */
export type LinesByFolder = Record<string, number>;

/** Counts the lines of TypeScript and JavaScript below each folder of src/ and below test/. */
function linesByFolder(tree: SourceTree): LinesByFolder {
  const lines: LinesByFolder = {};
  for (const { path, text } of tree.values()) {
    const folder = /^(src(?:\/[^/]+(?=\/))?|test)\/.*\.(tsx?|mjs)$/.exec(path)?.[1];
    if (folder !== undefined) lines[folder] = (lines[folder] ?? 0) + text.split("\n").length - 1;
  }
  return lines;
}

// More than this below its budget, a folder could grow again without notice.
const slackLines = 100;

/** Folders above their budget, or far below it, and a total above that of `earlier` budgets. */
export function budgetFaults(tree: SourceTree, budget: LinesByFolder, earlier: readonly LinesByFolder[]) {
  const counted = linesByFolder(tree);
  const folders = [...new Set([...Object.keys(counted), ...Object.keys(budget)])].sort();
  const total = totalOf(budget);
  return [
    ...folders.flatMap((folder) => {
      const [has, may] = [counted[folder] ?? 0, budget[folder] ?? 0];
      if (has > may) return [`${folder}: ${has} lines, its budget is ${may}`];
      return may - has > slackLines ? [`${folder}: ${has} lines, so lower its budget of ${may}`] : [];
    }),
    ...earlier.flatMap((one) => (total > totalOf(one) ? [`total: ${total}, it was ${totalOf(one)}`] : [])),
  ];
}

function totalOf(budget: LinesByFolder): number {
  return Object.values(budget).reduce((sum, lines) => sum + lines, 0);
}

const topLevel = new Set([
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "bin",
  "docs",
  "src",
  "hooks",
  "templates",
  "test",
  "README.md",
  "LICENSE",
]);

/** Names at the top of the repository that have no place there; dot-files are the tools' own. */
export function strangersAtTop(names: readonly string[], ignored: readonly string[]): string[] {
  return names.filter((name) => !topLevel.has(name) && !ignored.includes(name) && !name.startsWith("."));
}
