// `mem sync passphrase` and `mem sync rotate`: a new passphrase for the account's key, or a new key.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unlessMissing } from "../core/error-code.ts";
import { MemError } from "../core/errors.ts";
import type { SealedRing } from "../sync/key-ring.ts";
import type { JsonOptions } from "./command.ts";
import type { CliContext } from "./context.ts";
import { answersFrom } from "./sync-answers.ts";
import { askNewPassphrase, restartSync, storeRing } from "./sync-setup.ts";
import { printWrapped } from "./table.ts";

export interface KeyOptions extends JsonOptions {
  stdin?: true;
}

/** The key stays: devices that are set up go on. */
export async function changePassphrase(context: CliContext, options: KeyOptions): Promise<void> {
  const { withPassphrase } = await import("../sync/join.ts");
  const done = "The passphrase is changed. Devices that are set up go on without it.";
  await changeRing(context, { ...options, command: "mem sync passphrase", done }, withPassphrase);
}

/** A new key: what is written from now on cannot be read with the present one. */
export async function rotateKey(context: CliContext, options: KeyOptions): Promise<void> {
  const { demandNewest, lookAtAccount, withNewKey } = await import("../sync/join.ts");
  const done = "Other devices stop until you enter the new passphrase there: `mem sync setup`.";
  await changeRing(context, { ...options, command: "mem sync rotate", done }, async (ring, passphrase) => {
    const settings = context.settings("read");
    const [token, userId] = [settings.get("MEM_CLOUD_SYNC_TOKEN"), settings.get("MEM_CLOUD_SYNC_USER_ID")];
    const access = { token: token.reveal(), userId: userId.reveal() };
    // Two devices that rotate apart from each other could not read each other's records.
    demandNewest(
      ring,
      await lookAtAccount(settings.get("MEM_CLOUD_SYNC_HUB_URL"), access, { allowHttp: true }),
    );
    return await withNewKey(ring, passphrase);
  });
}

type Change = (ring: SealedRing, passphrase: string) => Promise<{ ring: SealedRing; phrase: string | null }>;

async function changeRing(
  context: CliContext,
  { command, done, ...options }: KeyOptions & Record<"command" | "done", string>,
  change: Change,
): Promise<void> {
  const ring = await presentRing(context);
  const answers = await answersFrom(options, command);
  try {
    const changed = await change(ring, await askNewPassphrase(answers));
    await storeRing(context, changed, options);
    if (options.json !== true) printWrapped(context.io, context.io.out, done);
    await restartSync(context, changed, options);
  } finally {
    answers.close();
  }
}

async function presentRing(context: CliContext): Promise<SealedRing> {
  const { parseRing, ringFile } = await import("../sync/key-ring.ts");
  const file = join(context.settings("read").dataDir, ringFile);
  const ring = parseRing(unlessMissing(() => readFileSync(file, "utf8")) ?? "");
  if (ring?.mode === "sealed") return ring;
  throw new MemError("not_set_up", {
    message:
      ring === undefined ? "This device has no account key." : "The account is not encrypted: it has no key.",
    hint: "Run `mem sync setup`.",
  });
}
