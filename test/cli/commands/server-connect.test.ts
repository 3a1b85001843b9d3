// `mem server connect` where no server answers.
import { expect, test } from "vitest";
import { servedMem } from "../mem.ts";

test("connecting to a server that cannot be reached ends with 69, and changes nothing", async () => {
  const mem = servedMem();
  await mem("remember", "Use pnpm, never npm.", "--project", "shop");
  const words = ["server", "connect", "--url", "http://127.0.0.1:9", "--key", "key", "--project", "shop"];
  const { code, stdout, stderr } = await mem(...words);
  expect({ code, stdout }).toEqual({ code: 69, stdout: "" });
  expect(stderr).toContain("The server cannot be reached (ECONNREFUSED).");
  expect(stderr).toContain("Nothing was changed. Try again when the server answers.");
  const { code: again, stderr: json } = await mem(...words, "--json");
  expect(again).toBe(69);
  expect(JSON.parse(json).error).toMatchObject({ code: "team_server_failed" });
  expect((await mem("settings", "get", "MEM_TEAM_SERVER_URL")).stdout.trim()).toBe("");
  expect((await mem("server", "connect")).stdout).toContain("Nothing goes to a team.");
});
