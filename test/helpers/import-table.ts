// The table "Who may import whom" of src/README.md, read from its text, so that text and test cannot disagree.
export interface ImportRule {
  /** Folders whose modules may be imported. */
  values: ReadonlySet<string>;
  /** Folders of which only types may be imported. */
  types: ReadonlySet<string>;
  /** Folders that may be loaded only through `await import()`. */
  dynamic: ReadonlySet<string>;
  /** Packages that may be imported: any, or these; a rule for "none" also shuts Node's own modules out. */
  packages: "any" | "node" | readonly string[];
}

export type ImportTable = ReadonlyMap<string, ImportRule>;

// What "the base" means in the table: modules without I/O, and the few primitives everything uses.
const baseFolders = ["text", "privacy", "core", "core/records", "core/tools"] as const;

// What "the feature folders" means in the table.
const featureFolders = [
  "capture",
  "capture/projects",
  "generate",
  "recall",
  "recall/embed",
  "recall/vectors",
  "context",
  "context/folders",
  "context/freshness",
  "tenancy/keys",
  "tenancy/limits",
  "hub",
] as const;

// The two services never know of each other.
const compositionRoots = ["worker", "server"];

/** One rule per folder of the table. Throws on a clause it cannot read: the table is law, so it has to be plain. */
export function parseImportTable(readme: string): ImportTable {
  const section = readme.split(/^## /m).find((part) => part.startsWith("Who may import whom"));
  if (section === undefined) throw new TypeError("src/README.md has no section 'Who may import whom'");
  const rows = section.split("\n").filter((line) => line.startsWith("|") && !/^\|\s*(-|folder)/.test(line));
  const cells = rows.map((line) => line.split("|").map((cell) => cell.trim()));
  const folders = cells.flatMap(([, folder = ""]) => folderNames(folder));
  const table = new Map<string, ImportRule>();
  for (const [, folder = "", allowed = ""] of cells) {
    for (const name of folderNames(folder)) table.set(name, parseRule(name, allowed, folders));
  }
  return table;
}

function folderNames(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
}

function parseRule(folder: string, cell: string, folders: readonly string[]): ImportRule {
  const rule = {
    values: new Set<string>([folder]),
    types: new Set<string>(),
    dynamic: new Set<string>(),
    packages: "any" as ImportRule["packages"],
  };
  const allowed = cell.replace(/:.*$/, "");
  for (const part of allowed.split(";").map((text) => text.trim())) {
    const lazy = / only through `await import\(\)`$/.test(part);
    for (const clause of part.replace(/ only through .*$/, "").split(/, | and /)) {
      if (clause === "nothing") rule.packages = [];
      else if (clause === "not even a package") rule.packages = [];
      else if (clause === "no package") rule.packages = "node";
      else if (clause === "zod") rule.packages = ["zod"];
      else if (clause === "preact") rule.packages = ["preact", "preact/hooks"];
      else if (clause === "the base") for (const name of baseFolders) rule.values.add(name);
      else if (clause === "types of the feature folders")
        for (const name of featureFolders) rule.types.add(name);
      else if (clause === "everything below it")
        for (const name of below(folder, folders)) rule.values.add(name);
      else addFolder(clause, lazy ? rule.dynamic : rule.values, rule.types);
    }
  }
  return rule;
}

// The table's order is the house's: what stands above a row is below it in the house.
function below(folder: string, folders: readonly string[]): readonly string[] {
  return folders.slice(0, folders.indexOf(folder)).filter((name) => !compositionRoots.includes(name));
}

function addFolder(clause: string, into: Set<string>, types: Set<string>): void {
  const [, onlyTypes, name] = /^(types of )?`([^`]+)`$/.exec(clause) ?? [];
  if (name === undefined)
    throw new TypeError(`src/README.md: the import table says "${clause}", which is no rule`);
  (onlyTypes === undefined ? into : types).add(name);
}
