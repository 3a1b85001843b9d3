// Writes mdoc, the format of manual pages: text as it is, with what roff would take as a command escaped.

/** Text of sentences, each on a line as mdoc wants them; words in backticks are bold, without the backticks. */
export function text(sentence: string): string {
  return sentence
    .split("`")
    .map((part, at) => (at % 2 === 1 && part !== "" ? `\\fB${exact(part)}\\fP` : escaped(part)))
    .join("")
    .split(/\n|(?<=[.!?]) (?=\\fB|[A-Z])/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map(asLine)
    .join("\n");
}

/** A command line as it is typed. */
export function code(line: string): string {
  return asLine(exact(line));
}

/** `.Fl f follow`: a macro and its arguments. */
export function macro(name: string, ...words: readonly string[]): string {
  return [`.${name}`, ...words].join(" ");
}

/** Words of a macro that name no macro themselves. */
export function plain(words: string): string {
  return words
    .split(" ")
    .map((word) => (/^[A-Z][a-z]$|^[.,:;()[\]?!|]$/.test(word) ? `\\&${exact(word)}` : exact(word)))
    .join(" ");
}

/** A list of terms, each with a sentence. */
export function tagged(rows: readonly (readonly [term: string, sentence: string])[], width = "Ds"): string {
  const items = rows.flatMap(([term, sentence]) => [`.It ${term}`, text(sentence)]);
  return rows.length === 0 ? "" : [`.Bl -tag -width ${width}`, ...items, ".El"].join("\n");
}

function escaped(words: string): string {
  return words.replaceAll("\\", "\\e");
}

// Roff prints a typographic hyphen and quotes for these, which a shell does not read.
function exact(words: string): string {
  return escaped(words)
    .replaceAll("-", "\\-")
    .replaceAll("'", "\\(aq")
    .replaceAll("^", "\\(ha")
    .replaceAll("~", "\\(ti");
}

// A line that begins like a command of roff is text.
function asLine(line: string): string {
  return /^[.']/.test(line) ? `\\&${line}` : line;
}
