// Where the hook finds the worker and the spool: the same rule as settings/, without what that loads.

/**
 * The data directory: `MEM_DATA_DIR`, else `~/.mem`. Null for a relative path or home, whose meaning would depend on the
 * project that the host works in.
 */
export async function hookDataDir(environment: NodeJS.ProcessEnv): Promise<string | null> {
  const named = environment.MEM_DATA_DIR?.trim() ?? "";
  const absolute = process.platform === "win32" ? /^([a-z]:)?[\\/]/i : /^\//;
  if (absolute.test(named)) return named;
  if (named !== "" && named !== "~" && !/^~[\\/]/.test(named)) return null;
  const home = await homeOf(environment);
  if (!absolute.test(home)) return null;
  return named === "" ? `${home}/.mem` : `${home}${named.slice(1)}`;
}

// `os.homedir` reads the same variables first.
async function homeOf(environment: NodeJS.ProcessEnv): Promise<string> {
  const named = process.platform === "win32" ? environment.USERPROFILE : environment.HOME;
  return named ?? (await import("node:os")).homedir();
}
