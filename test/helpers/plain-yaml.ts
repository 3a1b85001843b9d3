// Reads the YAML of our own templates: block mappings and lists, anchors and merges. A flow value stays text. Not for more.

export type Yaml = string | null | Yaml[] | { [key: string]: Yaml };

/** The documents of the text. Throws with the number of the line that it does not understand. */
export function readYaml(text: string): Yaml[] {
  const documents: Line[][] = [[]];
  for (const [index, raw] of text.split("\n").entries()) {
    if (raw.trim() === "---") documents.push([]);
    else if (raw.trim() !== "" && !raw.trim().startsWith("#"))
      documents.at(-1)?.push({ number: index + 1, indent: raw.search(/\S/), text: raw.trim() });
    if (raw.includes("\t")) throw new Error(`line ${index + 1}: a tab`);
  }
  return documents
    .filter((lines) => lines.length > 0)
    .map((lines) => {
      const reader = { lines, at: 0, anchors: new Map<string, Yaml>() };
      const value = readBlock(reader, 0);
      const left = lines[reader.at];
      if (left !== undefined) throw new Error(`line ${left.number}: not where it belongs`);
      return value;
    });
}

interface Line {
  number: number;
  indent: number;
  text: string;
}

interface Reader {
  lines: Line[];
  at: number;
  anchors: Map<string, Yaml>;
}

function readBlock(reader: Reader, indent: number): Yaml {
  const line = reader.lines[reader.at];
  if (line === undefined || line.indent !== indent)
    throw new Error(`line ${line?.number}: wrong indentation`);
  return line.text.startsWith("- ") ? readList(reader, indent) : readMapping(reader, indent);
}

function readList(reader: Reader, indent: number): Yaml[] {
  const list: Yaml[] = [];
  for (;;) {
    const line = reader.lines[reader.at];
    if (line === undefined || line.indent !== indent || !line.text.startsWith("- ")) return list;
    // The text after the dash begins a nested block, two columns further in.
    const rest = line.text.slice(2).trim();
    reader.lines[reader.at] = { ...line, indent: indent + 2, text: rest };
    if (keyed.test(rest)) list.push(readMapping(reader, indent + 2));
    else {
      reader.at += 1;
      list.push(scalar(rest, line.number));
    }
  }
}

const keyed = /^("[^"]*"|<<|[\w.$/-]+):(?:\s+(.*))?$/;

function readMapping(reader: Reader, indent: number): { [key: string]: Yaml } {
  const mapping: { [key: string]: Yaml } = {};
  const merged: { [key: string]: Yaml } = {};
  for (;;) {
    const line = reader.lines[reader.at];
    if (line === undefined || line.indent < indent || (line.indent === indent && line.text.startsWith("- ")))
      return { ...merged, ...mapping };
    const [, name = "", given = ""] = (line.indent === indent ? keyed.exec(line.text) : null) ?? [];
    if (name === "") throw new Error(`line ${line.number}: no key of this mapping`);
    if (Object.hasOwn(mapping, name)) throw new Error(`line ${line.number}: ${name} stands twice`);
    reader.at += 1;
    const value = readValue(reader, { ...line, text: given });
    if (name === "<<") Object.assign(merged, value);
    else mapping[name] = value;
  }
}

function readValue(reader: Reader, { number, indent, text }: Line): Yaml {
  const [, anchor, given = ""] = /^(?:&(\w+)\s*)?(.*)$/.exec(text) ?? [];
  const next = reader.lines[reader.at];
  const isBlock =
    given === "" &&
    next !== undefined &&
    (next.indent > indent || (next.indent === indent && next.text.startsWith("- ")));
  const value = isBlock ? readBlock(reader, next.indent) : scalarOrAlias(reader, given, number);
  if (anchor !== undefined) reader.anchors.set(anchor, value);
  return value;
}

function scalarOrAlias({ anchors }: Reader, text: string, number: number): Yaml {
  if (!text.startsWith("*")) return scalar(text, number);
  const value = anchors.get(text.slice(1));
  if (value === undefined) throw new Error(`line ${number}: nothing is named ${text}`);
  return value;
}

function scalar(text: string, number: number): string | null {
  if (text === "") return null;
  if (/^["']/.test(text)) {
    const [, inner] = /^(?:"([^"]*)"|'([^']*)')$/.exec(text) ?? [];
    if (inner === undefined) throw new Error(`line ${number}: the quotes do not close`);
    return inner;
  }
  const bare = text.replaceAll(/"[^"]*"|\$\{[^}]*\}/g, "");
  if (/^[[{]/.test(text)) {
    const closers = { "[": "]", "{": "}" };
    const open: string[] = [];
    for (const sign of bare) {
      if (sign === "[" || sign === "{") open.push(closers[sign]);
      else if ((sign === "]" || sign === "}") && open.pop() !== sign)
        throw new Error(`line ${number}: the brackets do not match`);
    }
    if (open.length > 0) throw new Error(`line ${number}: the brackets do not close`);
  } else if (/: |^[&*!%@`]/.test(bare)) throw new Error(`line ${number}: a value that needs quotes`);
  return text;
}
