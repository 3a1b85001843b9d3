// Start message of the server: its address, database and access.
import { version } from "../core/version.ts";
import type { LoadedSettings } from "../settings/load.ts";
import type { ServerSettings } from "../settings/server.ts";
import { inShell } from "../text/in-shell.ts";
import type { ServerDatabase } from "./postgres/own-database.ts";
import { placeOfPostgres } from "./postgres/postgres-home.ts";

interface Greeted extends Pick<ServerDatabase, "described"> {
  settings: LoadedSettings;
  server: ServerSettings;
  host: string;
  port: number;
  role: "all" | "http" | "generate";
  /** `on`, or `off` and why. */
  vectors: string;
}

export function greeting({ settings, server, host, port, role, described, vectors }: Greeted): string[] {
  const metricsPort = server.get("MEM_METRICS_PORT");
  return [
    `mem server ${version()} answers at http://${inAddress(host)}:${port} (role ${role})`,
    ...databaseLines(described, settings.dataDir),
    `  vectors: ${vectors}`,
    ...(metricsPort === 0
      ? []
      : [`  metrics: http://${inAddress(server.get("MEM_METRICS_HOST"))}:${metricsPort}/metrics`]),
    ...keyLines(role, server.get("MEM_AUTH_MODE") === "api-key"),
  ];
}

function databaseLines(described: ServerDatabase["described"], dataDir: string): string[] {
  if (described === "named") return ["  database: MEM_DATABASE_URL"];
  const { place, isOutside } = placeOfPostgres(dataDir);
  return [
    described === "joined"
      ? `  database: the private PostgreSQL that already runs for ${dataDir}`
      : `  database: a private PostgreSQL in ${place}, which stops with this process`,
    // Outside of the data directory: removing that alone removes no memory.
    ...(isOutside
      ? [`  to delete all memory, stop the server and run: rm -r ${inShell(dataDir)} ${inShell(place)}`]
      : []),
  ];
}

function keyLines(role: Greeted["role"], withKeys: boolean): string[] {
  if (role === "generate")
    return ["  keys: none; it generates records for every team and answers health checks only"];
  return withKeys
    ? [
        "  keys: required; create one:",
        "        mem keys create --team NAME --scope memories:write --scope memories:read",
      ]
    : [
        "  keys: none; one team, `local`, on this machine only",
        "        MEM_AUTH_MODE=api-key requires keys",
      ];
}

/** The host as it stands in a URL. */
export function inAddress(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
