// A real worker that other machines reach: its token stays out of everything that it writes.
import { once } from "node:events";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { findCanaries } from "../helpers/temp-dir.ts";
import { startWorker, workerHome } from "../helpers/worker-process.ts";

const canary = "CANARY0123456789abcdefABCDEF_-0123456789abc";

// Without a network, the guard's own tests stand for other machines.
const hosts = [
  "127.0.0.1",
  ...Object.values(networkInterfaces())
    .flat()
    .flatMap((one) => (one?.family === "IPv4" && !one.internal ? [one.address] : [])),
];

/** What came back until the other side closed; of a stream, its first events and what follows for a moment. */
async function answerTo(host: string, port: number, lines: readonly string[]): Promise<string> {
  const socket = connect(port, host);
  let text = "";
  socket.on("data", (chunk) => {
    text += String(chunk);
    if (text.includes("processing_status")) socket.setTimeout(400, () => socket.destroy());
  });
  socket.on("error", () => undefined);
  socket.write(`${lines.join("\r\n")}\r\nConnection: close\r\n\r\n`);
  await once(socket, "close");
  return text;
}

test("the token is in no file, answer or event, whatever carries it, at debug level", async () => {
  const home = workerHome({ MEM_WORKER_HOST: "0.0.0.0", MEM_TV_TOKEN: canary, MEM_LOG_LEVEL: "DEBUG" });
  const worker = await startWorker(home);
  const targets = [
    "/tv",
    "/stream",
    "/api/observations",
    "/",
    "/api/stats",
    "/tv/",
    "/%74v",
    "/nope",
    "/%zz",
  ];
  const requests = targets.flatMap((target) => [
    [`GET ${target}?token=${canary} HTTP/1.1`],
    [`GET ${target}?token=${canary}&token=${canary} HTTP/1.1`],
    [`POST ${target}?token=${canary} HTTP/1.1`, "Content-Length: 0"],
    [`GET ${target};token=${canary} HTTP/1.1`],
    [`GET ${target}%3Ftoken=${canary} HTTP/1.1`],
    [`GET http://evil.example${target}?token=${canary} HTTP/1.1`],
    [`GET ${target} HTTP/1.1`, `Authorization: Bearer ${canary}`],
    [`GET ${target} HTTP/1.1`, `X-Api-Key: ${canary}`],
    [`GET ${target} HTTP/1.1`, `X-Api-Key: ${canary}`, `Referer: http://a/tv?token=${canary}`],
    [`GET ${target} HTTP/9.9`, `X-Api-Key: ${canary}`],
  ]);
  const answers: string[] = [];
  for (const host of hosts) {
    const sent = requests.map(([first = "", ...others]) =>
      answerTo(host, worker.port, [first, `Host: ${host}:${worker.port}`, ...others]),
    );
    await worker.post("/observations", { claudeSessionId: "c", title: "made meanwhile", type: "discovery" });
    answers.push(...(await Promise.all(sent)));
  }
  expect(answers.filter((text) => text.includes("initial_load")).length).toBeGreaterThan(0);
  expect(answers.filter((text) => text.includes("CANARY"))).toEqual([]);
  await sleep(50);
  await worker.stop();
  expect(findCanaries(home.dataDir, [canary])).toEqual([]);
  expect(worker.output()).not.toContain("CANARY");
});
