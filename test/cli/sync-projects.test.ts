import { expect, test } from "vitest";
import { chooseProjects, readChoice } from "../../src/cli/sync-projects.ts";

const names = ["shop", "2", "my tools"];

test.each([
  ["all", "all"],
  ["none", "none"],
  ["shop", ["shop"]],
  [" 3 , shop ", ["my tools", "shop"]],
  // A project may be called like a number.
  ["2", ["2"]],
  ["1,3", ["shop", "my tools"]],
  ["1,4", { problem: "4 is neither a project nor its number." }],
  ["0", { problem: "0 is neither a project nor its number." }],
  ["attic", { problem: "attic is neither a project nor its number." }],
])("%j names the projects that may leave", (text, expected) => {
  expect(readChoice(text, names)).toEqual(expected);
});

test.each([
  ["none", []],
  ["all", ["new", "app", "one", "attic", "shop"]],
  [["shop"], ["shop"]],
] as const)("%j replaces the earlier choice", async (choice, expected) => {
  const choices = new Map<string, boolean | null>([
    ["app", true],
    ["one", true],
    ["attic", false],
    ["shop", null],
  ]);
  let others = true;
  const status = async () => ({
    configured: true,
    projects: [...choices].map(([project, synced]) => ({ project, synced })),
  });
  const worker = {
    async chooseSync(project: string | undefined, synced: boolean) {
      if (project === undefined) others = synced;
      else choices.set(project, synced);
      return await status();
    },
    projectDetails: async () => ({
      projects: [...choices.keys()].map((project) => ({
        project,
        aliases: [],
        sessions: 1,
        observations: 1,
      })),
    }),
  };
  await chooseProjects({ worker: () => worker as never }, choice, async () => undefined);
  const leaving = [...choices].filter(([, synced]) => synced ?? others).map(([project]) => project);
  expect([...(others ? ["new"] : []), ...leaving]).toEqual(expected);
});
