import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { canAsk, confirm, type Terminal } from "../../src/cli/confirm.ts";

function terminal(isTTY = true): Terminal & { shown(): string } {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let shown = "";
  output.on("data", (chunk) => (shown += String(chunk)));
  return {
    input: Object.assign(input, { isTTY }) as unknown as NodeJS.ReadStream,
    output: Object.assign(output, { isTTY }) as unknown as NodeJS.WriteStream,
    shown: () => shown,
  };
}

const type = ({ input }: Terminal, text: string) => void (input as unknown as PassThrough).write(text);

test.each(["y\n", "YES\n", " y \n"])("%j goes on", async (answer) => {
  const screen = terminal();
  const asked = confirm("Drop 3 messages?", "Nothing was dropped.", screen);
  type(screen, answer);
  await asked;
  expect(screen.shown()).toContain("Drop 3 messages? [y/N]");
});

test.each(["n\n", "\n", "yess\n", "\u0003", "\u0004"])("%j ends the command", async (answer) => {
  const screen = terminal();
  const asked = confirm("Drop 3 messages?", "Nothing was dropped.", screen);
  type(screen, answer);
  await expect(asked).rejects.toMatchObject({ code: "cancelled", message: "Nothing was dropped." });
});

test("does not ask without a terminal", () => {
  expect(canAsk(terminal())).toBe(true);
  expect(canAsk(terminal(false))).toBe(false);
});
