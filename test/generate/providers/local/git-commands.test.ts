// git commands: what their observation says.
import { it } from "vitest";
import { broke, expectRow, type Row, ran } from "./support.ts";

const rows: Row[] = [
  [
    ran(
      'git add -A && git commit -m "Fix race in queue"',
      "[main a1b2c3d] Fix race in queue\n 2 files changed, 10 insertions(+)\n create mode 100644 src/r.ts",
    ),
    "Committed: Fix race in queue",
    {
      obs_type: "bugfix",
      facts: ["Commit a1b2c3d on main: Fix race in queue", "2 files changed, 10 insertions(+)"],
      files_modified: ["src/r.ts"],
    },
  ],
  [
    ran("git commit -q -m \"$(cat <<'EOF'\nAdd retry\n\nbody\nEOF\n)\"", ""),
    "Committed: Add retry",
    { obs_type: "feature" },
  ],
  [
    ran("git push origin main", "", "To github.com:u/shop.git\n   1234567..a1b2c3d  main -> main"),
    "Pushed main to github.com:u/shop.git",
  ],
  [
    ran("git status --short", " M src/q.ts\n?? notes.md"),
    "Looked around: `git status --short`",
    { facts: ["M src/q.ts", "?? notes.md"] },
  ],
  [
    ran("git checkout -b feature/retry", "", "Switched to a new branch 'feature/retry'"),
    "Ran git checkout -b feature/retry: Switched to a new branch 'feature/retry'",
    { obs_type: "change" },
  ],
  [
    broke("git rebase main", "Exit code 1\nCONFLICT (content): Merge conflict in src/q.ts"),
    "git rebase main failed with exit code 1: CONFLICT (content): Merge conflict in src/q.ts",
    { concepts: ["problem-solution", "gotcha"] },
  ],
  [
    broke(
      "git push",
      "Exit code 1\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs",
    ),
    "git push failed with exit code 1: ! [rejected] main -> main (fetch first)",
    { concepts: ["problem-solution", "gotcha"] },
  ],
  [
    ran("gh pr create --title 'Fix queue race' --body x", "https://github.com/u/shop/pull/17"),
    'Ran gh pr create --title "Fix queue race" --body x',
    { provenance: "web", facts: ["https://github.com/u/shop/pull/17"] },
  ],
];

it.each(rows)("git: $0.tool $0.input gets the title “$1”", expectRow);
