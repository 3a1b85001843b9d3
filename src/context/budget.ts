// The size of what is injected: hosts cut what is longer than 10,000 characters, so nothing here comes near it.

/** Characters that an injected text never exceeds. Above 10,000 Claude Code injects a file path instead of the text. */
export const maxContextChars = 9500;

/** The text of as many of the first rows as fit; `render(0)` must fit by itself. */
export function renderWithin(rows: number, render: (shown: number) => string): string {
  const whole = render(rows);
  if (whole.length <= maxContextChars) return whole;
  let text = render(0);
  let fits = 0;
  let tooMany = rows;
  while (tooMany - fits > 1) {
    const shown = Math.floor((fits + tooMany) / 2);
    const tried = render(shown);
    if (tried.length <= maxContextChars) [fits, text] = [shown, tried];
    else tooMany = shown;
  }
  return text;
}
