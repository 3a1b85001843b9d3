import { expect, test } from "vitest";
import * as z from "zod";
import { onWire } from "../../../src/http/v1/on-wire.ts";

const session = z.object({ id: z.string(), serverSessionId: z.string(), endedAtEpoch: z.int().nullable() });
const stored = { id: "a", ended_at_epoch: null, seq: 7, session_id: "b" };

test("answers the schema's fields alone, each from its column or as named", () => {
  const answer = { id: "a", serverSessionId: "b", endedAtEpoch: null };
  expect(onWire(session, stored, { serverSessionId: stored.session_id })).toStrictEqual(answer);
});

test("a schema that is made when it is first needed gives the same", () => {
  const named = { serverSessionId: "b" };
  expect(
    onWire(
      z.lazy(() => session),
      stored,
      named,
    ),
  ).toStrictEqual(onWire(session, stored, named));
});
