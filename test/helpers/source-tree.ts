// Reads source files the way the architecture test looks at them: as parsed modules with their imports.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
// biome-ignore lint/suspicious/noDeprecatedImports: its successor is exported by vite alone, which is not our dependency
import { parseAst } from "vitest/node";

/** A node of the syntax tree; what it has besides its type depends on the type. */
export interface SyntaxNode {
  type: string;
  start: number;
  [field: string]: unknown;
}

export interface Import {
  /** As written. */
  specifier: string;
  /** Path of the imported file inside the tree, or undefined for a package or a Node module. */
  file: string | undefined;
  typeOnly: boolean;
  dynamic: boolean;
}

export interface SourceFile {
  /** Path from the repository's root, with forward slashes. */
  path: string;
  text: string;
  imports: Import[];
  /** Every node of the file, parents before children; empty for what is not a script. */
  nodes: SyntaxNode[];
}

export type SourceTree = ReadonlyMap<string, SourceFile>;

/** The tree of `files`: path to text. */
export function parseTree(files: Readonly<Record<string, string>>): SourceTree {
  return new Map(Object.entries(files).map(([path, text]) => [path, parseFile(path, text)]));
}

// Built from src/, but beside the files that go with it.
const builtFile = join("hooks", "openclaw", "index.js");

/** Everything under the folders of the repository at `root`, except what is built there. */
export function readTree(root: string, folders: readonly string[]): SourceTree {
  const files: Record<string, string> = {};
  for (const folder of folders) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      if (path.endsWith(builtFile)) continue;
      files[path.slice(root.length).split("\\").join("/").replace(/^\//, "")] = readFileSync(path, "utf8");
    }
  }
  return parseTree(files);
}

/** Line of the node in its file, from 1. */
export function lineOf(file: SourceFile, node: SyntaxNode): number {
  return file.text.slice(0, node.start).split("\n").length;
}

/** True for a value that is a syntax node. */
export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

// Parsed when a rule looks at its nodes: most files of test/ never are, which saves half of the time.
function parseFile(path: string, text: string): SourceFile {
  let nodes: SyntaxNode[] | undefined;
  let imports: Import[] | undefined;
  return {
    path,
    text,
    get nodes() {
      nodes ??= nodesOf(path, text);
      return nodes;
    },
    get imports() {
      imports ??= this.nodes.flatMap((node) => toImport(path, node));
      return imports;
    },
  };
}

function nodesOf(path: string, text: string): SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  const language = /\.(tsx?|mjs|js)$/.exec(path)?.[1];
  if (language === undefined || path.endsWith(".d.ts")) return nodes;
  const lang = language === "ts" || language === "tsx" ? language : "js";
  collect(parseAst(text.replace(/^#!.*/, ""), { lang }), nodes);
  return nodes;
}

function collect(value: unknown, into: SyntaxNode[]): void {
  if (Array.isArray(value)) for (const entry of value) collect(entry, into);
  if (!isNode(value)) return;
  into.push(value);
  for (const name in value) if (typeof value[name] === "object") collect(value[name], into);
}

function toImport(path: string, node: SyntaxNode): Import[] {
  if (!importing.has(node.type) || !isNode(node.source)) return [];
  const specifier = typeof node.source.value === "string" ? node.source.value : "(computed)";
  const file = specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : undefined;
  return [{ specifier, file, typeOnly: isTypeOnly(node), dynamic: node.type === "ImportExpression" }];
}

const importing = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
]);

// `import type`, `export type`, and `import { type A, type B }` leave nothing behind in the built file.
function isTypeOnly(node: SyntaxNode): boolean {
  if (node.type === "TSImportType" || node.importKind === "type" || node.exportKind === "type") return true;
  const specifiers = Array.isArray(node.specifiers) ? node.specifiers.filter(isNode) : [];
  return specifiers.length > 0 && specifiers.every((each) => (each.importKind ?? each.exportKind) === "type");
}
