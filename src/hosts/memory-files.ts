// Where host agents keep their own memory: files that the user or the agent writes and every session gets in full. `mem`
// reads them, to leave out what the agent has already, and never changes them.
import { readFileSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { unlessMissing } from "../core/error-code.ts";
import { failOpenSync } from "../core/errors.ts";
import { isJsonObject } from "../text/json.ts";
import { parseObject, textField } from "../text/json-fields.ts";
import { settingsFolder } from "./host-places.ts";
import { hostAgents } from "./registry.ts";

interface MemoryFiles {
  /** In the working directory and the folders above it. A name that ends in `/` is a folder of such files. */
  inProject: readonly string[];
  /** In the host's folder of settings. */
  inFolder: readonly string[];
  /** A line `@path` in them brings in another file. */
  imports?: true;
}

// From the hosts' documentation.
const filesOfHosts: ReadonlyMap<string, MemoryFiles> = new Map([
  [
    "claude-code",
    {
      inProject: ["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules/"],
      inFolder: ["CLAUDE.md", "rules/"],
      imports: true,
    },
  ],
  ["codex", { inProject: ["AGENTS.override.md", "AGENTS.md"], inFolder: ["AGENTS.md"] }],
  ["gemini-cli", { inProject: ["GEMINI.md"], inFolder: ["GEMINI.md"] }],
  [
    "copilot-cli",
    {
      inProject: ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"],
      inFolder: ["copilot-instructions.md"],
    },
  ],
  ["cursor", { inProject: ["AGENTS.md", ".cursorrules"], inFolder: [] }],
  ["opencode", { inProject: ["AGENTS.md", "CLAUDE.md"], inFolder: ["AGENTS.md"] }],
  ["kilo", { inProject: ["AGENTS.md", "CLAUDE.md"], inFolder: ["AGENTS.md"] }],
  ["pi", { inProject: ["AGENTS.md", "CLAUDE.md"], inFolder: ["AGENTS.md", "CLAUDE.md"] }],
  ["qwen-code", { inProject: ["QWEN.md", "AGENTS.md"], inFolder: ["QWEN.md"] }],
  ["openclaw", { inProject: ["AGENTS.md", "MEMORY.md", "USER.md", "TOOLS.md"], inFolder: [] }],
]);

/**
 * The files of the host beside `file` of which one must import it, since the host does not read it by its name. Null if it
 * does, if it reads no imports, or if `file` is no memory file of any host.
 */
export function importersOf(host: string, file: string): string[] | null {
  const name = basename(file);
  const { inProject = [], imports } = filesOfHosts.get(host) ?? {};
  const isKnown = [...filesOfHosts.values()].some((files) => files.inProject.includes(name));
  if (!isKnown || imports !== true || inProject.includes(name)) return null;
  return inProject.filter((one) => !one.endsWith("/")).map((one) => join(dirname(file), one));
}

interface Where {
  cwd: string;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** The host's folders with a record of an installation. */
  recorded: readonly string[];
  /** Other folders of the same repository: Claude Code's own memory is named by the main one. */
  roots?: readonly string[];
}

/** Paths of the memory files that a session of the host in `cwd` gets; they need not exist. */
export function memoryFilesOf(host: string, where: Where): string[] {
  const files = filesOfHosts.get(host);
  const folder = folderOf(host, where);
  if (files === undefined || folder === null) return [];
  return [
    ...foldersFrom(where.cwd).flatMap((one) => files.inProject.map((name) => join(one, name))),
    ...files.inFolder.map((name) => join(folder, name)),
    ...(host === "claude-code" ? [where.cwd, ...(where.roots ?? [])] : []).map((one) =>
      join(claudeMemory(one, folder), "MEMORY.md"),
    ),
  ];
}

/** What the agent of a host keeps itself about the work in a folder. */
export interface OwnMemory {
  host: string;
  /** A Markdown file with a fact in each list item, or a folder with a file for each fact beside `MEMORY.md`, its index. */
  path: string;
  /** Of a file for all projects only the blocks that name this folder are meant. */
  about?: string;
  /** The files of the folder do not say of which type their facts are. */
  untyped?: boolean;
}

/**
 * They need not exist. `folder` is the top folder of the work tree, `main` of the repository's main one. The layouts are not
 * documented, and change.
 */
export function ownMemoriesOf(
  { cwd, folder, main }: { cwd: string; folder: string; main: string },
  { recorded, ...where }: Pick<Where, "home" | "environment"> & { recorded(host: string): readonly string[] },
): OwnMemory[] {
  const of = (host: string) => folderOf(host, { ...where, recorded: recorded(host) }) ?? "";
  const qwen = where.environment.QWEN_HOME || join(where.home, ".qwen");
  const inFolder = (one: string): OwnMemory[] => [
    { host: "claude-code", path: claudeMemory(one, of("claude-code")) },
    { host: "qwen-code", path: claudeMemory(one, qwen) },
    ...geminiMemories(one, of("gemini-cli")),
    // In any other folder files of these names may be a part of what was cloned.
    ...(one.startsWith(of("openclaw") + sep) ? ["MEMORY.md", "USER.md"] : []).map((name) => ({
      ...{ host: "openclaw", path: join(one, name) },
    })),
  ];
  const codex = { host: "codex", path: join(of("codex"), "memories", "MEMORY.md"), about: folder };
  return [...[...new Set([cwd, folder, main])].flatMap(inFolder), codex];
}

// Gemini CLI lists the names of its folders by project. Short facts stand in the index.
function geminiMemories(folder: string, settings: string): OwnMemory[] {
  const list = failOpenSync("read Gemini's projects", () =>
    unlessMissing(() => parseObject(readFileSync(join(settings, "projects.json"), "utf8"))),
  );
  const name = isJsonObject(list?.projects) ? basename(textField(list.projects, folder)) : "";
  const [host, path] = ["gemini-cli", join(settings, "tmp", name, "memory")];
  return name === ""
    ? []
    : [
        { host, path: join(path, "MEMORY.md") },
        { host, path, untyped: true },
      ];
}

// The environment may lack the host's variable: one recorded folder is the host's.
function folderOf(host: string, { recorded, ...machine }: Omit<Where, "cwd">): string | null {
  const [only, ...others] = recorded;
  if (only !== undefined && others.length === 0) return only;
  const agent = hostAgents.find((one) => one.host.name === host);
  return agent === undefined ? null : settingsFolder(machine, agent.integration);
}

// The agent's notes for itself, in a folder named by the project's path.
function claudeMemory(cwd: string, folder: string): string {
  return join(folder, "projects", cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"), "memory");
}

function foldersFrom(cwd: string): string[] {
  const folders = [cwd];
  for (
    let above = dirname(cwd);
    above !== folders.at(-1) && folders.length < maxFolders;
    above = dirname(above)
  )
    folders.push(above);
  return folders;
}

const maxFolders = 40;
