// A standing rule is recalled at an action that it forbids, and at no other.
import { describe, expect, it } from "vitest";
import { parseRule } from "../../../src/statements/rules/prohibitions.ts";
import { type Action, forbiddenBy } from "../../../src/statements/rules/rule-match.ts";

const ruleForbids = ({ text }: { text: string }, action: Action): boolean =>
  forbiddenBy(action)(parseRule(text));

const commands: [rule: string, command: string][] = [
  ["Yarn only in this repo, never npm.", "npm install left-pad"],
  ["Use uv instead of pip for everything", "pip install rich"],
  ["Wir nehmen pnpm statt npm", "npm ci"],
  ["Nunca uses yarn, siempre npm", "yarn add left-pad"],
  ["On n'utilise jamais yarn", "yarn add left-pad"],
  ["Não use pip direto, só poetry", "pip install rich"],
  ["Никогда не запускай terraform apply", "terraform apply"],
  ["不要用npm,我们用pnpm", "npm install left-pad"],
  ["npmは使わないでください", "npm install left-pad"],
  ["npmではなくpnpmを使ってください", "cd web && npm install"],
  ["npm is not allowed in this repo", "npm i"],
  ["Nobody deploys by hand, the pipeline does", "fly deploy"],
  ["Nobody pushes to main directly", "git commit -m a && git push origin main"],
  ["In release pusht niemand direkt", "git push origin release"],
  ["В release напрямую никто не пушит", "git push origin HEAD:release"],
  ["禁止直接推送到release分支", "git push origin release"],
  ["releaseに直接pushしないでください", "git push origin release"],
  ["No `git push --force` on shared branches", "git push --force origin a"],
  ["Never force push", "git push --force"],
  ["No --no-verify, please", "git commit --no-verify -m a"],
  ["No new dependencies without asking", "cargo add serde"],
  ["Keine neuen Pakete, bitte", "npm install left-pad"],
  ["Ask me before you add a library", "uv add rich"],
  ["Don't run docker compose down here, others use the database", "docker compose down -v"],
  ["Don't touch third_party/", "rm -rf third_party/zlib"],
  ["Never run make.", "make all"],
  ["Always use just, never make.", "make"],
  ["Never use sudo.", "sudo apt install x"],
  ["Never use sudo without asking.", "cd /srv && sudo -u app ls"],
  ["Do not use rm.", "rm -rf build"],
];

it.each(commands)("%j forbids %j", (text, command) => {
  expect(ruleForbids({ text }, { command })).toBe(true);
});

const paths: [rule: string, path: string][] = [
  ["Never edit anything in build/gen/, it is overwritten", "/home/a/app/build/gen/api.go"],
  ["Do not touch infra/prod or infra/shared", "infra/shared/main.tf"],
  ["Don't change gen/, vendor/ or dist/", "dist/a.js"],
  ["*.lock files must not be edited by hand", "web/yarn.lock"],
  ["vendor/ is off limits", "vendor/a/b.go"],
  ["Stay out of legacy/", "legacy/A.java"],
  ["Ask first before touching infra/", "infra/main.tf"],
  ["generated/ wird nie von Hand geändert", "src/generated/a.ts"],
  ["No toques nunca la carpeta vendor/", "vendor/a.php"],
  ["Никогда не меняй файлы в proto/gen/", "proto/gen/a.go"],
  ["不要修改 gen/ 目录", "gen/a.go"],
  ["gen/ を直接編集しないでください", "gen/a.go"],
  ["Never edit `src/**/gen/*.ts` by hand", "/app/src/api/v1/gen/user.ts"],
  ["Never edit `src/**/gen/*.ts` by hand", "src/gen/user.ts"],
];

it.each(paths)("%j forbids to edit %j", (text, path) => {
  expect(ruleForbids({ text }, { path })).toBe(true);
});

describe("what a rule does not forbid", () => {
  const allowed: [rule: string, action: { command?: string; path?: string }][] = [
    ["Never make changes to the schema", { command: "make all" }],
    ["Never make a commit without asking.", { command: "make all" }],
    ["Never just guess", { command: "just lint" }],
    ["Don't look.", { command: "look up" }],
    ["Never use sudo.", { command: "echo sudo" }],
    ["Yarn only in this repo, never npm.", { command: "yarn add left-pad" }],
    ["Don't use yarn", { command: "npm install" }],
    ["npmではなくpnpmを使ってください", { command: "pnpm install" }],
    ["Use pnpm not npm", { command: "pnpm install" }],
    ["Always use pnpm", { command: "npm install" }],
    ["Nobody pushes to main directly", { command: "git push origin fix" }],
    ["Never force push", { command: "git push origin fix" }],
    ["Never push without running `just ci`", { command: "just ci" }],
    ["Don't forget to run `npm test`", { command: "npm test" }],
    ["Не забудь npm test", { command: "npm test" }],
    ["Not only npm test, npm run lint too", { command: "npm test" }],
    ["cargo test is not enough", { command: "cargo test" }],
    ["Never run npm test here", { command: "npm install" }],
    ["Never touch the npm scripts", { command: "npm test" }],
    ["Don't commit secrets", { command: "git commit -m a" }],
    ["No emojis in commit messages", { command: "git commit -m a" }],
    ["Don't make changes without a plan", { command: "make build" }],
    ["Why don't you use npm?", { command: "npm test" }],
    ["Don't touch vendor/", { command: "ls vendor/ && cat vendor/a" }],
    ["No dependencies between api and web", { command: "npm install left-pad" }],
    ["Don't edit build/gen/ by hand, change api/*.proto", { path: "api/a.proto" }],
    ["Tests never call the network, see tests/tapes", { path: "tests/tapes/a.yaml" }],
    ["No plain texts in src/components", { path: "src/components/a.tsx" }],
    ["Don't put secrets into config/", { path: "config/a.yml" }],
    ["Never edit the contractor lists", { path: "src/contracts/a.ts" }],
    ["Never edit `gen/*.ts` by hand", { path: "src/gen/v1/user.ts" }],
    ["Never edit `gen/*.ts` by hand", { path: "src/mygen/user.ts" }],
    ["Never edit `gen/*.ts` by hand", { path: "src/gen/user.tsx" }],
    ["", { command: "npm test" }],
    ["Never npm", {}],
  ];

  it.each(allowed)("%j allows %j", (text, action) => {
    expect(ruleForbids({ text }, action)).toBe(false);
  });
});

it("reads a long rule in linear time", () => {
  const text = `never ${"edit `a/b` or c/* before ".repeat(20_000)}`;
  expect(ruleForbids({ text }, { command: "npm test", path: "x/y" })).toBe(false);
});

it("matches a pattern with many stars in linear time", () => {
  const path = `/app/${"a/".repeat(500)}c.js`;
  expect(ruleForbids({ text: `Never edit \`${"**/".repeat(30)}b.js\`` }, { path })).toBe(false);
  expect(ruleForbids({ text: `Never edit \`${"a*".repeat(60)}b\`` }, { path: "a".repeat(1_000) })).toBe(
    false,
  );
});
