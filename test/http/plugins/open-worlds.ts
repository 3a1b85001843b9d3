// Apps that other machines may reach, for the tests of the remote guard.
import { type RemoteAccess, tokenDigest } from "../../../src/http/plugins/remote-guard.ts";
import { type FakeWorld, fakePort, fakeWorld } from "../support.ts";

export const token = "0aB-dEf_hIjKlMnOpQrStUvWxYz0123456789abcdEF";
export const withToken: RemoteAccess = { is: "token", sha256: tokenDigest(token) };
/** An address of another machine. */
export const remoteAddress = "192.168.1.7";

const worlds: FakeWorld[] = [];

/** Closes what the test opened. */
export async function closeWorlds(): Promise<void> {
  for (const world of worlds.splice(0)) await world.app.close();
}

/** An app that is bound to `host`. */
export function openWorld(remote: RemoteAccess, { logLevel = "info", host = "0.0.0.0" } = {}): FakeWorld {
  const world: FakeWorld = fakeWorld({
    logLevel,
    override: { remote, address: () => ({ host, port: portOf(world) }) },
  });
  worlds.push(world);
  return world;
}

function portOf(world: FakeWorld): number {
  const address = world.app.server.address();
  return typeof address === "object" && address !== null ? address.port : fakePort;
}

/** Listens on `host`; every peer has another machine's address when `pretend` says so. */
export async function listening(world: FakeWorld, host: string, pretend: boolean): Promise<number> {
  if (pretend) {
    world.app.server.prependListener("connection", (socket) =>
      Object.defineProperty(socket, "remoteAddress", { value: remoteAddress }),
    );
  }
  await world.app.listen({ host, port: 0 });
  return portOf(world);
}
