// The family of a command is the same however it is run, and another one for other work.
import { expect, it } from "vitest";
import { commandFamily, familiesToLookUp } from "../../../src/statements/commands/families.ts";

const rows: [command: string, families: string[]][] = [
  ["npm test", ["npm test"]],
  ["npm run test -- --run", ["npm test"]],
  ["npm --prefix web run build", ["npm build"]],
  ["pnpm --filter api test", ["pnpm test"]],
  ["yarn", ["yarn install"]],
  ["npm i left-pad", ["npm install"]],
  ["cd api && JAVA_HOME=/opt/jdk ./mvnw -q clean verify -pl core", ["mvn verify"]],
  ["./gradlew :app:assembleDebug --stacktrace", ["gradle assembleDebug"]],
  ["pytest tests/unit -q", ["pytest"]],
  ["uv run pytest -q", ["pytest"]],
  ["python3.11 -m pytest", ["pytest"]],
  ["docker compose exec -T web pytest -q", ["pytest"]],
  ["docker compose run --rm web pytest -q", ["pytest"]],
  ["npx --yes vitest@3 run src/a.test.ts", ["vitest run"]],
  ["bundle exec rspec spec/models", ["rspec"]],
  ["make -C proto gen build", ["make gen", "make build"]],
  ["docker compose -f dev.yml --profile db up -d", ["docker compose up"]],
  ["docker-compose up", ["docker compose up"]],
  ["sudo timeout 60 cargo +nightly build --release", ["cargo build"]],
  ["go run ./cmd/seed", ["go run seed"]],
  ["git -C lib push origin main", ["git push"]],
  ["git lfs push origin main", ["git lfs push"]],
  ["terraform -chdir=infra apply", ["terraform apply"]],
  ["aws s3 cp a s3://b", ["aws s3 cp"]],
  ["PGPASSWORD=x psql -h localhost app -c 'select 1'", ["psql"]],
  ["/usr/lib/postgresql/16/bin/pg_dump -Fc app > app.dump", ["pg_dump"]],
  ["python scripts/import.py --n 3", ["import.py"]],
  ["cd scripts && ./build.sh", ["scripts/build.sh"]],
  ["python manage.py migrate", ["manage.py migrate"]],
  ["rails db:migrate", ["rails db:migrate"]],
  ["curl -sS https://api.example.invalid/v1/a", ["curl api.example.invalid"]],
  ["bash -lc 'npm ci && npm test'", ["npm ci", "npm test"]],
  ["npm run build 2>&1 | tail -5; ls dist", ["npm build"]],
  ["sudo -u postgres -H pg_restore -d app a.dump", ["pg_restore"]],
  ["FOO=1 timeout -k 5 --signal=INT 60s time -p make check | tee log", ["make check"]],
  ["env -i -u HOME A=1 nice -n 10 cargo test", ["cargo test"]],
  ["docker compose -f a.yml -f b.yml --env-file .env exec -u root -w /srv web pytest -q", ["pytest"]],
  ["docker compose exec -T api sh -lc 'cd app && alembic upgrade head'", ["alembic upgrade"]],
  ["docker exec -it -e A=1 app_web_1 rails db:migrate", ["rails db:migrate"]],
  ["kubectl -n prod exec deploy/api -c app -- flask db upgrade", ["flask db upgrade"]],
  ["conda run --no-capture-output -n ml python train.py", ["train.py"]],
  ["uv run --with rich --group dev pytest -q", ["pytest"]],
  ["poetry -C api run alembic upgrade head", ["alembic upgrade"]],
  ["npx -y -p @sample/cli sample build", ["sample build"]],
  ["mise x node@20 -- npm run build", ["npm build"]],
  ["nix develop .#ci -c make docs", ["make docs"]],
  ["nix-shell -p gcc --run 'make docs'", ["make docs"]],
  ["dotenv -e .env.test -- prisma migrate deploy", ["prisma migrate"]],
  ["xvfb-run -a npm run e2e", ["npm e2e"]],
  ["(cd web && time npm run build) && ./deploy.sh", ["npm build", "web/deploy.sh"]],
  ["if ! make lint; then sudo -E make fix; fi", ["make lint", "make fix"]],
  ["git clone https://git.example.invalid/team/lib.git", ["git clone"]],
  ["python -c 'print(1)'", []],
  ["cd src && ls -la | grep x && cat a && echo done", []],
  ["git status && git log -3 && git diff", []],
  ["docker --version", []],
  ["", []],
];

it.each(rows)("%j belongs to %j", (command, families) => {
  expect(commandFamily(command)).toEqual(families);
});

const lookUps: [command: string, families: string[]][] = [
  ["mvn package", ["mvn package", "mvn"]],
  ["docker compose logs", ["docker compose logs", "docker compose"]],
  ["npm test", ["npm test"]],
  ["make build", ["make build"]],
  ["git push", ["git push"]],
];

it.each(lookUps)("a fix for %j is looked up under %j", (command, families) => {
  expect(familiesToLookUp(command)).toEqual(families);
});
