// Requests written byte by byte: HTTP clients refuse to send most of what an attacker would.
import { connect } from "node:net";
import { patienceMs } from "./eventually.ts";

export interface RawAnswer {
  /** 0 when the connection ended without an answer. */
  status: number;
  headers: string;
  body: string;
}

/** Sends `bytes` to the loopback port and reads until the other side closes, or has been silent for `quietMs` after a byte. */
export function sendRaw(port: number, bytes: string | Uint8Array, quietMs = 2_000): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    let received = "";
    socket.setTimeout(patienceMs, () => socket.destroy());
    socket.on("data", (chunk) => {
      received += String(chunk);
      socket.setTimeout(quietMs);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(parseAnswer(received)));
    socket.write(bytes);
  });
}

function parseAnswer(received: string): RawAnswer {
  const [head = "", ...body] = received.split("\r\n\r\n");
  const [first = "", ...headers] = head.split("\r\n");
  return {
    status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1] ?? 0),
    headers: headers.join("\r\n"),
    body: body.join("\r\n\r\n"),
  };
}
