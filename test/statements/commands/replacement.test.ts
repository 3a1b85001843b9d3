// A program that does the work of an abandoned one is the fix; a program that only examines the file is not.
import { expect, it, test } from "vitest";
import { fixesOf } from "../../../src/statements/commands/fixes.ts";
import { bad, edit, ok, type Step, turnOf } from "../turn-support.ts";

interface Past {
  before: Step[];
  steps: Step[];
  closing?: string;
}

const replaced: [what: string, past: Past, working: string, families: string[]][] = [
  [
    "a PDF is made by another program in the next turn",
    {
      before: [bad("wkhtmltopdf site/invoice.html out.pdf"), ok("which weasyprint")],
      steps: [ok("weasyprint site/invoice.html out.pdf")],
    },
    "weasyprint site/invoice.html out.pdf",
    ["wkhtmltopdf"],
  ],
  [
    "a dump is restored by another program",
    {
      before: [bad("pg_restore -d app backups/app.dump", "unsupported version")],
      steps: [ok("pgloader backups/app.dump")],
    },
    "pgloader backups/app.dump",
    ["pg_restore"],
  ],
  [
    "an image is built by another program",
    {
      before: [],
      steps: [
        bad("docker build -f deploy/Api.Dockerfile .", "no space"),
        ok("buildah bud -f deploy/Api.Dockerfile ."),
      ],
    },
    "buildah bud -f deploy/Api.Dockerfile .",
    ["docker build"],
  ],
  [
    "the closing names both programs",
    {
      before: [bad("ffmpeg -i talks/intro.mkv intro.mp4", "Unknown encoder")],
      steps: [ok("HandBrakeCLI -i talks/intro.mkv -o intro.mp4")],
      closing: "ffmpeg fails here because it has no x265; HandBrakeCLI converted the talk.",
    },
    "HandBrakeCLI -i talks/intro.mkv -o intro.mp4",
    ["ffmpeg"],
  ],
  [
    "a download comes another way",
    {
      before: [bad("gsutil cp gs://sample/data/a.parquet .")],
      steps: [ok("rclone copy gs://sample/data/a.parquet .")],
    },
    "rclone copy gs://sample/data/a.parquet .",
    ["gsutil"],
  ],
  [
    "the same command runs behind another program",
    { before: [], steps: [bad("swift build", "no such module"), ok("xcrun --sdk macosx swift build")] },
    "xcrun --sdk macosx swift build",
    ["swift build", "swift"],
  ],
  [
    "another file was edited in between",
    {
      before: [bad("lilypond scores/duet.ly", "fatal error"), edit("README.md")],
      steps: [ok("abc2ly scores/duet.ly")],
    },
    "abc2ly scores/duet.ly",
    ["lilypond"],
  ],
];

it.each(replaced)("is a fix when %s", (_, { before, steps, closing }, working, families) => {
  expect(fixesOf(turnOf(steps, closing, before))).toMatchObject([{ working, families }]);
});

const others: [what: string, past: Past][] = [
  [
    "the program runs again",
    { before: [bad("latexmk a.tex")], steps: [ok("biber a.tex"), bad("latexmk a.tex")] },
  ],
  [
    "the code was edited",
    { before: [bad("sass app/a.scss")], steps: [edit("app/a.scss"), ok("postcss app/a.scss")] },
  ],
  [
    "the other program examines",
    { before: [bad("ffmpeg -i in/a.mov a.mp4")], steps: [ok("ffprobe in/a.mov")] },
  ],
  [
    "the other program formats",
    { before: [bad("terraform-docs infra/main.tf")], steps: [ok("tffmt infra/main.tf")] },
  ],
  ["the other one is a check", { before: [bad("node tools/a.mjs")], steps: [ok("npx eslint tools/a.mjs")] }],
  [
    "one check fails and another passes",
    { before: [bad("mypy src/a.py")], steps: [ok("ruff check src/a.py")] },
  ],
  [
    "another file is read",
    { before: [bad("pandoc docs/a.md -o a.pdf")], steps: [ok("typst compile docs/b.typ")] },
  ],
  ["they share a word", { before: [bad("helm upgrade api ./chart")], steps: [ok("argocd app sync api")] }],
  [
    "the file is committed",
    { before: [bad("flyway migrate sql/V2__a.sql")], steps: [ok("git add sql/V2__a.sql")] },
  ],
  [
    "a debugger starts it",
    { before: [], steps: [bad("./bin/app serve"), ok("gdb --batch ./bin/app serve")] },
  ],
  [
    "a script of the project reads the same data",
    { before: [bad("python etl/load.py in/a.csv")], steps: [ok("csvsql in/a.csv")] },
  ],
  [
    "a script of the project takes over",
    { before: [bad("csvsql in/a.csv")], steps: [ok("python etl/load.py in/a.csv")] },
  ],
  [
    "the closing says that it stays",
    {
      before: [bad("protoc api/a.proto")],
      steps: [ok("buf build api/a.proto")],
      closing: "The generator still fails.",
    },
  ],
  [
    "the closing speaks of the failure alone",
    {
      before: [bad("protoc api/a.proto")],
      steps: [ok("xdelta api/a.proto")],
      closing: "protoc fails on line 3.",
    },
  ],
];

it.each(others)("is no fix when %s", (_, { before, steps, closing }) => {
  expect(fixesOf(turnOf(steps, closing, before)).filter(({ working }) => working !== null)).toEqual([]);
});

test("fewer tests of an earlier turn's failure are no replacement", () => {
  expect(fixesOf(turnOf([ok("go test ./sim -run Door")], "Done.", [bad("go test ./sim")]))).toEqual([]);
});
