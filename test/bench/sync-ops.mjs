// Requests of a device, as its worker sends them: observations of 1 to 2 KB, plain or sealed.
import { createHash, randomBytes } from "node:crypto";

export const opsOfRequest = 500;

/** Requests with other operations each, and in each round; `text` is the body of the POST. */
export function requestsOf(device, form, count, round = 0) {
  return Array.from({ length: count }, (_, at) => {
    const first = (round * count + at) * opsOfRequest;
    const ops = Array.from({ length: opsOfRequest }, (_, n) => opOf(device, form, first + n));
    return { ops, text: JSON.stringify({ ops: ops.map(({ body, sha256 }) => ({ body, sha256 })) }) };
  });
}

function opOf(device, form, n) {
  const head = { deleted: false, device, id: String(n), kind: "observation" };
  const payload = payloadOf(n);
  const body = JSON.stringify(
    form === "plain"
      ? { ...head, payload, revision: "1", v: 1 }
      : { ...head, revision: "1", sealed: sealedLike(payload), v: 1 },
  );
  const digest = createHash("sha256").update(body).digest();
  return { id: head.id, body, bytes: Buffer.byteLength(body), digest, sha256: digest.toString("base64url") };
}

// Random bytes as long as the sealed text: it has 49 bytes more.
function sealedLike(payload) {
  return randomBytes(Buffer.byteLength(JSON.stringify(payload)) + 49).toString("base64url");
}

function payloadOf(n) {
  const file = `src/store/queue-${n % 97}.ts`;
  const sentence = `The retry of message ${n} keeps its place in the queue, "${file}" commits it together with its batch. `;
  return {
    concepts: ["how-it-works", "problem-solution"],
    created_at_epoch: 1_790_000_000_000 + n,
    facts: [1, 2, 3].map((each) => `${each}: ${sentence.slice(0, 90)}`),
    files_modified: [file],
    files_read: [file, `test/store/queue-${n % 97}.test.ts`],
    narrative: sentence.repeat(4),
    project: "bench",
    session: `session-${n % 31}`,
    subtitle: sentence,
    title: `Retry of message ${n}`,
    type: "discovery",
  };
}
