import { expect, test } from "vitest";
import { fakeWorld, local } from "../support.ts";

test("the sync status of an install without sync answers 200 and says so", async () => {
  const { app } = fakeWorld();
  const answer = await app.inject({ url: "/api/sync/status", headers: local });
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toEqual({ configured: false });
  await app.close();
});
