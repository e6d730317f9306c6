import type { Bench, Report, Target } from '../measurement.ts';
import { type Build, measureBuild } from '../search/build.ts';
import { getCatalogue } from '../search/catalogue.ts';
import { engines } from '../search/engines.ts';
import { makeQueries, type Sampling } from '../search/families.ts';
import { getCorpus, getRelevance } from '../search/relevance.ts';
import { evaluateQuery, falseHits, getScore, type QueryResult, type Score } from '../search/score.ts';

const SIZES = [40, 200, 1_000, 10_000, 100_000];

/**
 * The number of queries in each of the 21 query families, by the number of products. It is smaller for large catalogues, because the other search engines
 * are slow with large catalogues.
 */
const QUERIES: Readonly<Record<number, number>> = { 40: 150, 200: 150, 1000: 100, 10000: 50, 100000: 20 };

/** The maximum time of a search engine for all queries of a catalogue, in ms. A search engine that takes longer is not measured with larger catalogues. */
const TIME_LIMIT_MS = 60_000;

/** The measured queries are held out: our search was not tuned with them. Their words and their random seed differ from those of the queries for tuning. */
const HELD_OUT: Omit<Sampling, 'each'> = { seed: 3, part: 'held out' };

const OURS = 'ours';
const FUSE = 'Fuse.js, tuned';

/** The targets by the number of products: the error of our search (1 − F1), divided by the error of the best other search engine. */
const WANTED_SHARE: Readonly<Record<number, number>> = { 40: 0.16, 200: 0.17, 1000: 0.17, 10000: 0.22, 100000: 0.26 };
const WANTED = { falseHits: 0.02, p50Ms: 1, buildMs: 1_500, buildMB: 60, worstMs: 1, ofFuse: 0.1 };

interface Row {
  readonly size: number;
  readonly engine: string;
  readonly score: Score;
  readonly falseHits: number;
  readonly build: Build;
  readonly all: readonly QueryResult[];
}

/**
 * Measures the relevance and the speed of our search, and compares it with other search libraries. The search terms are misspelled, shortened or joined
 * words, among others.
 */
export async function search({ logProgress }: Bench): Promise<Report> {
  const rows: Row[] = [];
  const slow = new Set<string>();
  for (const size of SIZES) {
    const items = getCatalogue(size);
    const corpus = getCorpus(items);
    const queries = makeQueries(corpus, { ...HELD_OUT, each: QUERIES[size] ?? 1 });
    logProgress(`search: ${size} products, ${corpus.getItems.size} words, ${queries.length} queries`);
    const relevances = queries.map(({ term, meaning }) => getRelevance(term, meaning, corpus));
    for (const [engine, make] of Object.entries(engines).filter(([name]) => !slow.has(name))) {
      const startedMs = performance.now();
      const build = measureBuild(engine, size);
      const find = make(items);
      const all = queries.map((query, at) =>
        evaluateQuery(find, query, relevances[at] ?? { wanted: new Set(), right: new Set() }),
      );
      if (performance.now() - startedMs > TIME_LIMIT_MS) slow.add(engine);
      rows.push({ size, engine, score: getScore(all), falseHits: falseHits(all), build, all });
    }
  }
  return report(rows, worstTermMs());
}

/**
 * Measures our search with several very long terms in the catalogue of the shop. Returns the time of the slowest term, in ms. Runs each term five times and
 * uses the fastest run.
 */
function worstTermMs(): number {
  const find = engines[OURS]?.(getCatalogue(40)) ?? (() => []);
  const long = 100_000;
  const terms = ['a', 'ab', 'abc ', 'kettle ', 'xq', ',', 'a,', '(.*)+', '\0', 'é', '👩‍👩‍👧 '].map((part) =>
    part.repeat(long / part.length),
  );
  return Math.max(...terms.map((term) => Math.min(...Array.from({ length: 5 }, () => timedMs(() => find(term))))));
}

function timedMs(step: () => unknown): number {
  const startedMs = performance.now();
  step();
  return performance.now() - startedMs;
}

function report(rows: readonly Row[], worstMs: number): Report {
  return {
    title: 'search: relevance and speed',
    how:
      'Held-out queries of 21 families. The queries of two families have no meaning. src/search/relevance.ts defines the relevant products. Recall, ' +
      'precision and reciprocal rank are means over queries. p50 and p99 in ms: the fastest of four runs of each query counts; a query over 5 ms runs ' +
      'once. Build in ms of CPU time and MB of memory, each in a new process. The catalogue with 40 products is that of the shop. An engine that is ' +
      'too slow for a size is not measured with larger sizes.',
    columns: [
      'products',
      'engine',
      'F1',
      'recall',
      'precision',
      'MRR',
      'false hits',
      'p50',
      'p99',
      'build ms',
      'build MB',
    ],
    rows: rows.map(({ size, engine, score, falseHits, build }) => [
      String(size),
      engine,
      ...[score.f1, score.recall, score.precision, score.mrr].map((figure) => figure.toFixed(3)),
      `${(100 * falseHits).toFixed(1)} %`,
      ...[score.p50Ms, score.p99Ms].map((ms) => ms.toFixed(3)),
      build.cpuMs.toFixed(0),
      build.MB.toFixed(1),
    ]),
    targets: [...SIZES.flatMap((size) => targetsAt(size, rows)), ...targetsOfSize(rows, worstMs)],
  };
}

function targetsAt(size: number, rows: readonly Row[]): Target[] {
  const here = rows.filter((row) => row.size === size);
  const ours = here.find(({ engine }) => engine === OURS);
  const peers = here.filter(({ engine }) => engine !== OURS);
  if (!ours || peers.length === 0) return [];
  const best = Math.max(...peers.map(({ score }) => score.f1));
  const share = (1 - ours.score.f1) / (1 - best);
  const fuse = here.find(({ engine }) => engine === FUSE);
  return [
    atMost(`search, ${size}: our error / the best peer's`, share, WANTED_SHARE[size] ?? 0, 3),
    ...(fuse
      ? [atMost(`search, ${size}: our p50 / Fuse.js's`, ours.score.p50Ms / fuse.score.p50Ms, WANTED.ofFuse, 3)]
      : []),
  ];
}

function targetsOfSize(rows: readonly Row[], worstMs: number): Target[] {
  const oursAt = (size: number) => rows.find((row) => row.size === size && row.engine === OURS);
  const [small, large] = [oursAt(40), oursAt(100_000)];
  if (!small || !large) return [];
  return [
    atLeast('search, 40: recall', small.score.recall, 0.98),
    atLeast('search, 40: precision', small.score.precision, 0.96),
    atMost('search, 40: false hits', small.falseHits, WANTED.falseHits, 3),
    atMost('search, 40: the worst of 100,000 letters, ms', worstMs, WANTED.worstMs, 2),
    atMost('search, 100000: p50, ms', large.score.p50Ms, WANTED.p50Ms, 2),
    atMost('search, 100000: build, ms of CPU', large.build.cpuMs, WANTED.buildMs, 0),
    atMost('search, 100000: build, MB', large.build.MB, WANTED.buildMB, 1),
  ];
}

function atMost(what: string, reached: number, wanted: number, digits: number): Target {
  return { what, reached: `${reached.toFixed(digits)} (wanted: at most ${wanted})`, isMet: reached <= wanted };
}

function atLeast(what: string, reached: number, wanted: number): Target {
  return { what, reached: `${reached.toFixed(3)} (wanted: at least ${wanted})`, isMet: reached >= wanted };
}
