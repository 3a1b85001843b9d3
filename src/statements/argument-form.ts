// Two spellings of one argument: with and without a version, tag, query, user, protocol or another qualifier.

/** True when both words name the same thing: `serde` and `serde@1.0`, `.#docs` and `.?ref=main#docs`. */
export function isFormOf(one: string, other: string): boolean {
  if (one === other || !isPlain(one) || !isPlain(other)) return false;
  if (isRemote(one) && isRemote(other)) return remoteName(one) === remoteName(other);
  if (endsIn(one, other) || endsIn(other, one)) return true;
  const [few = [], many = []] = [piecesOf(one), piecesOf(other)].toSorted((a, b) => a.length - b.length);
  if (few.length === many.length) return false;
  return (
    few.some((piece) => saysSomething.test(piece)) &&
    few.every((piece) => many.some((other) => other === piece || other.endsWith(`/${piece}`)))
  );
}

/** True when both words name versions of the same thing: `serde@1.0` and `serde@1.1`. */
export function isVersionOf(one: string, other: string): boolean {
  const [before, after] = [piecesOf(one), piecesOf(other)];
  const isSame = (piece: string, at: number) => {
    const next = after[at] ?? "";
    return piece === next || (version.test(piece) && version.test(next));
  };
  return isPlain(one) && before.length > 1 && before.length === after.length && before.every(isSame);
}

// Behind a repository or a server: `@app//web:all` and `//web:all`, `registry.example.com/team/app` and `app`.
function endsIn(long: string, short: string): boolean {
  if (!long.endsWith(short)) return false;
  const before = long.slice(0, long.length - short.length);
  return /^@[\w-]+$/.test(before) || (/^[\w-]+(?:\.[\w-]+)+(?::\d+)?\//.test(before) && before.endsWith("/"));
}

// Code and messages are words with blanks.
function isPlain(word: string): boolean {
  return !/\s/.test(word) && saysSomething.test(word);
}

// A name keeps its dots, dashes and slashes: `api-worker` is another one than `api`.
function piecesOf(word: string): string[] {
  return word.split(/[^\w./-]+/).filter((piece) => piece !== "");
}

function isRemote(word: string): boolean {
  return /^[a-z+]+:\/\/|^\w+@[\w.-]+:/.test(word);
}

function remoteName(word: string): string {
  return word
    .replace(/^[a-z+]+:\/\//, "")
    .replace(/^\w+(?::[^@/]*)?@/, "")
    .replace(":", "/")
    .replace(/(?:\.git|\/)+$/, "");
}

const saysSomething = /[A-Za-z]{3}/;
const version = /^v?\d[\w.-]*$|^(?:latest|stable|next|beta)$/;
