// A place for the integration of a host, as `mem install` makes it.
import { hookCommand, type Launcher } from "../../src/hosts/hook-command.ts";
import type { HostPlace } from "../../src/hosts/integration.ts";

/** The place of `host` in `/home/user`; on Windows its hooks start Node. */
export function somePlace(
  host: string,
  folder: string,
  launcher: Launcher = { folder: "/mem/bin" },
): HostPlace {
  return {
    home: "/home/user",
    folder: `/home/user/${folder}`,
    launcherFolder: "/mem/bin",
    dataDir: null,
    hookCommand: (event) => hookCommand({ host, event, launcher, dataDir: null }),
    server: { command: "/bin/sh", args: ["/mem/bin/mem-mcp.sh"], env: {} },
    exists: () => false,
  };
}
