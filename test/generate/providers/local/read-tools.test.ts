// Reads of all hosts: what their observation says.
import { it } from "vitest";
import { cwd, expectRow, type Row, ran } from "./support.ts";

const rows: Row[] = [
  [
    {
      tool: "Read",
      input: { file_path: `${cwd}/note.txt` },
      response: {
        type: "text",
        file: {
          filePath: `${cwd}/note.txt`,
          content: "hello from note\n",
          numLines: 2,
          startLine: 1,
          totalLines: 2,
        },
      },
    },
    "Read note.txt",
    {
      obs_type: "discovery",
      files_read: [`${cwd}/note.txt`],
      subtitle: "hello from note",
      provenance: "file",
    },
  ],
  [
    {
      tool: "Read",
      input: { file_path: `${cwd}/q.ts`, offset: 1, limit: 80 },
      response: {
        file: {
          content: "// A durable queue with leases.\nexport class Queue {\n  claim(n: number): Job {\n  }\n}",
          totalLines: 200,
        },
      },
    },
    "Read q.ts lines 1-80 of 200: declares Queue, claim",
    { subtitle: "A durable queue with leases.", facts: ["q.ts declares: Queue, claim"] },
  ],
  [
    {
      tool: "read_file",
      input: { file_path: `${cwd}/a.md` },
      response: { llmContent: "# Title\n\n## Usage\n", returnDisplay: "" },
    },
    "Read a.md: sections Title, Usage",
  ],
  [
    {
      tool: "view",
      input: { path: "pyproject.toml" },
      response: { resultType: "success", textResultForLlm: '1. [project]\n2. name = "x"\n' },
    },
    "Read pyproject.toml: keys project, name",
  ],
  [
    {
      tool: "read",
      input: { filePath: "q.ts" },
      response: {
        title: "q.ts",
        output:
          "<path>q.ts</path>\n<type>file</type>\n<content>\n1: export function claim() {\n2: }\n\n(End of file - total 2 lines)\n</content>",
        metadata: {},
      },
    },
    "Read q.ts: declares claim",
  ],
  [
    {
      tool: "Read",
      input: { file_path: `${cwd}/gone.ts` },
      response: { error: "File does not exist." },
      failed: true,
    },
    "Could not read gone.ts: File does not exist.",
    { concepts: ["problem-solution"] },
  ],
  [
    ran(`cd ${cwd} && cat src/config.ts`, "export function parseConfig() {\n}"),
    "Read src/config.ts: declares parseConfig",
    { files_read: [`${cwd}/src/config.ts`], provenance: "file" },
  ],
  [
    ran("sed -n '10,60p' src/main.ts", "export async function main() {}"),
    "Read src/main.ts lines 10-60: declares main",
    { files_read: ["src/main.ts"] },
  ],
  [ran("head -n 5 a.txt", "one"), "Read a.txt", { files_read: ["a.txt"] }],
];

it.each(rows)("of reads of files: $0.tool $0.input is told as “$1”", expectRow);
