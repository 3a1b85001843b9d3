// Records in a browser, on a real worker: search, timeline, editing, deleting, the keyboard.
import { expect, test } from "vitest";
import { callWorker } from "../helpers/called-worker.ts";
import { demoBrowser } from "./browser.ts";
import { writeMany } from "./demo-data.ts";

const { browser, openDemo, openShared } = demoBrowser();

test("search as you type marks words, keeps filters in the address and shows notes", async () => {
  const { page, errors } = await openShared("#/");
  await page.locator(".feed [data-row]").first().waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("session secret");
  const rows = page.locator(".results [data-row]");
  await rows.filter({ hasText: "Every process makes its own session secret" }).waitFor();
  expect(await rows.locator("mark").allTextContents()).toContain("secret");
  await page.getByLabel("Type", { exact: true }).fill("decision");
  await rows.filter({ hasText: "Every process" }).waitFor({ state: "detached" });
  await rows.filter({ hasText: "The server refuses to start" }).waitFor();
  expect(page.url()).toContain("#/search?q=session+secret&obs_type=decision");
  await page.getByLabel("Type", { exact: true }).fill("decisionn");
  await page.locator(".note", { hasText: "decisionn" }).waitFor();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await page.getByRole("radio", { name: "Summaries" }).check();
  await rows.filter({ hasText: "summary" }).first().waitFor();
  await page.getByLabel("From").fill("2001-01-01");
  await page.getByLabel("To").fill("2001-01-31");
  await page.getByText("Nothing found.").waitFor();
  expect(errors).toEqual([]);
});

test("Enter in the search box moves the focus to the first result", async () => {
  const worker = await callWorker(({ database }) => writeMany(database, 30, Date.now()));
  const { page, errors } = await browser.open(worker, "#/");
  await page.keyboard.press("/");
  await page.keyboard.type("record");
  await page.keyboard.press("Enter");
  const rows = page.locator(".results [data-row]");
  const focused = page.locator(".results [data-row]:focus");
  await focused.waitFor();
  const first = await rows.nth(0).getAttribute("href");
  expect(await focused.getAttribute("href")).toBe(first);
  await page.keyboard.press("j");
  expect(await focused.getAttribute("href")).toBe(await rows.nth(1).getAttribute("href"));
  await page.getByText("The first 20 records").waitFor();
  await page.getByRole("button", { name: "Show more" }).click();
  await page.getByText(/^30 records$/).waitFor();
  expect(errors).toEqual([]);
});

test("Enter counts before the page has followed, and the words stay with the search", async () => {
  const { page, errors } = await openShared("#/");
  const box = page.getByRole("searchbox", { name: "Search", exact: true });
  await box.evaluate((input: HTMLInputElement) => {
    input.focus();
    input.value = "cart";
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  });
  await page.locator(".results [data-row]:focus").waitFor();
  expect(await box.inputValue()).toBe("cart");
  await box.focus();
  await page.goBack();
  await page.locator(".feed [data-row]").first().waitFor();
  await page.keyboard.press("Escape");
  expect(await box.inputValue()).toBe("");
  expect(errors).toEqual([]);
});

test("a record shows its text and what happened around it", async () => {
  const { page, errors } = await openShared("#/search?q=logged+in+after+a+deploy");
  await page.locator(".results [data-row]", { hasText: "Users stay logged in after a deploy" }).click();
  await page.getByRole("heading", { name: "Users stay logged in after a deploy" }).waitFor();
  await page.getByText("All 214 tests pass in 9 s.").waitFor();
  const timeline = page.locator(".record-timeline");
  await timeline.locator("[aria-current]", { hasText: "Users stay logged in" }).waitFor();
  await timeline.getByText("Users are logged out after every deploy.").waitFor();
  await timeline.getByRole("button", { name: "Show more" }).click();
  await timeline.getByText("Show the total with tax in the cart, and round").waitFor();
  expect(errors).toEqual([]);
});

test("a record is pinned, rejected and taken back, and replaced by another", async () => {
  const { page } = await openDemo("#/record/observation/9");
  const mark = (word: string) => page.locator(".record-meta .mark", { hasText: word });
  await page.getByRole("button", { name: "Pin" }).waitFor();
  await page.keyboard.press("p");
  await mark("pinned").waitFor();
  await page.getByRole("button", { name: "Reject" }).click();
  await mark("rejected").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await mark("rejected").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Replace" }).click();
  await page.getByLabel("Replaced by").fill("cart shows the total");
  await page.getByRole("button", { name: "The cart shows the total with tax" }).click();
  await mark("replaced").waitFor();
  await page.getByRole("button", { name: "Take the replacement back" }).click();
  await mark("replaced").waitFor({ state: "detached" });
});

