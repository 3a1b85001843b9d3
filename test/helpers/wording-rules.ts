// The wording rules a program can check: banned phrases in comments, messages and documents; test names of 80 characters.
import { isNode, lineOf, type SourceFile, type SourceTree, type SyntaxNode } from "./source-tree.ts";

// Phrases that plain technical English replaces; each with what to write instead.
const bannedPhrases: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, "again"],
  [/(?<!["'`])\bnobody\b(?!["'`])/i, "name who does not"],
  [/\bwhoever\b/i, "name who"],
  [/\bbe it\b/i, "whether"],
  [/\bmend(s|ed|ing)?\b/i, "fix, repair"],
  [/\blies in\b/i, "is in"],
  [/\b(is|are|was|were) told\b/i, "is shown, is notified"],
  [/\bof (its|their|his|her) own\b/i, "separate"],
  [/\bthereof\b/i, "of it"],
  [/\bin the place of\b/i, "instead of, replaces"],
  [/\bat once\b/i, "immediately, together"],
  [/\bgiven up\b/i, "failed, dead-lettered"],
  [/\bmade again\b/i, "rebuilt, regenerated"],
  [/\bthose of\b/i, "name the thing"],
  [/\bin vain\b/i, "without success"],
  [/\bwhat becomes of\b/i, "name what happens"],
];

// What a file must match to be worth parsing.
const anyPhrase = new RegExp(bannedPhrases.map(([phrase]) => phrase.source).join("|"), "i");
const longestTestName = 80;
const longArgument = new RegExp(`\\(\\s*(["'\`])(?:(?!\\1).){${longestTestName},}`);

export interface WordingOptions {
  /** Paths whose text is data that the product reads, such as cue words of prompts. */
  exempt: RegExp;
}

/** Comments and messages with a banned phrase, as `path:line: "phrase" (instead)`. */
export function bannedWording(tree: SourceTree, { exempt }: WordingOptions): string[] {
  return [...tree.values()]
    .filter((file) => !exempt.test(file.path) && anyPhrase.test(file.text))
    .flatMap((file) => proseOf(file).flatMap(({ text, line }) => faultsIn(file.path, text, line)));
}

/** Tests whose name is longer than 80 characters. */
export function longTestNames(tree: SourceTree): string[] {
  const files = testFiles(tree).filter(({ text }) => longArgument.test(text));
  return files.flatMap((file) =>
    file.nodes.flatMap((node) => {
      const name = testName(node);
      return name !== undefined && name.length > longestTestName
        ? [`${file.path}:${lineOf(file, node)}: ${name.length} characters`]
        : [];
    }),
  );
}

interface Prose {
  text: string;
  line: number;
}

function faultsIn(path: string, text: string, line: number): string[] {
  return text.split("\n").flatMap((each, index) =>
    bannedPhrases.flatMap(([phrase, instead]) => {
      const found = phrase.exec(each)?.[0];
      return found === undefined ? [] : [`${path}:${line + index}: "${found}" (${instead})`];
    }),
  );
}

// Documents and scripts are read whole; code gives its comments, and src/ its messages; tests give their names.
function proseOf(file: SourceFile): Prose[] {
  if (file.nodes.length === 0) return [{ text: file.text, line: 1 }];
  const names = file.nodes.flatMap((node) => {
    const name = testName(node);
    return name === undefined ? [] : [{ text: name, line: lineOf(file, node) }];
  });
  const messages = file.path.startsWith("src/") ? textLiterals(file) : names;
  return [...comments(file), ...messages];
}

// A text of one word is a value, not prose.
function textLiterals(file: SourceFile): Prose[] {
  return file.nodes.flatMap((node) => {
    const text = node.type === "TemplateElement" && isText(node.value) ? node.value.raw : literalValue(node);
    return text.trim().includes(" ") ? [{ text, line: lineOf(file, node) }] : [];
  });
}

function comments(file: SourceFile): Prose[] {
  const code = maskLiterals(file);
  return [...code.matchAll(/\/\/.*|\/\*[\s\S]*?\*\//g)].map((found) => ({
    text: found[0],
    line: code.slice(0, found.index).split("\n").length,
  }));
}

// What stands in quotes or in a regular expression is no comment, whatever it looks like.
function maskLiterals(file: SourceFile): string {
  const characters = [...Array(file.text.length).keys()].map((at) => file.text[at] ?? "");
  for (const node of file.nodes) {
    if (node.type !== "Literal" && node.type !== "TemplateElement" && node.type !== "JSXText") continue;
    const end = typeof node.end === "number" ? node.end : node.start;
    for (let at = node.start; at < end; at += 1) if (characters[at] !== "\n") characters[at] = " ";
  }
  return characters.join("");
}

function testFiles(tree: SourceTree): SourceFile[] {
  return [...tree.values()].filter((file) => /\.test\.tsx?$/.test(file.path));
}

// `test("name")`, `describe("name")`, `test.each(rows)("name")`, `test.for(rows)("name")`.
function testName(node: SyntaxNode): string | undefined {
  if (node.type !== "CallExpression" || !isNode(node.callee) || !Array.isArray(node.arguments)) return;
  if (!/^(test|it|describe)$/.test(calledName(node.callee))) return;
  const [name] = node.arguments;
  if (!isNode(name)) return;
  if (name.type === "TemplateLiteral" && Array.isArray(name.quasis))
    return name.quasis.map((part: { value?: { cooked?: string } }) => part.value?.cooked ?? "").join("x");
  return literalValue(name) || undefined;
}

function calledName(callee: SyntaxNode): string {
  if (typeof callee.name === "string") return callee.name;
  const inner = callee.type === "MemberExpression" ? callee.object : callee.callee;
  return isNode(inner) ? calledName(inner) : "";
}

function literalValue(node: SyntaxNode): string {
  return node.type === "Literal" && typeof node.value === "string" ? node.value : "";
}

function isText(value: unknown): value is { raw: string } {
  return typeof value === "object" && value !== null && "raw" in value && typeof value.raw === "string";
}
