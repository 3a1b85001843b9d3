// The prompts of templates/prompts/: every slot must be known and filled.
import { readFileSync } from "node:fs";
import { MemError } from "../../core/errors.ts";
import { packageFile } from "../../core/paths.ts";

const slots = {
  system: ["role", "keep", "skip", "language", "writing", "types", "concepts", "summary", "most"],
  batch: ["mark", "session", "count", "messages", "closing"],
} as const;

type TemplateName = keyof typeof slots;

type Fill<N extends TemplateName> = (values: Readonly<Record<(typeof slots)[N][number], string>>) => string;

export type Prompts = { readonly [N in TemplateName]: Fill<N> };

/** Throws `internal` when a template is missing or has other slots. */
export function loadPrompts(read: (name: string) => string = readTemplate): Prompts {
  return {
    system: template("system", read("system")),
    batch: template("batch", read("batch")),
  };
}

function readTemplate(name: string): string {
  const path = packageFile("templates", "prompts", `${name}.md`);
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new MemError("internal", { message: `The prompt ${path} cannot be read.`, cause });
  }
}

function template<N extends TemplateName>(name: N, text: string): Fill<N> {
  // Alternating text and slot names.
  const parts = text.trim().split(/\{\{\s*([^{}]*?)\s*\}\}/);
  const found = parts.filter((_, index) => index % 2 === 1);
  const expected: readonly string[] = slots[name];
  const missing = expected.find((slot) => !found.includes(slot));
  const unknown = found.find((slot) => !expected.includes(slot));
  if (missing !== undefined) throw broken(name, `has no slot {{${missing}}}`);
  if (unknown !== undefined) throw broken(name, `has the unknown slot {{${unknown}}}`);
  return (values: Readonly<Record<string, string>>) =>
    // One pass: a slot inside a value stays text.
    parts.map((part, index) => (index % 2 === 0 ? part : filled(name, part, values))).join("");
}

function filled(name: string, slot: string, values: Readonly<Record<string, string>>): string {
  const value = values[slot];
  if (value === undefined) throw broken(name, `was given nothing for {{${slot}}}`);
  return value;
}

function broken(name: string, what: string): MemError {
  return new MemError("internal", { message: `The prompt ${name}.md ${what}.` });
}
