import { expect, test } from "vitest";
import { countVectors } from "../../../src/store/postgres/vector-counts.ts";
import { prepareVectors } from "../../../src/store/postgres/vectors.ts";
import { patienceMs } from "../../helpers/eventually.ts";
import { makeProject } from "../../helpers/hosted-records.ts";
import { openVectorDatabase } from "../../helpers/vector-database.ts";

const database = await openVectorDatabase();
const { owner, system } = database;
await prepareVectors(owner);
// More than the planner's figure is taken for elsewhere.
const many = 100_010;

test("counts the vectors of one model among many of another", async () => {
  const { team_id, project_id } = await makeProject(database);
  // References are not checked, which would take most of the time.
  await owner.query("set session_replication_role = replica");
  await owner.query(
    `insert into mem.observations
      (id, team_id, project_id, kind, obs_type, title, summary, content, generator, memory_epoch)
      select gen_random_uuid(), $1, $2, 'observation', 'discovery', 't', 's', 'c', 'local', 1
      from generate_series(1, ${many})`,
    [team_id, project_id],
  );
  const embed = (model: string, count: number) =>
    owner.query(
      `insert into mem.observation_vectors (team_id, project_id, seq, embedder, model)
        select $1, $2, seq, 'http', $3
        from mem.observations
        order by seq
        limit ${count}`,
      [team_id, project_id, model],
    );
  await embed("earlier", many);
  await embed("new", many - 5);
  await owner.query("set session_replication_role = origin");
  await owner.query("analyze mem.observations, mem.observation_vectors");
  const counted = (model: string) => countVectors(system, { embedder: "http", model }, patienceMs);
  expect(await counted("new")).toEqual({ done: many - 5, total: many, failure: null });
  expect(await counted("earlier")).toMatchObject({ done: many });
  expect(await counted("none")).toMatchObject({ done: 0 });
});
