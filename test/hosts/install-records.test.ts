// installs.json.
import { expect, test } from "vitest";
import {
  createInstalls,
  parseInstallRecords,
  renderInstallRecords,
  withInstallRecord,
} from "../../src/hosts/install-records.ts";
import type { InstallRecord } from "../../src/hosts/registration.ts";

const record: InstallRecord = {
  host: "claude-code",
  folder: "/home/user/.claude",
  settings_file: "/home/user/.claude/settings.json",
  file_existed: true,
  blank_text: " \n",
  made_folders: ["/home/user/.claude"],
  written_key: "ab12",
  insertions: [{ at: 1, text: '"hooks": {}' }],
  created: [["hooks"]],
  members: [{ path: ["plugins", "entries", "mem", "enabled"], before: "false" }],
};

test("records are read as they were written", () => {
  expect(parseInstallRecords(renderInstallRecords([record]))).toEqual([record]);
});

test("a record of the first version is read: its folder, and its names as paths", () => {
  const { folder: _, ...rest } = record;
  const first = { ...rest, kind: "hooks", created: ["hooks", "Stop"], commands: ["set --"] };
  expect(parseInstallRecords(JSON.stringify({ version: 1, installs: [first] }))).toEqual([
    { ...record, created: [["hooks"], ["hooks", "Stop"]] },
  ]);
});

test.each([
  null,
  "",
  "{",
  "[]",
  "null",
  '{"installs": {}}',
  '{"installs": [1, {"host": 2}, {"insertions": [1]}]}',
])("%j holds no record", (text) => {
  expect(parseInstallRecords(text)).toEqual([]);
});

test("there is one record for a settings file", () => {
  const other = { ...record, settings_file: "/elsewhere" };
  const later = { ...record, created: [] };
  expect(withInstallRecord([record, other], record.settings_file, later)).toEqual([other, later]);
  expect(withInstallRecord([record, other], record.settings_file, null)).toEqual([other]);
});

test("records and the choice for recall change independently", () => {
  let text: string | null = null;
  const installs = createInstalls({
    read: () => text,
    replace: (change) => {
      text = change(text);
    },
  });
  expect(installs.mcpWish()).toBeNull();
  installs.setMcpWish(false);
  installs.put(record.settings_file, record);
  expect([installs.mcpWish(), installs.list()]).toEqual([false, [record]]);
  installs.setMcpWish(null);
  expect([installs.mcpWish(), installs.list()]).toEqual([null, [record]]);
  expect(text).not.toContain("mcp_wish");
});
