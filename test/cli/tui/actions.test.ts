// Every action on a record, from its keys to the record, in full at two sizes of the terminal.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { createWorkerClient, type WorkerClient } from "../../../src/client/worker-client.ts";
import { volume } from "../../helpers/volume.ts";
import { sharedMem } from "../mem.ts";
import { openTerminal } from "./pseudo-terminal.ts";

const mem = sharedMem();
let client: WorkerClient;

beforeAll(async () => {
  await mem("worker", "start");
  client = createWorkerClient({ dataDir: mem.home.dataDir });
  return () => client.close();
});

async function remembered(text: string): Promise<number> {
  const answer = await client.remember({ text, project: "shop", reach: "project" });
  if (!("rule" in answer)) throw new Error("it was not stored");
  return answer.rule.id;
}

async function recordOf(id: number) {
  return (await client.observationDetails(id)).record;
}

const sizes: [number, number][] = [
  [80, 24],
  [200, 50],
];

describe.each(sizes.slice(0, volume(sizes.length)))("at %dx%d", (columns, rows) => {
  /** The program with a search for the words of one record, in the list. */
  async function found(words: string, env: NodeJS.ProcessEnv = {}) {
    const terminal = openTerminal(mem.home, [], { columns, rows, env });
    await terminal.shows("● live");
    terminal.type(words);
    await terminal.shows(new RegExp(` ${words} +1/1$`, "m"));
    terminal.type("\r");
    await terminal.hides("Enter to the list");
    return terminal;
  }

  test("p pins and u unpins", async () => {
    const id = await remembered(`Pinboard${columns} records come first`);
    const terminal = await found(`pinboard${columns}`);
    terminal.type("p");
    await terminal.shows(`Observation ${id} pinned: it comes first in the context.  u: undo`);
    expect(await recordOf(id)).toMatchObject({ pinned: 1 });
    terminal.type("u");
    await terminal.shows(`Observation ${id} unpinned.`);
    expect(await recordOf(id)).toMatchObject({ pinned: 0 });
  });

  test("R rejects and u takes it back", async () => {
    const id = await remembered(`Rejectable${columns} claims are wrong`);
    const terminal = await found(`rejectable${columns}`);
    terminal.type("R");
    await terminal.shows(`Observation ${id} rejected: no search or context shows it.  u: undo`);
    expect(await recordOf(id)).toMatchObject({ status: "rejected" });
    terminal.type("u");
    await terminal.shows(`Observation ${id} is active again.`);
    expect(await recordOf(id)).toMatchObject({ status: "active" });
  });

  test("a makes a proposal a rule and d drops it, with their keys shown only there", async () => {
    const keep = (text: string) => client.keep({ kind: "rule", text, project: "shop" });
    await keep(`Acceptable${columns} words are short`);
    const terminal = await found(`acceptable${columns}`);
    expect(await terminal.shows(/Kind +rule$/m)).toMatch(/^> .* {2}proposal {2}.*$/m);
    await terminal.shows(/a accept.*d drop/);
    terminal.type("?G");
    await terminal.shows(/Drop the proposal/);
    terminal.type("\x1b");
    await terminal.hides("Drop the proposal");
    terminal.type("a");
    await terminal.shows("is a rule now: agents get it.");
    await terminal.hides("a accept");
    await keep(`Droppable${columns} words are long`);
    terminal.type("4");
    await terminal.shows(new RegExp(`Droppable${columns}.*proposal`));
    terminal.type("Gd");
    await terminal.shows("rejected: no search or context shows it.  u: undo");
    await terminal.hides(`Droppable${columns}`);
    expect((await client.rules({ all: true })).proposals).toEqual([]);
  });

  test("s replaces by the observation that the search finds, and u takes it back", async () => {
    const old = await remembered(`Oldway${columns} deploys on Fridays`);
    const better = await remembered(`Newway${columns} deploys on Mondays`);
    const terminal = await found(`oldway${columns}`);
    terminal.type("s");
    await terminal.shows(`Choose what replaces ${old}: Oldway${columns}`);
    terminal.type(`newway${columns}`);
    const screen = await terminal.shows(new RegExp(`Replace ${old} by / newway${columns} +1/1$`, "m"));
    expect(screen).toContain("deploys on Mondays");
    terminal.type("\r");
    await terminal.shows("Enter replace");
    terminal.type("\r");
    await terminal.shows(`Observation ${old} is replaced by ${better}.  u: undo`);
    expect(await recordOf(old)).toMatchObject({ status: "superseded", superseded_by: better });
    terminal.type("u");
    await terminal.shows(`Observation ${old} is active again.`);
    expect(await recordOf(old)).toMatchObject({ status: "active" });
  });

  test("s also takes the number of the other observation", async () => {
    const old = await remembered(`Numberless${columns} names are short`);
    const better = await remembered(`Long names${columns} say more`);
    const terminal = await found(`numberless${columns}`);
    terminal.type(`s${better}`);
    await terminal.shows(new RegExp(`> +${better} .*Long names${columns}`));
    terminal.type("\r");
    await terminal.shows("Enter replace");
    terminal.type("\r");
    await terminal.shows(`Observation ${old} is replaced by ${better}.`);
    expect(await recordOf(old)).toMatchObject({ status: "superseded", superseded_by: better });
  });

  test("Ctrl-N in a replacement writes the new text, and e edits it again", async () => {
    const id = await remembered(`Editable${columns} text is plain`);
    const editor = join(mem.home.env.TMPDIR ?? "", `editor-${columns}.sh`);
    writeFileSync(editor, '#!/bin/sh\nsed -i "s/plain/clear/; t; s/clear/sharp/" "$1"\n', { mode: 0o700 });
    const terminal = await found(`editable${columns}`, { EDITOR: editor });
    terminal.type("s\x0e");
    await terminal.shows(`Edited #${id}: Editable${columns} text is clear  u: undo`);
    expect(await recordOf(id)).toMatchObject({ title: `Editable${columns} text is clear` });
    terminal.type("e");
    await terminal.shows(`Edited #${id}: Editable${columns} text is sharp  u: undo`);
    terminal.type("u");
    await terminal.shows("restored.");
    expect(await recordOf(id)).toMatchObject({ title: `Editable${columns} text is clear` });
  });

  test("x deletes after a yes, and the trash restores it", async () => {
    const id = await remembered(`Deletable${columns} notes go`);
    const terminal = await found(`deletable${columns}`);
    terminal.type("x");
    await terminal.shows(`Delete observation ${id}? The trash keeps it for 30 days. y/n`);
    terminal.type("y");
    await terminal.shows(`Observation ${id} deleted.  u: undo`);
    await expect(recordOf(id)).rejects.toMatchObject({ code: "not_found" });
    terminal.type("6");
    await terminal.shows(new RegExp(`> .*Deletable${columns} notes go.*30 days left`));
    await terminal.shows("R restore");
    terminal.type("R");
    await terminal.shows(`"Deletable${columns} notes go" restored.`);
    expect(await recordOf(id)).toMatchObject({ status: "active" });
    expect((await client.trash({ kind: "observation", id })).items).toEqual([]);
  });
});
