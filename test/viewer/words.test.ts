// What pages say when an address, a field or a record is wrong, in a browser: the mistake and the next step, no API words.
import { expect, test } from "vitest";
import { demoBrowser } from "./browser.ts";

const { openDemo, openShared } = demoBrowser();

test("an address that leads nowhere says why, and where to go", async () => {
  const { page, show } = await openShared("#/session/x");
  const addresses: [link: string, words: string, next: string][] = [
    ["#/session/x", "There is no such session", "All sessions"],
    ["#/session/999999", "There is no session 999999", "All sessions"],
    ["#/record/foo/1", "There is no such record", "Search"],
    ["#/record/observation/x", "There is no such record", "Search"],
    ["#/record/observation/999999", "There is no observation 999999", "Search"],
    ["#/nowhere", "No page at /nowhere", "Go to Home"],
  ];
  for (const [link, words, next] of addresses) {
    await show(link);
    await page.getByRole("heading", { name: words }).waitFor();
    await page.getByRole("main").getByRole("link", { name: next }).waitFor();
    expect(await page.locator("main").innerText()).not.toMatch(/GET|POST|\/api|NaN/);
  }
});

test("a deleted record is in the trash, and is restored from its own address", async () => {
  const { page, show, worker } = await openDemo("#/record/observation/12");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.locator(".feed").waitFor();
  await show("#/record/observation/12");
  await page.getByRole("heading", { name: "Observation 12 is in the trash" }).waitFor();
  await page.getByRole("link", { name: "Open the trash" }).waitFor();
  await page.getByRole("button", { name: "Restore" }).click();
  await page.locator(".record-head").waitFor();
  await fetch(`http://127.0.0.1:${worker.port}/api/sessions/2`, { method: "DELETE" });
  await show("#/session/2");
  await page.getByRole("heading", { name: "Session 2 is in the trash" }).waitFor();
  await page.getByRole("button", { name: "Restore" }).click();
  await page.locator(".session-head").waitFor();
});

test("a project that a link misspells is noted, a right one is shown and not stored", async () => {
  const { page, show, worker } = await openDemo("#/?project=shpo");
  const note = page.locator(".address-note");
  await note.getByText("There is no project “shpo”: all projects are shown.").waitFor();
  await note.getByRole("link", { name: "shop" }).click();
  await page.getByRole("heading", { name: "shop", exact: true }).waitFor();
  expect(await note.count()).toBe(0);
  expect((await worker.get("/api/settings")).body).toMatchObject({ selectedProject: null });
  await page.getByLabel("Project").selectOption("orchard-api");
  await page.getByRole("heading", { name: "orchard-api" }).waitFor();
  expect(new URL(page.url()).hash).toBe("#/");
  await show("#/search?q=session&project=nope");
  await note.getByText("There is no project “nope”: orchard-api is shown.").waitFor();
});

test("a search names what is wrong with its filters", async () => {
  const { page, show } = await openShared("#/search?q=session&from=xx&to=2026-02-31");
  await page.getByText("From: “xx” is not a day, so it is left out.").waitFor();
  await page.getByText("To: “2026-02-31” is not a day").waitFor();
  await page.locator(".results [data-row]").first().waitFor();
  await show("#/search?q=session&obs_type=Bug+Fix");
  await page.getByRole("alert").getByText("The type must be an id such as bugfix").waitFor();
  expect(await page.getByRole("alert").innerText()).not.toContain("GET");
});

test("a field that cannot be saved says why where it stands", async () => {
  const { page } = await openDemo("#/record/observation/9?edit=1");
  const title = page.getByLabel("Title", { exact: true });
  await title.fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The title cannot be empty.").waitFor();
  expect(await title.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.getByLabel("Type", { exact: true }).fill("Bug Fix");
  await title.fill("A title");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("“Bug Fix” is no such word").waitFor();
  await page.getByLabel("Type", { exact: true }).fill("bugfix");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { name: "A title" }).waitFor();
});