test("only what can replace a record is offered as its replacement", async () => {
  const { page } = await openShared("#/record/observation/9");
  await page.getByRole("button", { name: "Replace" }).click();
  const field = page.getByLabel("Replaced by");
  const choices = page.locator(".picker li");
  await choices.first().waitFor();
  expect(await choices.filter({ hasText: "#9 " }).count()).toBe(0);
  await field.fill("9");
  await page.getByText("#9 is this observation itself.").waitFor();
  await field.fill("#99999");
  await page.getByText("There is no observation 99999.").waitFor();
  await field.fill("#10");
  await choices.filter({ hasText: "#10 " }).waitFor();
});

test("backticks are shown as code, and a rule for every project says so", async () => {
  const worker = await callWorker();
  const title = "Call `useCart()` and ``a`b`` <b>now</b>";
  const facts = ["Run `npm test`.", "One ` alone"];
  await worker.post("/observations", { claudeSessionId: "s1", project: "shop", title, summary: "x", facts });
  await worker.post("/api/rules", { text: "Use `pnpm`, never npm.", reach: "everywhere" });
  const { page, errors } = await browser.open(worker, "#/");
  const rows = page.locator(".feed [data-row]");
  const row = rows.filter({ hasText: "Call useCart() and a`b <b>now</b>" });
  await row.waitFor();
  expect(await row.locator(".row-title code").allInnerTexts()).toEqual(["useCart()", "a`b"]);
  await rows.filter({ hasText: "Use pnpm, never npm." }).filter({ hasText: "all projects" }).waitFor();
  await row.click();
  await page.locator(".record-head").waitFor();
  expect(await page.locator(".record-head h1 code").allInnerTexts()).toEqual(["useCart()", "a`b"]);
  await page.getByText("One ` alone").waitFor();
  expect(await page.locator(".fact-list code").allInnerTexts()).toEqual(["npm test"]);
  await page.keyboard.press("e");
  expect(await page.getByLabel("Title", { exact: true }).inputValue()).toBe(title);
  expect(errors).toEqual([]);
});

test("a deleted record leaves the feed, and the trash brings it back", async () => {
  const { page, show } = await openDemo("#/");
  const row = page.locator(".feed [data-row]", { hasText: "Tax rates come from config/tax.json" });
  await row.click();
  await page.getByRole("heading", { name: "Tax rates" }).waitFor();
  await page.keyboard.press("x");
  await page.getByText("What happened").waitFor();
  await row.waitFor({ state: "detached" });
  await page.keyboard.press("u");
  await row.waitFor();
  await row.click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("What happened").waitFor();
  await row.waitFor({ state: "detached" });
  await show("#/trash");
  await page.getByRole("button", { name: "Restore Tax rates" }).click();
  await page.getByText("Nothing is in the trash.").waitFor();
  await show("#/");
  await row.waitFor();
});

test("the keyboard reaches every page and record", async () => {
  const { page } = await openShared("#/");
  await page.locator(".feed [data-row]").first().waitFor();
  for (const _row of Array(10)) await page.keyboard.press("j");
  await page.keyboard.press("k");
  const focused = page.locator("[data-row]:focus");
  expect(await focused.getAttribute("href")).toMatch(/^#\/record\//);
  const title = await focused.locator(".row-title").textContent();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: title ?? "" }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.getByRole("heading", { name: "Trash" }).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByText("Next record").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await page.getByText("What happened").waitFor();
});

test("text runs in its own direction, without controls that disguise it", async () => {
  const worker = await callWorker();
  const title = "ערך \u202eexe.gnp\u202c \u2066x\u2069";
  const texts = { title, summary: "\u202etxt.nur", facts: ["\u2067שלום", "An English fact"] };
  await worker.post("/observations", { claudeSessionId: "s1", project: "shop", ...texts });
  const { page, errors } = await browser.open(worker, "#/");
  await page.locator(".feed .row-title[dir=auto]", { hasText: "ערך exe.gnp x" }).waitFor();
  expect(await page.locator("main").textContent()).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  await page.locator(".feed [data-row]").first().click();
  const heading = page.locator(".record-head h1[dir=auto]");
  await heading.waitFor();
  expect(await heading.evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
  expect(await page.locator(".prose[dir=auto]").first().textContent()).toBe("txt.nur");
  await page.keyboard.press("e");
  expect(await page.getByLabel("Title", { exact: true }).inputValue()).toBe(title);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.locator(".toast").waitFor();
  await page.getByRole("link", { name: "Trash" }).click();
  await page.getByRole("button", { name: "Restore ערך exe.gnp x (1)" }).waitFor();
  const hidden = await page.evaluate(() =>
    [...document.querySelectorAll("[title], [aria-label]")]
      .flatMap((each) => [each.getAttribute("title"), each.getAttribute("aria-label")])
      .filter((text) => /[\u202a-\u202e\u2066-\u2069]/.test(text ?? "")),
  );
  expect([...hidden, ...errors]).toEqual([]);
});
