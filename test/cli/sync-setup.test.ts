// `mem sync setup` at a terminal: every question, and what a person may answer.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { workerHome } from "../helpers/worker-process.ts";
import { newAccount, startHub } from "../hub/hub-process.ts";
import { memAtHome } from "./mem.ts";
import { openTerminal } from "./tui/pseudo-terminal.ts";

const passphrase = "six random words for this test";

test("the questions of the first device and of the next one", async () => {
  const hubHome = workerHome();
  const account = await newAccount(hubHome, "alice");
  const { url, kill } = await startHub(hubHome);
  const setUp = (home: ReturnType<typeof workerHome>) =>
    openTerminal(home, ["sync", "setup"], { columns: 100, rows: 40 });
  const [laptop, desk] = [memAtHome(), memAtHome()];
  await laptop("remember", "Use pnpm, never npm.", "--project", "shop");
  await laptop("remember", "Never on a Friday.", "--project", "attic");
  const cancelled = setUp(laptop.home);
  await cancelled.shows("Address of the hub:");
  cancelled.type("\x03");
  await cancelled.shows("Cancelled.");
  expect((await cancelled.exit).exitCode).toBeGreaterThan(0);
  expect((await laptop("sync", "status")).stdout).toContain("Sync is not set up");
  const first = setUp(laptop.home);
  await first.shows("Address of the hub:");
  first.type(`${url}\r`);
  await first.shows("User id at the hub:");
  first.type(`${account.id}\r`);
  await first.shows("Token:");
  first.type(`${account.token}\r`);
  await first.shows("New passphrase of the account:");
  first.type("short\r");
  await first.shows("The passphrase has 5 characters");
  first.type(`${passphrase}\r`);
  await first.shows("The same again:");
  first.type("another one\r");
  await first.shows("The two differ.");
  first.type(`${passphrase}\r`);
  await first.shows(/The same again:[\s\S]*The same again:/);
  first.type(`${passphrase}\r`);
  await first.shows("Recovery phrase of the account, shown only now.");
  await first.shows("Which projects may leave this device?");
  await first.shows(/Names or numbers, `all` \(new ones too\), or Enter for none:/);
  first.type("garage\r");
  await first.shows("garage is neither a project nor its number.");
  first.type("shop\r");
  await first.shows("Their records from before sync was set up");
  first.type("y\r");
  const done = await first.shows("Projects  shop");
  expect(done).toContain("Sync      up to date");
  expect((await first.exit).exitCode).toBe(0);
  // What is secret was typed unseen.
  expect(first.written()).not.toContain(account.token);
  expect(first.written()).not.toContain(passphrase);
  const next = setUp(desk.home);
  await next.shows("Address of the hub:");
  next.type(`${url}\r`);
  await next.shows("User id at the hub:");
  next.type(`${account.id}\r`);
  await next.shows("Token:");
  next.type(`${account.token}\r`);
  await next.shows("Passphrase of the account:");
  next.type(`not the passphrase\r${passphrase}`);
  await next.shows("This is not the passphrase of the account.");
  await next.shows(/Passphrase of the account:[\s\S]*Passphrase of the account:/);
  next.type("\r");
  await next.shows("Which projects may leave this device?");
  next.type("\r");
  await next.shows("Sync      up to date");
  expect((await next.exit).exitCode).toBe(0);
  // Also what was typed before its question.
  expect(next.written()).not.toContain(passphrase);
  expect((await desk("rules", "--project", "shop")).stdout).toContain("Use pnpm, never npm.");
  expect((await desk("rules", "--project", "attic")).stdout).not.toContain("Friday");
  expect(readFileSync(join(desk.home.dataDir, "settings.json"), "utf8")).not.toContain(passphrase);
  await kill("SIGTERM");
  for (const words of [["devices"], ["now"]]) {
    const { code, stdout, stderr } = await desk("sync", ...words);
    expect(code).toBe(69);
    expect(stdout + stderr).toContain("The hub cannot be reached");
  }
});
