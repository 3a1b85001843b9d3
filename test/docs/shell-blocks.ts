// The shell commands that the documents show, as blocks: ```sh runs, ```sh server runs against a server, ```sh no-run is checked.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../../", import.meta.url);

export interface ShellBlock {
  /** Where it is, for example `docs/models.md:27`. */
  name: string;
  kind: "run" | "server" | "no-run";
  text: string;
}

/** Every shell block of README.md and docs/, in order. */
export function shellBlocks(): ShellBlock[] {
  return documentTexts().flatMap(blocksOf);
}

/** Lines of the README's transcript. */
export function transcriptLines(): string[] {
  const [readme] = documentTexts();
  const found = /^```console\n([\s\S]*?)\n```/m.exec(readme?.text ?? "");
  return found?.[1]?.split("\n") ?? [];
}

/** Every `mem` command in inline code of the documents, such as `mem queue list --failed`, once. */
export function inlineCommands(): string[][] {
  const codes = documentTexts().flatMap(({ text }) =>
    [...text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/`(mem [^`]+)`/g)].map((found) => found[1] ?? ""),
  );
  return memCommands([...new Set(codes)].join("\n"));
}

/** The words of every `mem` command in a block, without comments, pipes and redirections. */
export function memCommands(text: string): string[][] {
  return text
    .replaceAll("\\\n", " ")
    .split(/\n|&&|\|/)
    .map((line) => line.replace(/\s#.*$/, "").trim())
    .flatMap((line) => /^(?:[A-Z_]+=\S+ )*mem (.*)$/.exec(line)?.[1] ?? [])
    .map((line) => line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []);
}

interface DocumentText {
  document: string;
  text: string;
}

function documentTexts(): DocumentText[] {
  const documents = readdirSync(new URL("docs/", root)).filter((name) => name.endsWith(".md"));
  return ["README.md", ...documents.map((name) => `docs/${name}`)].map((document) => ({
    document,
    text: readFileSync(fileURLToPath(new URL(document, root)), "utf8"),
  }));
}

function blocksOf({ document, text }: DocumentText): ShellBlock[] {
  return [...text.matchAll(/^```sh ?(server|no-run)?\n([\s\S]*?)^```/gm)].map((found) => ({
    name: `${document}:${text.slice(0, found.index).split("\n").length}`,
    kind: found[1] === "server" || found[1] === "no-run" ? found[1] : "run",
    text: found[2] ?? "",
  }));
}
