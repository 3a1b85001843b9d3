// Prefixes and pooling of well-known families of embedding models.
import type { TextRole } from "./embedder.ts";

interface Family {
  name: RegExp;
  prefix?: Record<TextRole, string>;
  pooling?: "cls" | "mean";
}

// From their model cards. Other models get the bare text and the mean of its tokens.
const families: readonly Family[] = [
  { name: /\be5-/i, prefix: { query: "query: ", document: "passage: " } },
  { name: /nomic-embed/i, prefix: { query: "search_query: ", document: "search_document: " } },
  {
    name: /mxbai-embed|bge-(small|base|large)-en|snowflake-arctic-embed/i,
    prefix: { query: "Represent this sentence for searching relevant passages: ", document: "" },
    pooling: "cls",
  },
  { name: /bge-m3/i, pooling: "cls" },
];

/** The texts with the model's prefix. */
export function asked(texts: readonly string[], role: TextRole, model: string): string[] {
  const prefix = familyOf(model)?.prefix?.[role] ?? "";
  return texts.map((text) => `${prefix}${text}`);
}

export function poolingOf(model: string): "cls" | "mean" {
  return familyOf(model)?.pooling ?? "mean";
}

function familyOf(model: string): Family | undefined {
  return families.find(({ name }) => name.test(model));
}
