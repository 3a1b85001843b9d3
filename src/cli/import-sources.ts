// The sources of `mem import`, one command for each.

export const deletedTranscripts = "Claude Code deletes transcripts after about 30 days.";

interface SourceCommand {
  name: string;
  about: string;
  path: string;
  examples: readonly string[];
  notes?: string;
}

export const importSources: readonly SourceCommand[] = [
  {
    name: "claude-code",
    about: "Import transcripts of Claude Code",
    path: "folder or file (default: ~/.claude/projects)",
    examples: [
      "mem import claude-code --print # what is there, and from which projects",
      "mem import claude-code ~/old/projects # from another place",
    ],
    notes: `${deletedTranscripts} Import before that.`,
  },
  {
    name: "codex",
    about: "Import rollouts of Codex CLI",
    path: "folder or file (default: ~/.codex/sessions and archived_sessions)",
    examples: [
      "mem import codex --print # what is there, and from which projects",
      "mem import codex --since 90d # what happened lately",
    ],
  },
  {
    name: "gemini",
    about: "Import sessions of Gemini CLI",
    path: "folder or file (default: ~/.gemini/tmp)",
    examples: [
      "mem import gemini --print # what is there, and from which projects",
      "mem import gemini --limit 20 # the newest 20 sessions",
    ],
  },
  {
    name: "claude-mem",
    about: "Import the database of claude-mem",
    path: "database or its folder (default: ~/.claude-mem)",
    examples: [
      "mem import claude-mem --print # what is there",
      "mem import claude-mem /mnt/old/claude-mem.db",
    ],
    notes: "The database is copied and the copy is read.",
  },
  {
    name: "engram",
    about: "Import the database of engram",
    path: "database or its folder (default: ~/.engram)",
    examples: ["mem import engram --print # what is there", "mem import engram /mnt/old/engram.db"],
    notes: "The database is copied and the copy is read.",
  },
  {
    name: "mcp-memory",
    about: "Import the file of the MCP memory server",
    path: "memory.json or memory.jsonl (default: MEMORY_FILE_PATH)",
    examples: [
      "mem import mcp-memory ~/memory.json --print # what is there",
      "mem import mcp-memory ~/memory.json --project shop # into this project",
    ],
    notes: "Its notes have no project: they go to `mcp-memory`, or to that of --project.",
  },
  {
    name: "basic-memory",
    about: "Import the Markdown notes of basic-memory",
    path: "folder of notes (default: ~/basic-memory)",
    examples: [
      "mem import basic-memory --print # what is there",
      "mem import basic-memory ~/notes/shop --project shop # into this project",
    ],
    notes: "The notes go to a project named as their folder, or to that of --project.",
  },
];
