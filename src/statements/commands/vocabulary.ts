// Words of command lines that are common to many programs: sub-commands, task runners, programs that only look.
import { setOf } from "../../core/tools/name-lists.ts";

/** First operands that say what a program does. */
export const subcommands = setOf(
  `add analyze annotate apply archive assemble attach audit auth bench bisect bootstrap branch build bump
    check checkout cherry-pick ci clean clippy clone codegen collectstatic commit compile connect convert
    coverage create debug delete deploy destroy dev disable download downgrade drop dump e2e edit enable
    eval exec export fetch fix fmt fork format freeze gc generate get import index info init inject inspect
    install invoke kill launch lint list load lock login logout logs merge migrate mirror mount mv new open
    outdated pack package patch plan prepare preview promote prune ps publish pull purge push rebase rebuild
    record refresh register reindex release reload remove rename repair replay require reset restart restore
    revert rm rollback rollout rotate run runserver save scale scan schedule seed send serve set setup shell
    show sign snapshot start stash stat status stop switch sync tag task test tests tidy train transform translate
    typecheck undeploy uninstall unlock unpack untaint up down update upgrade upload use validate vendor verify
    version vet wait watch`,
);

/** First operands that need a second one: `docker compose up`, `gh pr create`. */
export const groups = setOf(
  `bucket buildx cloud cluster compose config container database db ef flow functions image issue lfs migration
    migrations module network pip plugin pod pr project remote repo s3 secret secrets service stack state
    submodule system tool volume workflow workspace worktree`,
);

/** Programs whose operands are targets that the project names. */
export const taskRunners = setOf(
  "make just task rake gradle mvn mix sbt ninja nx invoke mage grunt gulp lein tox nox rails",
);

/** Task runners that take several targets. */
export const manyTargets = setOf("make rake gradle mvn ninja just");

/** Programs that run a script of the project by its name, with or without `run`. */
export const scriptRunners = setOf("npm pnpm yarn bun composer");

/** Programs that run the file that is their first operand. */
export const interpreters = setOf(
  `python pypy node ruby perl php lua julia Rscript bash sh zsh dash fish deno tsx ts-node bun java groovy pwsh
    elixir dart`,
);

/** Programs whose `run` names what it runs. */
export const namedRuns = setOf("go docker turbo deno conda");

/** Programs that run the command after them. */
export const launchers = setOf(
  "xargs npx pnpx bunx uvx xvfb-run dotenv caffeinate unbuffer cross-env corepack fvm",
);

/** Programs that run the command after `run` in their environment. */
export const environmentRunners = setOf("uv poetry pipenv pdm rye hatch conda micromamba op doppler");

/** Programs that name a place before the command after `exec`. */
export const placedExec = setOf("docker compose kubectl direnv nvm");

/** Programs that only show, wait or arrange files. Their failures are not worth remembering. */
export const trivialPrograms = setOf(
  `[ [[ : . ack ag alias awk base64 basename bat bg break cal case cat cd chgrp chmod chown clear cmp column comm
    command continue cp cut date dd df diff dig dirname disown do done du echo egrep env esac eval exit export
    expr fd fg fgrep fi file find fold for free function gawk grep groups gunzip gzip head hexdump history host
    hostname htop id if in install ip jobs jq kill killall less ln local locate ls lsof man md5sum mkdir mktemp
    more mv nc netstat nl nproc nslookup od open paste pgrep ping pkill popd printf ps pushd pwd read readlink
    realpath return rev rg rm rmdir sed select seq set sha256sum shasum shift shopt shuf sleep sort source
    split ss stat strings stty sum tac tail tee test time top touch tput tr trap tree true false truncate type
    ulimit umask uname uniq unlink unset unzip until uptime vi vim nano wait watch wc which while who whoami
    xargs xxd yes yq zcat zgrep zip`,
);

/** Trivial programs that change something another command may need. */
export const preparingPrograms = setOf(
  "chmod chown cp kill killall ln mkdir mv pkill rm source . touch truncate ulimit umask unzip",
);

/** Sub-commands that only show, of any program. */
export const viewingVerbs = setOf(
  `blame cat-file describe diff freeze get help history info inspect list log logs ls ls-files ls-remote outdated
    plan ps reflog rev-list rev-parse search shortlog show show-ref stat status top validate version view why`,
);

/** File names that say too little without their folder. */
export const commonFileNames = setOf(
  `__main__ app build check cli deploy gen generate index install lint main migrate release run script seed server
    setup start test tests train update`,
);

/** Other spellings of a program or sub-command. */
export const spellings: ReadonlyMap<string, string> = new Map([
  ["mvnw", "mvn"],
  ["gradlew", "gradle"],
  ["nodejs", "node"],
  ["podman", "docker"],
  ["gmake", "make"],
  ["i", "install"],
  ["t", "test"],
  ["run-script", "run"],
]);
