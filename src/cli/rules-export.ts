// Writes standing rules into a marked section of a file that agents read, such as AGENTS.md.
import { isUtf8 } from "node:buffer";
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { RulesAnswer } from "../client/worker-client.ts";
import { codeOf } from "../core/error-code.ts";
import { failOpenSync, MemError } from "../core/errors.ts";
import { demandPlainFile } from "../core/output-file.ts";
import type { HostAgent } from "../hosts/integration.ts";
import { importersOf } from "../hosts/memory-files.ts";
import { replaceSettingsFile } from "../hosts/settings-file.ts";
import { markedSection } from "../text/marked-section.ts";
import { terminalLine } from "../text/terminal-text.ts";

export interface ExportedRules {
  file: string;
  /** Rules in the section; without any the section is removed. */
  rules: number;
  changed: boolean;
}

const { withSection, withoutSection } = markedSection("rules");

/** Puts the rules into the section of the file and leaves every other byte. Throws `usage`, `host_settings_unreadable`. */
export function exportRules(path: string, { rules }: Pick<RulesAnswer, "rules">): ExportedRules {
  const file = presentName(resolve(path));
  const before = read(file);
  // A mark in a rule would end the section.
  const lines = [
    "## Rules",
    "",
    ...rules.map(({ text }) => `- ${terminalLine(text).replaceAll("<!--", "<! --")}`),
  ];
  const after = rules.length > 0 ? withSection(before, lines) : before && withoutSection(before);
  if (after !== null && "unsafe" in after) {
    throw new MemError("usage", {
      message: `${file} was not changed: ${after.unsafe}.`,
      hint: "Repair or delete the lines `<!-- mem rules begins ... -->` and `<!-- mem rules ends -->`, then run it again.",
    });
  }
  const changed = before === null ? after !== null : after === null || !before.equals(after);
  if (changed) replaceSettingsFile(file, textOf(before), textOf(after));
  return { file, rules: rules.length, changed };
}

/** A line about the hosts that do not get the rules, since nothing they read imports the file; null if all get them. */
export function missedBy(file: string, hosts: readonly HostAgent[]): string | null {
  const name = basename(file);
  for (const { host, integration } of hosts) {
    const importers = importersOf(host.name, file);
    if (importers === null || importers.some((one) => brings(one, file))) continue;
    const own = basename(importers[0] ?? "");
    return `${integration.title} does not read ${name}. Add the line \`@${name}\` to ${own} beside it.`;
  }
  return null;
}

// By an import, or as a link to the file.
function brings(importer: string, file: string): boolean {
  const text = failOpenSync("read a memory file", () =>
    existsSync(importer) ? readFileSync(importer, "utf8") : "",
  );
  const imported = [...(text ?? "").matchAll(/(?:^|\s)@([\w./-]*\w)/g)].map(([, path = ""]) =>
    resolve(dirname(importer), path),
  );
  return imported.includes(file) || (existsSync(importer) && realpathSync(importer) === realpathSync(file));
}

// `agents.md` means the AGENTS.md that is there.
function presentName(file: string): string {
  const names = failOpenSync("list a folder", () => readdirSync(dirname(file))) ?? [];
  const name = basename(file);
  if (names.includes(name)) return file;
  const same = names.find((one) => one.toLowerCase() === name.toLowerCase());
  if (same !== undefined) return join(dirname(file), same);
  return /^(agents|claude|gemini)\.md$/i.test(name)
    ? join(dirname(file), `${name.slice(0, -3).toUpperCase()}.md`)
    : file;
}

function read(file: string): Buffer | null {
  try {
    // As root, a device would become a file; a pipe would be waited for.
    demandPlainFile(file, { hint: "Name a text file, such as AGENTS.md.", look: statSync });
    const bytes = readFileSync(file);
    if (isUtf8(bytes)) return bytes;
  } catch (cause) {
    if (cause instanceof MemError) throw cause;
    if (codeOf(cause) === "ENOENT") return null;
    throw new MemError("usage", {
      message: `${file} cannot be read. Nothing was changed.`,
      hint: "Name a text file, such as AGENTS.md.",
      cause,
    });
  }
  throw new MemError("usage", {
    message: `${file} is not a text in UTF-8. Nothing was changed.`,
    hint: "Name a text file, such as AGENTS.md.",
  });
}

function textOf(bytes: Buffer | null): string | null {
  return bytes === null ? null : bytes.toString("utf8");
}
