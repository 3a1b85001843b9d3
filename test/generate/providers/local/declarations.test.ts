// What a line declares, in the languages that agents write.
import { expect, it } from "vitest";
import { declaredName, fileKind, testTitle } from "../../../../src/generate/providers/local/declarations.ts";

const rows: [path: string, line: string, name: string | null][] = [
  ["a.ts", "export async function loadAll<T>(x: T) {", "loadAll"],
  ["a.ts", "export const limit = 5;", "limit"],
  ["a.ts", "  const local = 5;", null],
  ["a.ts", "  async claim(now: number): Promise<Job | null> {", "claim"],
  ["a.ts", "  private static of<T>(x: T): Box {", null],
  ["a.ts", "  if (ready) {", null],
  ["a.ts", "  } else if (ready(x)) {", null],
  ["a.ts", "  items.map((x) => {", null],
  ["a.ts", '  it("adds", async () => {', null],
  ["a.ts", "export default class Queue extends Base {", "Queue"],
  ["a.ts", "export interface Job {", "Job"],
  ["a.py", "    async def fetch(self):", "fetch"],
  ["a.py", "class Cart:", "Cart"],
  ["a.go", "func (s *Set) Sum(xs []int) int {", "Sum"],
  ["a.go", "type Set struct {", "Set"],
  ["a.rs", "pub(crate) async fn run() {", "run"],
  ["a.rs", "pub trait Store {", "Store"],
  ["a.rb", "  def empty?", "empty?"],
  ["a.java", "    public User find(String id) {", "find"],
  ["a.kt", "suspend fun load(id: Int): User {", "load"],
  ["a.sql", "create unique index jobs_ready on jobs (id)", "jobs_ready"],
  ["a.sql", "CREATE TABLE IF NOT EXISTS jobs (", "jobs"],
  ["a.md", "## Getting started ##", "Getting started"],
  ["a.json", '  "name": "x",', "name"],
  ["a.toml", "[tool.ruff]", "tool.ruff"],
  ["a.yaml", "port: 3000", "port"],
  ["a.css", ".button {", null],
  ["notes.txt", "class of 1990", null],
];

it.each(rows)("in %s, %j declares %j", (path, line, name) => {
  expect(declaredName(line, fileKind(path))).toBe(name);
});

it.each([
  ["src/a.ts", "code"],
  ["src/a.test.ts", "test"],
  ["tests/test_a.py", "test"],
  ["pkg/a_test.go", "test"],
  ["README", "docs"],
  ["docs/a.md", "docs"],
  ["package.json", "config"],
  [".eslintrc", "config"],
  ["vite.config.ts", "config"],
  ["a.css", "style"],
  ["Makefile", "config"],
  ["data.bin", "other"],
])("%s is a file of kind %s", (path, kind) => {
  expect(fileKind(path)).toBe(kind);
});

it.each([
  ['  it("gives up", () => {', "gives up"],
  ["describe.each(rows)('queue', () => {", null],
  ["  test.only('claims once', async () => {", "claims once"],
  ["const it = 5;", null],
])("%j opens the test %j", (line, title) => {
  expect(testTitle(line)).toBe(title);
});
