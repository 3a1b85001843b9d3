// The legs of the search, each for itself: what plain full text would give on the same documents, the index's weighted
// columns, the words of the neighbours alone, the vectors of the builtin embedder alone (exact, not through the index).
import { importBundle } from "./bundle.mjs";
import { Database } from "./sqlite.mjs";

export async function createLegs({ product, path, sets }) {
  const db = new Database(path);
  const store = product.createStore(db);
  const plain = createPlain(sets, product);
  const vectors = await createVectors(sets);
  const candidates = product.createCandidates(db);
  const index = product.createSearchIndex(db).observations;
  const filterOf = ({ project, before }) => ({
    project,
    obs_type: null,
    concepts: [],
    files: [],
    dateStart: null,
    dateEnd: before == null ? null : before - 1,
  });
  const scopeOf = ({ project }) => [product.projectToken(store.projects.find(project))];
  const legs = {
    "plain FTS5 (porter, OR, no function words)": (set, query) => plain(set, query),
    "words (weighted columns)": ({ keys }, query) => {
      const match = product.buildMatch(query.text, product.observationColumns, scopeOf(query));
      if (match === null) return [];
      return index.match(match, filterOf(query), { limit: 100, offset: 0 }).map(({ id }) => keys.get(id));
    },
    "neighbours alone": ({ keys }, query) => {
      const gathered = product.gatherCandidates(candidates, {
        words: query.text,
        filter: filterOf(query),
        scope: scopeOf(query),
        vectors: { state: "off" },
      });
      return product
        .signalsOf(gathered)
        .map(({ neighbours, previous, beforeThat }, at) => ({
          id: gathered.candidates[at].id,
          score: 5 * neighbours + previous + beforeThat,
        }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
        .slice(0, 100)
        .map(({ id }) => keys.get(id));
    },
    "vectors alone (builtin)": (set, query) => vectors(set, query),
  };
  return {
    names: Object.keys(legs),
    search: (name, set, query) => legs[name](set, query),
    close: () => db.close(),
  };
}

async function createVectors(sets) {
  const { createBuiltinEmbedder } = await importBundle(
    "builtin",
    'export { createBuiltinEmbedder } from "./src/recall/embed/builtin.ts";',
  );
  const embedder = createBuiltinEmbedder();
  const embed = async (texts) => (await embedder.embed(texts)).map(normalized);
  const questions = new Map();
  const stored = new Map();
  for (const { documents, queries } of sets) {
    const vectors = await embed(
      documents.map(({ title, facts, narrative }) => [title, narrative, ...facts].join("\n")),
    );
    for (const [index, { key, at, project }] of documents.entries()) {
      if (!stored.has(project)) stored.set(project, []);
      stored.get(project).push({ key, at, vector: vectors[index] });
    }
    const asked = await embed(queries.map(({ text }) => text));
    for (const [index, query] of queries.entries()) questions.set(query, asked[index]);
  }
  return (_set, query) =>
    stored
      .get(query.project)
      .filter(({ at }) => query.before == null || at < query.before)
      .map(({ key, vector }) => ({ key, score: cosine(vector, questions.get(query)) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, 100)
      .map(({ key }) => key);
}

function normalized(vector) {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
  return vector.map((value) => value / length);
}

function cosine(a, b) {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += a[index] * b[index];
  return sum;
}

// One column, no identifiers split, no weights: what a search is measured against.
function createPlain(sets, product) {
  const db = new Database(":memory:");
  db.exec(
    "create virtual table plain using fts5 (scope, body, content = '', tokenize = 'porter unicode61 remove_diacritics 2')",
  );
  const insert = db.prepare("insert into plain (rowid, scope, body) values (?, ?, ?)");
  const documents = [];
  const scopes = new Map();
  for (const set of sets) {
    for (const document of set.documents) {
      documents.push(document);
      if (!scopes.has(document.project)) scopes.set(document.project, `xp${scopes.size + 1}`);
      const { title, facts, narrative, files } = document;
      const body = [title, ...facts, narrative, files.join(" ")].join("\n");
      insert.run(documents.length, scopes.get(document.project), body);
    }
  }
  const match = db.prepare(
    "select rowid as id, bm25(plain, 0, 1) as score from plain where plain match ? order by score limit ?",
  );
  return (_set, { text, project, before }) => {
    const form = product.buildMatch(text, ["body"], [scopes.get(project)]);
    if (form === null) return [];
    return match
      .all(form, before == null ? 100 : 10_000)
      .map(({ id }) => documents[id - 1])
      .filter(({ at }) => before == null || at < before)
      .slice(0, 100)
      .map(({ key }) => key);
  };
}
