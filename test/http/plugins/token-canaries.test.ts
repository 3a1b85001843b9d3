import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type RemoteAccess, tokenDigest } from "../../../src/http/plugins/remote-guard.ts";
import { someOf, volume } from "../../helpers/volume.ts";
import { fakePort } from "../support.ts";
import { closeWorlds, listening, openWorld, remoteAddress, token, withToken } from "./open-worlds.ts";

afterEach(closeWorlds);

describe("the token in logs, answers and frames", () => {
  test("appears nowhere, for every route, method and carrier, at debug level", async () => {
    const canary = "CANARY-0aBdEfhIjKlMnOpQrStUvWxYz0123456789a";
    const seen: string[] = [];
    const gated: RemoteAccess = { is: "token", sha256: tokenDigest(canary) };
    const peers: [RemoteAccess, string][] = [
      [gated, remoteAddress],
      [gated, "127.0.0.1"],
      [{ is: "open" }, remoteAddress],
    ];
    for (const [remote, peer] of peers) {
      const world = openWorld(remote, { logLevel: "trace" });
      await world.app.ready();
      const targets = new Set([
        ...world.routes.map(({ url }) => url.replaceAll(/:\w+/g, "1")),
        "/nope",
        "/%zz",
      ]);
      targets.delete("/stream");
      const shapes = (path: string): { url: string; headers?: Record<string, string> }[] => [
        { url: `${path}?token=${canary}` },
        { url: `${path}?limit=x&offset=-1&token[]=${canary}` },
        { url: `${path};token=${canary}` },
        { url: `${path}/${canary}` },
        { url: `/${canary}${path}` },
        { url: `${path}:${canary}` },
        { url: `${path}%3Ftoken=${canary}` },
        { url: path, headers: { authorization: `Bearer ${canary}` } },
        { url: path, headers: { authorization: `Bearer ${canary}`, "x-api-key": canary } },
        { url: path, headers: { "x-api-key": canary } },
        { url: path, headers: { referer: `http://tv.example/tv?token=${canary}` } },
      ];
      for (const [turn, path] of [...targets].entries()) {
        for (const { url, headers } of someOf(shapes(path), turn, 3)) {
          for (const method of ["GET", "POST"] as const) {
            const answer = await world.app.inject({
              ...{ method, url, remoteAddress: peer },
              headers: { host: `127.0.0.1:${fakePort}`, ...headers },
            });
            seen.push(String(answer.body), JSON.stringify(answer.headers));
          }
        }
      }
      seen.push(...world.log, JSON.stringify(world.calls));
    }
    expect(seen.length).toBeGreaterThan(volume(5_000, 1_250));
    expect(seen.filter((text) => text.includes("CANARY")).slice(0, 3)).toEqual([]);
  });

  test("does not come back in the stream's frames or the parser's refusals", async () => {
    const world = openWorld(withToken, { logLevel: "trace" });
    const port = await listening(world, "127.0.0.1", true);
    const answers = await Promise.all(
      [
        `GET /stream?token=${token} HTTP/1.1\r\nHost: a\r\n\r\n`,
        `GET /stream?token=${token} HTTP/9.9\r\nHost: a\r\n\r\n`,
        `G(T /tv?token=${token} HTTP/1.1\r\n\r\n`,
        `GET /tv?token=${token} HTTP/1.1\r\nX-Api-Key : ${token}\r\n\r\n`,
        `GET /tv HTTP/1.1\r\nX-Api-Key: ${token}${"x".repeat(20_000)}\r\n\r\n`,
      ].map(
        (bytes) =>
          new Promise<string>((resolve) => {
            let text = "";
            const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
            socket.on("data", (chunk) => {
              text += String(chunk);
              if (text.includes("processing_status")) socket.destroy();
            });
            socket.on("error", () => undefined);
            socket.on("close", () => resolve(text));
          }),
      ),
    );
    expect(answers[0]).toContain("initial_load");
    expect(answers.every((text) => text !== "")).toBe(true);
    expect([...answers, ...world.log].join("\n")).not.toContain(token);
  });
});
