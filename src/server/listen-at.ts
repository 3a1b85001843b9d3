// Binds an app to its address, with an error that names the way out.
import { codeOf } from "../core/error-code.ts";
import { MemError } from "../core/errors.ts";
import type { App } from "../http/plugins/zod.ts";

/** Resolves to the port. Throws `port_unusable`. */
export async function listenAt(
  app: Pick<App, "listen">,
  { host, port }: { host: string; port: number },
): Promise<number> {
  try {
    return Number(new URL(await app.listen({ host, port })).port);
  } catch (cause) {
    const reason = cause instanceof Error ? ` (${cause.message})` : "";
    throw new MemError("port_unusable", {
      message: `The server cannot listen on ${host}:${port}${reason}.`,
      hint: listenHints[codeOf(cause)] ?? "Choose another port with --port; 0 takes any free one.",
      cause,
    });
  }
}

const noSuchAddress =
  "This machine has no such address. Use one of its addresses with --host, or 0.0.0.0 for all.";
const listenHints: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: noSuchAddress,
  ENOTFOUND: noSuchAddress,
  EAI_AGAIN: noSuchAddress,
  EACCES: "Ports below 1024 need root. Choose another port with --port.",
};
