// `mem folders list|refresh|remove`: context files in the folders of projects.
import { resolve } from "node:path";
import type { Command } from "commander";
import type { RemovedFolders } from "../../client/worker-client.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { addCommand, type JsonOptions, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { printTable, printWrapped } from "../table.ts";
import { ageInWords, counted, homePath } from "../words.ts";

/** Adds `mem folders list|refresh|remove`. */
export function registerFolders(program: Command, context: CliContext): void {
  const { io } = context;
  const folders = addCommand(program, context, {
    name: "folders",
    about: "List, write and remove the context files in project folders",
    examples: [
      "mem settings set MEM_FOLDER_CONTEXT_ENABLED true # turn them on",
      "mem folders remove # remove all of them",
    ],
  });
  addCommand(folders, context, {
    name: "list",
    about: "List the context files that mem writes",
    options: [jsonOption],
    examples: ["mem folders", "mem folders list --json # for a script"],
    paged: true,
    run: ({ json }: JsonOptions) => listFiles(context, json === true),
  });
  addCommand(folders, context, {
    name: "refresh",
    about: "Write the context files now",
    arguments: [["[project]", "one project only"]],
    options: [jsonOption],
    examples: ["mem folders refresh # every project", "mem folders refresh my-app # one project"],
    run: async (project: string | undefined, { json }: JsonOptions) => {
      const answer = await context.worker().refreshFolders(project);
      if (json === true) return io.json(answer);
      for (const path of answer.written) printWrapped(io, io.out, `written: ${homePath(path)}`);
      printRemoved(context, answer);
      io.out(`${counted(answer.written.length, "file")} written.`);
    },
  });
  addCommand(folders, context, {
    name: "remove",
    about: "Remove the context of mem from files, and files that mem created",
    arguments: [["[path]", "only at or below this path (default: everywhere)"]],
    options: [jsonOption],
    examples: ["mem folders remove # everywhere", "mem folders remove src/auth # in this folder and below"],
    run: async (path: string | undefined, { json }: JsonOptions) => {
      const answer = await context.worker().removeFolders(path === undefined ? undefined : resolve(path));
      if (json === true) return io.json(answer);
      printRemoved(context, answer);
      io.out(`Removed the context of mem from ${counted(answer.removed.length, "file")}.`);
      if (context.settings("read").get("MEM_FOLDER_CONTEXT_ENABLED")) printWrapped(io, io.err, othersGetOne);
    },
  });
}

const othersGetOne =
  "Other folders still get one: `mem settings set MEM_FOLDER_CONTEXT_ENABLED false`. These again: `mem folders refresh`.";
const turnOn = "No context files. Turn them on: `mem settings set MEM_FOLDER_CONTEXT_ENABLED true`.";
const writeNow = "No context files yet. Write them now: `mem folders refresh`.";

async function listFiles(context: CliContext, asJson: boolean): Promise<void> {
  const { io, clock, worker } = context;
  const { files } = await worker().folderFiles();
  if (asJson) io.json({ items: files });
  else if (files.length === 0) {
    const isOn = context.settings("read").get("MEM_FOLDER_CONTEXT_ENABLED");
    printWrapped(io, io.err, isOn ? writeNow : turnOn);
  } else
    printTable(
      io,
      [{ title: "File", flexible: true }, { title: "Project", flexible: true }, { title: "Written" }],
      files.map(({ path, project, written_at_epoch, is }) => [
        terminalLine(homePath(path)),
        terminalLine(project),
        `${ageInWords(written_at_epoch, clock.now())}${is === "gone" ? " (gone)" : ""}`,
      ]),
    );
}

function printRemoved({ io }: CliContext, { removed, left }: RemovedFolders): void {
  for (const path of removed) printWrapped(io, io.out, `removed from: ${homePath(path)}`);
  for (const { path, why } of left) printWrapped(io, io.err, `left unchanged: ${homePath(path)}: ${why}`);
}
