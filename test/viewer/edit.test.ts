// Editing in a browser, on a real worker: a record and a rule, and the way back.
import { expect, test } from "vitest";
import { demoBrowser } from "./browser.ts";

// What is stored is taken back.
const { openShared } = demoBrowser();

test("a record is edited and gets its earlier text back", async () => {
  const { page } = await openShared("#/record/observation/9");
  await page.getByRole("heading", { name: "Users stay logged in after a deploy" }).waitFor();
  await page.keyboard.press("e");
  await page.getByLabel("Title", { exact: true }).fill("Sessions survive a deploy");
  await page.getByLabel("Facts, one on each line").fill("One fact.\nAnother fact.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Sessions survive a deploy" }).waitFor();
  await page.getByText("Another fact.").waitFor();
  await page.keyboard.press("u");
  await page.getByRole("heading", { name: "Users stay logged in after a deploy" }).waitFor();
  await page.getByText("All 214 tests pass in 9 s.").waitFor();
});

test("a rule is edited where it stands, and gets its earlier words back", async () => {
  const { page, errors } = await openShared("#/");
  const rules = page.locator(".panel", { hasText: "Standing rules" });
  const rule = (text: string) => rules.locator("li", { hasText: text });
  await rule("Run the linter").getByRole("button", { name: "Edit" }).click();
  await rules.getByLabel("Edit the rule").fill("Run the linter before every push.");
  await rules.getByRole("button", { name: "Save" }).click();
  await rule("Run the linter before every push.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await rule("Run the linter before every commit.").waitFor();
  expect(errors).toEqual([]);
});
