// Which tool uses leave an observation of no lasting interest.
import { expect, it } from "vitest";
import { broke, cwd, edited, observed, ran, type Use } from "./support.ts";

const routine: Use[] = [
  {
    tool: "Read",
    input: { file_path: `${cwd}/a.ts` },
    response: { file: { content: "export const a = 1;" } },
  },
  { tool: "read_many_files", input: { paths: ["a.ts", "b.ts"] }, response: "x" },
  { tool: "Grep", input: { pattern: "lease" }, response: { filenames: ["a.ts"] } },
  { tool: "Glob", input: { pattern: "*.sql" }, response: { filenames: [] } },
  { tool: "LS", input: { path: cwd }, response: "- a.ts\n" },
  { tool: "TodoWrite", input: { todos: [{ content: "Fix", status: "pending" }] } },
  { tool: "WebSearch", input: { query: "wal" }, response: { results: [] } },
  { tool: "Agent", input: { description: "look" }, response: { isAsync: true } },
  ran("cat src/config.ts | head -5", "x"),
  ran("cd src && ls -la", "total 8"),
  broke("grep -rn TODO src", "Exit code 1"),
  ran("git status --short", " M a.ts"),
  ran("git -C lib log --oneline -3", "a1b2c3d Fix"),
  ran("git add -A", ""),
  ran("sleep 30", ""),
  ran("cd ../shop", ""),
  ran("echo done", "done"),
  ran("ps aux | grep node", "node"),
  ran("docker compose ps", "NAME STATUS"),
  ran("node --version", "v24.1.0"),
];

it.each(routine)("marks as routine: $tool $input", (use) => {
  expect(observed(use).routine).toBe(true);
});

const lasting: Use[] = [
  edited("src/a.ts", ["-a", "+b"]),
  { tool: "Read", input: { file_path: "gone.ts" }, response: { error: "No such file." }, failed: true },
  {
    tool: "WebSearch",
    input: { query: "wal" },
    response: { results: [{ title: "WAL", url: "https://x.org" }] },
  },
  { tool: "WebFetch", input: { url: "https://x.org" }, response: "Each commit syncs the log." },
  { tool: "Task", input: { description: "Look" }, response: "Three callers." },
  { tool: "mcp__db__query", input: { sql: "select 1" }, response: "1" },
  ran("npm test", "Tests  3 passed (3)"),
  ran("npx tsc --noEmit", ""),
  ran("npm install zod", "added 1 package"),
  ran("git commit -m 'Fix race'", "[main a1b2c3d] Fix race"),
  ran("cat > a.txt <<'EOF'\nx\nEOF", ""),
  ran("cat a.ts && node seed.mjs", "created 20 users"),
  broke("cat gone.ts", "Exit code 1\ncat: gone.ts: No such file or directory"),
  broke("docker ps", "Exit code 1\nCannot connect to the Docker daemon"),
];

it.each(lasting)("does not mark as routine: $tool $input", (use) => {
  expect(observed(use)).not.toHaveProperty("routine");
});
