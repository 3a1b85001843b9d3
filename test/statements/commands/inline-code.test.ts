// Code in a command line belongs to the library that it is about; code of the language alone to none.
import { expect, it } from "vitest";
import { commandFamily, familiesToLookUp } from "../../../src/statements/commands/families.ts";
import { fixesOf } from "../../../src/statements/commands/fixes.ts";
import { bad, ok, type Step, turnOf } from "../turn-support.ts";

const rows: [command: string, families: string[]][] = [
  ['python -c "import cv2; print(cv2.__version__)"', ["python cv2"]],
  ['python3 -c "import os, numpy as np, sys"', ["python numpy"]],
  ['uv run python -c "from sqlalchemy.orm import Session; Session()"', ["python sqlalchemy"]],
  ["node -e \"require('better-sqlite3')(':memory:')\"", ["node better-sqlite3"]],
  ["node --input-type=module -e \"import sharp from 'sharp'; sharp()\"", ["node sharp"]],
  ["node -p \"require('@scope/core/dist/a').b()\"", ["node @scope/core"]],
  ["ruby -rnokogiri -e 'puts Nokogiri::VERSION'", ["ruby nokogiri", "ruby Nokogiri"]],
  ["perl -MDBD::Pg -e 'print 1;'", ["perl DBD"]],
  ["perl -e 'use strict; use DBI; DBI->connect()'", ["perl DBI"]],
  ["Rscript -e 'devtools::test()'", ["Rscript devtools"]],
  ["R -q -e 'library(sf); st_read(1)'", ["Rscript sf"]],
  ["julia --project -e 'using Pkg; Pkg.instantiate()'", ["julia Pkg"]],
  ["php -r 'echo intl_get_error_code();'", ["php intl_get_error_code"]],
  ["python -c 'print(1)'", []],
  ["python -c 'import sys; print(sys.path)'", []],
  ["node -e 'console.log(process.version)'", []],
  ["perl -pi -e 's/a b/c d/' x.txt", []],
];

it.each(rows)("%s belongs to %j", (command, families) => {
  expect(commandFamily(command)).toEqual(families);
  expect(familiesToLookUp(command)).toEqual(families);
});

const runs: [what: string, steps: Step[], working: string[]][] = [
  [
    "a variable helps another call of the library",
    [
      bad("python -c 'import cv2; cv2.imshow(a)'"),
      ok("QT_QPA_PLATFORM=offscreen python -c 'import cv2; cv2.waitKey()'"),
    ],
    ["QT_QPA_PLATFORM=offscreen python -c 'import cv2; cv2.waitKey()'"],
  ],
  [
    "another launcher helps a query",
    [bad("psql -c 'select 1'"), ok("docker compose exec db psql -c 'select now()'")],
    ["docker compose exec db psql -c 'select now()'"],
  ],
  [
    "other code runs",
    [bad("python -c 'import app; app.a()'"), ok("python -c 'import app; print(app.b)'")],
    [],
  ],
  [
    "other code runs after a build",
    [bad("node -e 'require(\"pg\").a()'"), ok("make"), ok("node -e 'require(\"pg\").b()'")],
    [],
  ],
];

it.each(runs)("%s: what worked is %#", (_, steps, working) => {
  expect(fixesOf(turnOf(steps)).map((fix) => fix.working)).toEqual(working);
});
