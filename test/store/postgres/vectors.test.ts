import { expect, test } from "vitest";
import { prepareVectors } from "../../../src/store/postgres/vectors.ts";
import { openVectorDatabase } from "../../helpers/vector-database.ts";

const database = await openVectorDatabase();

test("place", async () => {
  expect(await prepareVectors(database.owner)).toEqual({ state: "on", schema: "mem" });
  expect(await prepareVectors(database.owner)).toEqual({ state: "on", schema: "mem" });
});
