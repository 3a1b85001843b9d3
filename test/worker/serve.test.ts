import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { loadSettings } from "../../src/settings/load.ts";
import { openDatabase } from "../../src/store/sqlite/open.ts";
import { somebodyListens } from "../../src/worker/listen.ts";
import { serve } from "../../src/worker/serve.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("leaves neither socket nor database open when worker.json cannot be written", async () => {
  const settings = loadSettings({ dataDir: tempDir(), env: { MEM_PROVIDER: "local" } });
  const { paths } = settings;
  // As the worker does: the socket is bound by its name.
  const before = process.cwd();
  process.chdir(settings.dataDir);
  onTestFinished(() => process.chdir(before));
  mkdirSync(join(paths.workerFile, "taken"), { recursive: true });
  const db = openDatabase(paths.database, { product: "0.0.0-test", now: 1 });
  const identity = { instance: "next", secret: "s", startedAt: 1 };
  const log = pino({ level: "silent" });
  const served = serve({
    settings,
    log,
    identity,
    db,
    isNew: false,
    port: 45_871,
    onDamage: () => undefined,
  });
  await expect(served).rejects.toMatchObject({ code: "EISDIR" });
  expect(await somebodyListens(paths.socket)).toBe(false);
  expect(db.open).toBe(false);
});
