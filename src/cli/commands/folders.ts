// `mem folders list|refresh|remove`: context files in the folders of projects.
import { resolve } from "node:path";
import type { Command } from "commander";
import type { RemovedFolders } from "../../client/worker-client.ts";
import { terminalLine, wrapToWidth } from "../../text/terminal-text.ts";
import type { CliContext } from "../context.ts";
import { withExamples } from "../examples.ts";
import type { Io } from "../io.ts";
import { ageInWords, counted, homePath } from "../words.ts";

interface Options {
  json?: true;
}

/** Adds `mem folders list|refresh|remove`. */
export function registerFolders(program: Command, context: CliContext): void {
  const folders = program
    .command("folders")
    .description("see and remove the context files that mem keeps in folders");
  withExamples(folders, [
    ["mem settings set MEM_FOLDER_CONTEXT_ENABLED true", "switch them on"],
    ["mem folders remove", "take all of them back"],
  ]);
  registerList(folders, context);
  registerRefresh(folders, context);
  registerRemove(folders, context);
}

function registerList(folders: Command, context: CliContext): void {
  const list = folders
    .command("list")
    .description("list the files that mem has written into")
    .option("--json", "print JSON")
    .action(async ({ json }: Options) => {
      const { io, clock } = context;
      const answer = await context.worker().folderFiles();
      if (json === true) io.json(answer);
      else if (answer.files.length === 0) io.err("No context file was written.");
      else
        for (const { path, project, written_at_epoch, is } of answer.files) {
          const age = ageInWords(written_at_epoch, clock.now());
          io.out(terminalLine(`${homePath(path)}  ${project} · ${age}${is === "gone" ? " · gone" : ""}`));
        }
    });
  withExamples(list, [
    ["mem folders list", "where, and when last"],
    ["mem folders list --json", ""],
  ]);
}

function registerRefresh(folders: Command, context: CliContext): void {
  const refresh = folders
    .command("refresh")
    .description("write them now, where something was done")
    .argument("[project]", "one project only")
    .option("--json", "print JSON")
    .action(async (project: string | undefined, { json }: Options) => {
      const { io } = context;
      const answer = await context.worker().refreshFolders(project);
      if (json === true) {
        io.json(answer);
        return;
      }
      for (const path of answer.written) told(io.out, io, `written: ${homePath(path)}`);
      tell(context, answer);
      io.out(`${counted(answer.written.length, "file")} written.`);
    });
  withExamples(refresh, [
    ["mem folders refresh", "of every project"],
    ["mem folders refresh my-app", "of one"],
  ]);
}

function registerRemove(folders: Command, context: CliContext): void {
  const remove = folders
    .command("remove")
    .description("take out what mem has written, and the files that it made")
    .argument("[path]", "only at or below this path (default: everywhere)")
    .option("--json", "print JSON")
    .action(async (path: string | undefined, { json }: Options) => {
      const { io } = context;
      const answer = await context.worker().removeFolders(path === undefined ? undefined : resolve(path));
      if (json === true) {
        io.json(answer);
        return;
      }
      tell(context, answer);
      io.out(`${counted(answer.removed.length, "file")} cleaned.`);
    });
  withExamples(remove, [
    ["mem folders remove", "everywhere"],
    ["mem folders remove src/auth", "in this folder and below"],
  ]);
}

function told(write: (line: string) => void, { columns }: Io, text: string): void {
  for (const line of wrapToWidth(terminalLine(text), columns)) write(line);
}

function tell({ io }: CliContext, { removed, left }: RemovedFolders): void {
  for (const path of removed) told(io.out, io, `removed from: ${homePath(path)}`);
  for (const { path, why } of left) told(io.err, io, `left as it is: ${homePath(path)}: ${why}`);
}
