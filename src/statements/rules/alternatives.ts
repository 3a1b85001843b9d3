// Words for one option of a choice, such as a package manager: choosing one excludes the others.
import type { Word } from "../../text/unspaced.ts";
import { bareWordsOf } from "../../text/words.ts";

export interface Alternative {
  choice: string;
  value: string;
}

/** The options that a word names; a run of Chinese or Japanese may contain several. */
export function alternativesIn({ text, isRun }: Word): Alternative[] {
  if (!isRun) return known().all.get(text.toLowerCase()) ?? [];
  return known().inRuns.flatMap(([word, alternatives]) => (text.includes(word) ? alternatives : []));
}

// One choice per line, values separated by spaces; `a=b` is another spelling of `b`.
const choices: Readonly<Record<string, string>> = {
  "package manager": "npm yarn pnpm bun",
  "python packages": "pip poetry uv conda pipenv pdm",
  "java build": "maven gradle mvn=maven gradlew=gradle",
  indentation: `tabs spaces tab=tabs space=spaces leerzeichen=spaces tabulatoren=tabs espacios=spaces tabuladores=tabs
    espaces=spaces tabulations=tabs espaços=spaces пробелы=spaces пробела=spaces табы=tabs`,
  quotes: "single double",
  "javascript tests": "jest vitest mocha jasmine ava",
  "browser tests": "playwright cypress selenium puppeteer",
  "python tests": "pytest unittest nose",
  "ruby tests": "rspec minitest",
  bundler: "webpack vite rollup esbuild parcel rspack",
  "http client": "axios fetch got ky undici requests httpx",
  "dates library": "moment dayjs luxon",
  integration: "merge rebase squash merging=merge rebasing=rebase squashing=squash",
  "main branch": "main master trunk develop",
  database: "postgres mysql mariadb sqlite mongodb postgresql=postgres",
  containers: "docker podman",
  "naming style": "camelcase snakecase kebabcase pascalcase",
  "python style": "ruff yapf flake8 pylint",
  linter: "eslint biome oxlint tslint",
  "remote protocol": "ssh https",
  "text format": "markdown asciidoc rst",
  "config format": "yaml toml json yml=yaml",
  "api style": "rest graphql grpc",
  logger: "pino winston bunyan log4j logback slog zap zerolog loguru",
  "language of texts": `english german spanish french portuguese russian chinese japanese italian
    englisch=english deutsch=german englische=english englischen=english deutsche=german deutschen=german
    inglés=english español=spanish alemán=german
    anglais=english français=french allemand=german
    inglês=english português=portuguese
    английском=english русском=russian английский=english русский=russian
    英文=english 英语=english 中文=chinese 英語=english 日本語=japanese`,
};

interface Known {
  all: ReadonlyMap<string, Alternative[]>;
  /** The Chinese and Japanese ones. */
  inRuns: readonly [string, Alternative[]][];
}

// Made at first use: it takes 5 ms of the worker's start.
let made: Known | undefined;

function known(): Known {
  if (made !== undefined) return made;
  const all = new Map(
    Object.entries(choices).flatMap(([choice, list]) =>
      list.split(/\s+/).map((entry): [string, Alternative[]] => {
        const [word = "", value = word] = entry.split("=");
        return [bare(word), [{ choice, value }]];
      }),
    ),
  );
  made = { all, inRuns: [...all].filter(([word]) => bareWordsOf(word).some(({ isRun }) => isRun)) };
  return made;
}

function bare(word: string): string {
  return bareWordsOf(word)
    .map(({ text }) => text)
    .join("");
}
