import { expect, test } from "vitest";
import { keyLines } from "../../src/cli/key-lines.ts";
import { displayWidth } from "../../src/text/terminal-text.ts";

const day = 86_400_000;
const key = {
  id: "d8882b8c-7e90-4bfa-b435-dcb6507c383e",
  team_id: "t",
  project_id: "p",
  parent_id: null,
  prefix: "mem_1MXY",
  last_four: "fM21",
  label: "the laptop of somebody with a long name \u001b[31m",
  scopes: ["memories:read", "memories:write"] as const,
  created_at_epoch: 0,
  expires_at_epoch: 100 * day,
  revoked_at_epoch: null,
  last_used_at_epoch: 3 * day,
  team: "a team with a rather long name 東京",
  project: "shop",
};
const keys = [
  key,
  { ...key, project_id: null, project: null, revoked_at_epoch: 2 * day, last_used_at_epoch: null },
];

test("keys stand in columns where there is room", () => {
  const [head = "", ...rows] = keyLines(keys, { nowEpochMs: 5 * day, columns: Number.POSITIVE_INFINITY });
  expect(rows).toHaveLength(2);
  for (const row of rows) expect(row.indexOf("mem_1MXY")).toBe(head.indexOf("key"));
  expect(rows.join("\n")).not.toContain("\u001b");
});

test("no line is wider than a terminal of 80 columns, and every id and state is whole", () => {
  const lines = keyLines(keys, { nowEpochMs: 5 * day, columns: 80 });
  for (const line of lines) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
  expect(lines.filter((line) => line.includes(key.id))).toEqual([
    `${key.id}  read+write  until 1970-04-11`,
    `${key.id}  read+write  revoked 1970-01-03`,
  ]);
  expect(lines[1]).toContain("mem_1MXY…fM21  a team with a rather long name 東京, shop  used 1970-01-04");
});
