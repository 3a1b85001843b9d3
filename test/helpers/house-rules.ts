// Import and edge rules of src/README.md: each takes a source tree and returns what breaks it.
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

/** Modules of src/ and test/ that benches and trials bundle from a text, and that do not exist or lack the name. */
export function missingBundleParts(tree: SourceTree): string[] {
  return [...tree.values()]
    .filter((file) => /^test\/.*\.(mjs|ts)$/.test(file.path) && !file.path.endsWith("architecture.test.ts"))
    .flatMap((file) =>
      [...file.text.matchAll(/(?:export|import) \{([^}]*)\} from "\.\/((?:src|test)\/[^"]+)"/g)].flatMap(
        (found) => {
          const [, names = "", path = ""] = found;
          const module = tree.get(path);
          if (module === undefined) return [`${file.path}: ${path} does not exist`];
          const missing = names.split(",").map((name) => name.trim().split(" ")[0] ?? "");
          return missing
            .filter((name) => name !== "" && !exportsName(module, name))
            .map((name) => `${file.path}: ${path} has no ${name}`);
        },
      ),
    );
}

function exportsName({ text }: SourceFile, name: string): boolean {
  return new RegExp(`^export .*\\b${name}\\b`, "m").test(text) || new RegExp(`^  ${name},$`, "m").test(text);
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
    home: /^src\/(settings|hosts\/(hook|in-process|openclaw-plugin|opencode-plugin|pi-plugin))\/|^src\/build\.mjs$/,
    found: (node) => memberPath(node) === "process.env",
  },
  {
    name: "process.exit",
    home: /^bin\/|^src\/cli\/main\.ts$|^src\/(worker|server)\/(run|main)\.ts$|^src\/hosts\/hook\/|^src\/server\/process\.ts$/,
    found: (node) => memberPath(node) === "process.exit",
  },
  {
    name: "a clock",
    home: /^src\/core\/clock\.ts$|^src\/viewer\/clock\.ts$/,
    found: (node) =>
      ["Date.now", "performance.now", "process.hrtime"].includes(memberPath(node)) ||
      (node.type === "NewExpression" && nameOf(node.callee) === "Date" && isEmptyList(node.arguments)),
  },
  {
    name: "randomness",
    home: /^src\/(core\/ids|viewer\/tv\/connection)\.ts$/,
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
      /^document\.write(ln)?$|\.(innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|parseFromString)$/.test(
        memberPath(node),
      ) || /^(dangerouslySetInnerHTML|innerHTML|outerHTML|srcdoc)$/i.test(propertyName(node)),
  },
];

/** Uses of `rule` outside its home. */
export function outsideHome(tree: SourceTree, rule: EdgeRule): string[] {
  const elsewhere = scripts(tree, /^(src|bin)\//).filter((file) => !rule.home.test(file.path));
  return findNodes(elsewhere, rule.found);
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

/** Name of a JSX attribute or of a property of an object literal. */
function propertyName({ type, name, key }: SyntaxNode): string {
  if (type === "JSXAttribute") return nameOf(name);
  return type === "Property" ? nameOf(key) : "";
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
