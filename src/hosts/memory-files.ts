// Where host agents keep their own memory: files that the user or the agent writes and every session gets in full. `mem`
// reads them, to leave out what the agent has already, and never changes them.
import { dirname, join } from "node:path";

interface MemoryFiles {
  /** In the working directory and the folders above it. A name that ends in `/` is a folder of such files. */
  inProject: readonly string[];
  /** In the home. */
  inHome: readonly string[];
}

// From the hosts' documentation.
const filesOfHosts: ReadonlyMap<string, MemoryFiles> = new Map([
  [
    "claude-code",
    {
      inProject: ["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules/"],
      inHome: [".claude/CLAUDE.md", ".claude/rules/"],
    },
  ],
  ["codex", { inProject: ["AGENTS.override.md", "AGENTS.md"], inHome: [".codex/AGENTS.md"] }],
  ["gemini-cli", { inProject: ["GEMINI.md"], inHome: [".gemini/GEMINI.md"] }],
  [
    "copilot-cli",
    {
      inProject: ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"],
      inHome: [".copilot/copilot-instructions.md"],
    },
  ],
  ["cursor", { inProject: ["AGENTS.md", ".cursorrules"], inHome: [] }],
  [
    "opencode",
    {
      inProject: ["AGENTS.md", "CLAUDE.md"],
      inHome: [".config/opencode/AGENTS.md", ".claude/CLAUDE.md"],
    },
  ],
  ["openclaw", { inProject: ["AGENTS.md", "MEMORY.md", "USER.md", "TOOLS.md"], inHome: [] }],
]);

/** Paths of the memory files that a session of the host in `cwd` gets; they need not exist. */
export function memoryFilesOf(host: string, { cwd, home }: { cwd: string; home: string }): string[] {
  const files = filesOfHosts.get(host);
  if (files === undefined) return [];
  return [
    ...foldersFrom(cwd).flatMap((folder) => files.inProject.map((name) => join(folder, name))),
    ...files.inHome.map((name) => join(home, name)),
    ...(host === "claude-code" ? [autoMemory(cwd, home)] : []),
  ];
}

// Claude Code's notes for itself, in a folder named by the project's path.
function autoMemory(cwd: string, home: string): string {
  return join(home, ".claude", "projects", cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"), "memory", "MEMORY.md");
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
