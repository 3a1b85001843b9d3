// Shows text in the user's pager, as git does.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { childEnvironment, type Environment } from "../settings/environment.ts";

/** Resolves when the pager has ended. Without such a program the text goes straight to stdout. */
export async function showInPager(
  [program = "", ...rest]: readonly string[],
  text: string,
  environment: Environment,
): Promise<void> {
  // Quit when it fits, keep colors, leave the text on the screen: git's defaults.
  const env = childEnvironment(environment, { LESS: environment.LESS ?? "FRX" });
  const pager = spawn(program, rest, { env, stdio: ["pipe", "inherit", "inherit"] });
  const ignore = () => undefined;
  // Ctrl-C is for the pager, and a pager that is left early reads no more.
  process.on("SIGINT", ignore);
  pager.stdin.on("error", ignore);
  try {
    pager.stdin.end(text);
    await once(pager, "exit");
  } catch {
    process.stdout.write(text);
  } finally {
    process.off("SIGINT", ignore);
  }
}
