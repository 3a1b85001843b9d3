// Whether a prohibition is about a path: a file, a folder or a pattern that it says not to touch.
import { stem } from "../text/stem.ts";
import { cueOf } from "./cue-pattern.ts";
import { editVerb, type Prohibition } from "./prohibitions.ts";

/** True when the prohibition is about changing files and names this one, its folder, or a pattern that it fits. */
export function forbidsPath({ object, clause }: Prohibition, path: string): boolean {
  if (!editVerb.test(clause) && !untouchable.test(clause)) return false;
  const names = object.match(word) ?? [];
  const isNamed = names.some((name) => {
    const bare = name.replace(/^`|[`.]+$/g, "");
    return isPathName(bare) ? fits(path, bare) : isFolder(path, bare);
  });
  return isNamed || isTranslatedFolder(path, object);
}

function isPathName(name: string): boolean {
  return /[/*]|^\.\w|\w\.[a-z]\w{0,7}$/i.test(name);
}

function fits(path: string, name: string): boolean {
  const bare = name.replace(/^(?:\.\/)+|\/+$/g, "");
  if (bare === "" || /^[./*]+$/.test(bare)) return false;
  return hasPart(path.replaceAll("\\", "/"), bare.match(/\*\*\/?|./gs) ?? []);
}

/**
 * True when some folders or files of the path, whole and in a row, fit the glob. Keeps all places of the glob that are
 * reached so far: a regular expression with many stars tries them one after the other, for minutes.
 */
function hasPart(path: string, glob: readonly string[]): boolean {
  let reached = new Set<number>();
  for (let at = 0; at <= path.length; at++) {
    const char = path[at];
    if (at === 0 || path[at - 1] === "/") reached.add(0);
    for (const place of reached) if (isStar(glob[place])) reached.add(place + 1);
    if ((char === undefined || char === "/") && reached.has(glob.length)) return true;
    const next = new Set<number>();
    for (const place of reached) {
      const mark = glob[place];
      if (isStar(mark) && (mark !== "*" || char !== "/")) next.add(place);
      else if (mark === char) next.add(place + 1);
    }
    reached = next;
  }
  return false;
}

function isStar(mark: string | undefined): boolean {
  return mark?.startsWith("*") === true;
}

// "never edit migrations": a folder by its name, in the singular or plural.
function isFolder(path: string, name: string): boolean {
  const wanted = name.toLowerCase();
  if (wanted.length < minFolderChars || generic.has(wanted)) return false;
  const folders = path.toLowerCase().split(/[\\/]/).slice(0, -1);
  return folders.some((folder) => folder === wanted || (folder.length > 4 && stem(folder) === stem(wanted)));
}

// "Bestehende Migrationen ändern wir nie": the folder has its English name.
function isTranslatedFolder(path: string, object: string): boolean {
  const folders = path.toLowerCase().split(/[\\/]/).slice(0, -1);
  return folders.some((folder) => folderWords.get(folder)?.test(object) === true);
}

const minFolderChars = 3;
const folderWords: ReadonlyMap<string, RegExp> = new Map(
  (
    [
      [
        "migrations db_migrations migrate",
        "migrationen|migraci[oó]n(?:es)?|migraç(?:ão|ões)|миграци\\w+",
        "迁移|マイグレーション",
      ],
      [
        "gen generated __generated__",
        "generated|generiert\\w*|generad[oa]s?|généré\\w*|gerad[oa]s?|сгенерирован\\w+",
        "生成",
      ],
      ["test tests __tests__", "pruebas?|testes|тест\\w*", "测试|テスト"],
      [
        "doc docs",
        "dokumentation|doku|documentación|documentação|documentation|документаци\\w+",
        "文档|ドキュメント",
      ],
      [
        "config configs",
        "konfiguration\\w*|configuración|configuração|configuration|конфиг\\w*",
        "配置|設定",
      ],
      ["templates", "vorlagen?|plantillas?|modelos|шаблон\\w*", "模板|テンプレート"],
    ] satisfies [string, string, string][]
  ).flatMap(([folders, words, runs]) => {
    const cue = cueOf({ words, runs });
    return folders.split(" ").map((folder): [string, RegExp] => [folder, cue]);
  }),
);
const word = /`[^`\s]+`|[\p{L}\p{N}_@*.-][\p{L}\p{N}_@*./-]*/gu;
const untouchable = /off[- ]limits|read[- ]only|taboo|tabu/i;
const generic = new Set(
  "all any anything app code error file files here home lib main new out project projects src the thing this user users work".split(
    " ",
  ),
);
