// The rules of src/README.md that a program can hold: each takes a source tree and says what breaks it.
import { builtinModules } from "node:module";
import type { ImportTable } from "./import-table.ts";
import { isNode, lineOf, type SourceFile, type SourceTree, type SyntaxNode } from "./source-tree.ts";

/** Imports that the table of src/README.md does not allow. */
export function forbiddenImports(tree: SourceTree, table: ImportTable): string[] {
  return scripts(tree, /^src\/.*\.tsx?$/).flatMap((file) => {
    const from = folderOf(file.path, table);
    const rule = table.get(from);
    if (rule === undefined) return [`${file.path}: the folder ${from} has no row in the import table`];
    return file.imports.flatMap(({ specifier, file: target, typeOnly, dynamic }) => {
      if (target === undefined)
        return packageAllowed(specifier, rule.packages) ? [] : [`${file.path}: ${specifier}`];
      if (!target.startsWith("src/")) return importedOutside(file.path, target, from);
      const to = folderOf(target, table);
      const allowed =
        rule.values.has(to) || (typeOnly && rule.types.has(to)) || (dynamic && rule.dynamic.has(to));
      return allowed ? [] : [`${file.path} (${from}) imports ${target} (${to})`];
    });
  });
}

/** Circles of imports, each as the path through it. Types are left out: they are gone when the code runs. */
export function importCycles(tree: SourceTree): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  function visit(path: string, trail: readonly string[]): void {
    const at = trail.indexOf(path);
    if (at >= 0) cycles.push([...trail.slice(at), path].join(" -> "));
    if (at >= 0 || done.has(path)) return;
    for (const each of tree.get(path)?.imports ?? []) {
      if (each.file !== undefined && !each.typeOnly) visit(each.file, [...trail, path]);
    }
    done.add(path);
  }
  for (const path of tree.keys()) visit(path, []);
  return cycles;
}

/** Text literals outside src/store/ that read like a statement of SQL. */
export function sqlOutsideStore(tree: SourceTree): string[] {
  return findNodes(scripts(tree, /^src\/(?!store\/)/), (node) => statement.test(literalText(node)));
}

const statement =
  /^\s*(select\s.+\sfrom\s|insert\s+(or\s+\w+\s+)?into\s|update\s+\w+\s+set\s|delete\s+from\s|replace\s+into\s|(create|drop|alter)\s+(\w+\s+)?(table|index|trigger|view)\s|pragma\s+\w+|begin\s+(immediate|exclusive|deferred)|vacuum(\s+into)?\s*;?$)/is;

/** One rule about a name that may be used in few places only. */
export interface EdgeRule {
  name: string;
  /** Paths where it is at home. */
  home: RegExp;
  found: (node: SyntaxNode) => boolean;
}

/** What stands at an edge of the house: every use of it outside its home is an error. */
export const edgeRules: readonly EdgeRule[] = [
  {
    name: "process.env",
    home: /^src\/(settings|hosts\/hook)\/|^src\/build\.mjs$/,
    found: (node) => memberPath(node) === "process.env",
  },
  {
    name: "process.exit",
    home: /^bin\/|^src\/cli\/main\.ts$|^src\/(worker|server)\/(run|main)\.ts$|^src\/hosts\/hook\/|^src\/server\/process\.ts$/,
    found: (node) => memberPath(node) === "process.exit",
  },
  {
    name: "a clock",
    home: /^src\/core\/clock\.ts$/,
    found: (node) =>
      ["Date.now", "performance.now", "process.hrtime"].includes(memberPath(node)) ||
      (node.type === "NewExpression" && nameOf(node.callee) === "Date" && isEmptyList(node.arguments)),
  },
  {
    name: "randomness",
    home: /^src\/core\/ids\.ts$/,
    found: (node) =>
      randomness.test(memberPath(node)) || (node.type === "ImportSpecifier" && drawsRandomness(node)),
  },
  {
    name: "the console",
    home: /^src\/cli\/io\.ts$|^src\/server\/process\.ts$|^src\/build\.mjs$/,
    found: (node) => memberPath(node).startsWith("console."),
  },
  {
    name: "raw HTML",
    home: /^$/,
    found: (node) =>
      /\.(innerHTML|outerHTML|insertAdjacentHTML|write(ln)?)$/.test(memberPath(node)) &&
      !/\.write(ln)?$/.test(memberPath(node).replace(/^document\.write(ln)?$/, "")),
  },
];

/** Uses of `rule` outside its home. */
export function outsideHome(tree: SourceTree, rule: EdgeRule): string[] {
  const elsewhere = scripts(tree, /^(src|bin)\//).filter((file) => !rule.home.test(file.path));
  return findNodes(elsewhere, rule.found);
}

const budgetLines = 400;

/** Files over 400 lines, files directly in src/, names that say nothing, and files without their first line. */
export function shapeFaults(tree: SourceTree): string[] {
  const files = [...tree.values()].filter((file) => /\.(tsx?|mjs|js|sql|sh)$/.test(file.path));
  const rootFiles = files.filter(
    (file) => /^src\/[^/]+\.ts$/.test(file.path) && !file.path.endsWith(".d.ts"),
  );
  return [
    ...files
      .filter((file) => file.text.split("\n").length - 1 > budgetLines)
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

function scripts(tree: SourceTree, where: RegExp): SourceFile[] {
  return [...tree.values()].filter((file) => where.test(file.path) && file.nodes.length > 0);
}

function folderOf(path: string, table: ImportTable): string {
  const parts = path.split("/").slice(1, -1);
  const two = parts.slice(0, 2).join("/");
  return table.has(two) ? two : (parts[0] ?? "src");
}

function packageAllowed(specifier: string, packages: "any" | "node" | readonly string[]): boolean {
  if (packages === "any") return true;
  if (packages === "node") return specifier.startsWith("node:") || builtinModules.includes(specifier);
  return packages.includes(specifier);
}

// package.json is the one file outside src/ that code may be built from; templates are read at run time, not imported.
function importedOutside(path: string, target: string, from: string): string[] {
  return target === "package.json" && from === "core" ? [] : [`${path} imports ${target}, outside src/`];
}

function findNodes(files: readonly SourceFile[], found: (node: SyntaxNode) => boolean): string[] {
  return files.flatMap((file) =>
    file.nodes.filter(found).map((node) => `${file.path}:${lineOf(file, node)}`),
  );
}

function literalText(node: SyntaxNode): string {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type !== "TemplateLiteral" || !Array.isArray(node.quasis)) return "";
  return node.quasis.map((part: { value?: { cooked?: string } }) => part.value?.cooked ?? "").join("x");
}

/** `a.b.c` of a member expression, with `globalThis.` taken off; empty for anything else. */
function memberPath(node: SyntaxNode): string {
  if (node.type !== "MemberExpression" || !isNode(node.object)) return "";
  const property = isNode(node.property) ? nameOf(node.property) : "";
  const object = node.object.type === "MemberExpression" ? memberPath(node.object) : nameOf(node.object);
  return `${object}.${property}`.replace(/^globalThis\./, "");
}

function nameOf(node: unknown): string {
  if (!isNode(node)) return "";
  if (typeof node.name === "string") return node.name;
  return node.type === "Literal" && typeof node.value === "string" ? node.value : "";
}

const randomness = /^(Math\.random|crypto\.(random\w+|getRandomValues))$/;

function drawsRandomness(node: SyntaxNode): boolean {
  return /^(random(UUID|Bytes|Int|Fill|FillSync)|getRandomValues)$/.test(nameOf(node.imported));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
