// A scenario's project on disk: a git checkout with the files that its tool uses name, kept in step with them.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, normalize } from "node:path";
import { promisify } from "node:util";

/** Makes the checkout as it was before the first of `uses`, with one commit. What is only upcoming changes nothing yet. */
export async function createProject(directory, uses) {
  mkdirSync(directory, { recursive: true });
  const seen = new Set();
  for (const use of uses) {
    const file = fileInside(use);
    if (file === undefined || seen.has(file)) continue;
    seen.add(file);
    // A file whose first use writes it is not there yet.
    if (use.tool !== "Write" || use.isUpcoming) write(join(directory, file), firstContent(use, file));
  }
  if (!seen.has("README.md")) write(join(directory, "README.md"), `# ${basename(directory)}\n`);
  await git(directory, "init", "-q", "-b", "main");
  await git(directory, "add", "-A");
  await git(directory, "commit", "-q", "-m", `First commit of ${basename(directory)}`);
}

/** Before a tool runs: the file holds what the tool is about to read or replace. */
export function prepareFile(directory, use) {
  const file = fileInside(use);
  if (file === undefined) return;
  const wanted = use.tool === "Read" ? use.output : use.tool === "Edit" ? use.input.old_string : undefined;
  const path = join(directory, file);
  const content = read(path);
  if (!wanted || content.includes(wanted)) return;
  write(path, use.tool === "Read" ? wanted : `${content}${wanted}\n`);
}

/** After a tool ran: the file holds what the tool wrote. */
export function applyUse(directory, use) {
  const file = fileInside(use);
  if (file === undefined || typeof use.error === "string") return;
  const path = join(directory, file);
  const { content = "", old_string: before, new_string: after = "" } = use.input;
  if (use.tool === "Write") write(path, content);
  if (use.tool === "Edit" && before)
    write(
      path,
      read(path).replace(before, () => after),
    );
}

const fileArguments = {
  Read: "file_path",
  Edit: "file_path",
  Write: "file_path",
  MultiEdit: "file_path",
  NotebookEdit: "notebook_path",
};

/** The tool's input with the path of its file as a host sends it: absolute. */
export function absoluteInput(directory, use) {
  const file = fileInside(use);
  return file === undefined ? use.input : { ...use.input, [fileArguments[use.tool]]: join(directory, file) };
}

// Undefined for a tool without a file, and for one outside of the project.
function fileInside({ tool, input }) {
  const path = input[fileArguments[tool]];
  const isInside = typeof path === "string" && !isAbsolute(path) && !/^~|\.\./.test(path);
  return isInside ? normalize(path) : undefined;
}

function firstContent({ tool, input, output }, file) {
  if (tool === "Read" && output) return output;
  const mark = /\.(py|rb|sh|ya?ml|toml|tf)$/.test(file) ? "#" : "//";
  const head = /\.(md|json|txt|lock)$/.test(file) ? "" : `${mark} ${basename(file)}\n`;
  return `${head}${input.old_string ?? ""}\n`;
}

function read(path) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, "utf8") : "";
}

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

const run = promisify(execFile);

// Neither the settings nor the hooks of this machine's git. Asynchronous, because a blocked event loop would miss that the
// worker closed an idle connection, and send the next event into it.
function git(directory, ...words) {
  const person = { NAME: "Dev", EMAIL: "dev@example.invalid" };
  const names = Object.entries(person).flatMap(([name, value]) => [
    [`GIT_AUTHOR_${name}`, value],
    [`GIT_COMMITTER_${name}`, value],
  ]);
  return run("git", words, {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, GIT_CONFIG_NOSYSTEM: "1", ...Object.fromEntries(names) },
  });
}
