import { join } from 'node:path';
import type { Bench, Report, Target } from '../measurement.ts';
import { readTitles, type TitledItem } from '../titles/data.ts';
import { titleEngines } from '../titles/engines.ts';
import { collectFacts, findRelevant } from '../titles/facts.ts';
import { type Figures, getFigures, getInterval, getMean, METRICS } from '../titles/metrics.ts';
import { makePrefixes, type TypedPrefix } from '../titles/prefixes.ts';
import { makeHeadQueries, makeTitleQueries, type TitleQuery } from '../titles/queries.ts';
import { scoreScripts } from '../titles/scripts.ts';

/** The results of a search engine. */
interface Results {
  readonly engine: string;
  readonly figures: readonly Figures[];
  readonly prefixHits: readonly number[];
  readonly scripts: ReadonlyMap<string, number>;
}

type Metric = (typeof METRICS)[number];

const WANTED_PREFIXES = 0.88;
const HEAD = 'head term';

/** Measures the relevance of searches for real product titles. Compares our search with other search libraries. */
export async function titles({ titlesFolder, folder, logProgress }: Bench): Promise<Report> {
  const items = await readTitles(titlesFolder ?? join(folder, 'titles'));
  const facts = collectFacts(items);
  const queries = [...makeTitleQueries(facts), ...makeHeadQueries(facts)];
  const relevant = queries.map(({ needs }) => findRelevant(needs, facts));
  const prefixes = makePrefixes(items);
  const results = Object.entries(titleEngines).map(([engine, create]): Results => {
    logProgress(`titles: ${engine}, ${queries.length} queries, ${prefixes.length} prefixes`);
    const find = create(items);
    return {
      engine,
      figures: queries.map((query, at) => getFigures(search(query, find), relevant[at] ?? new Set())),
      prefixHits: prefixes.map(({ term, meant }) => (find(term).slice(0, 10).includes(meant) ? 1 : 0)),
      scripts: scoreScripts(create),
    };
  });
  return report(results, queries, prefixes);
}

/** Returns the products that a query finds. For a query for a kind of product, removes products without a category, because their kind is unknown. */
function search({ kind, term }: TitleQuery, find: (term: string) => readonly unknown[]): readonly TitledItem[] {
  const found = find(term) as readonly TitledItem[];
  return kind === HEAD ? found.filter(({ keywords }) => keywords.length > 0) : found;
}

function report(results: readonly Results[], queries: readonly TitleQuery[], prefixes: readonly TypedPrefix[]): Report {
  const scripts = [...(results[0]?.scripts.keys() ?? [])];
  return {
    title: 'titles: relevance in real product titles',
    how:
      '10,000 titles of Walmart, Amazon, Abt, Buy and web shops for shoes and watches. The rules in src/titles create the queries and decide which products are relevant, ' +
      'without a search engine. P@10 (hits among the first ten / possible hits), top-1, MRR and F1 of all results. The last column: the difference of P@10 to the ' +
      'best other engine, with its paired 95 % interval. Every second query is held out: it was not used in development. Scripts: the number of queries ' +
      'whose first results are exactly the products that they should find.',
    columns: ['queries', ...results.map(({ engine }) => engine), 'difference'],
    rows: [
      ...getGroups(queries).map(([name, at]) => [
        name,
        ...results.map((result) => showFigures(result, at)),
        showDifference(results, at),
      ]),
      ...[false, true].map((isHeldOut) => [
        `prefixes${isHeldOut ? ', held out' : ''}`,
        ...results.map((result) => getPrefixShare(result, prefixes, isHeldOut).toFixed(3)),
        '',
      ]),
      ...scripts.map((script) => [script, ...results.map((result) => String(result.scripts.get(script))), '']),
    ],
    targets: [...getTargets(results, queries, prefixes), ...scripts.map((script) => scriptTarget(script, results))],
  };
}

/**
 * Returns groups of queries: a group with all queries of the nine classes, and a group for each class. Divides each group into the queries for development
 * and the held-out queries. `at`: the indexes of the queries.
 */
function getGroups(queries: readonly TitleQuery[]): readonly (readonly [name: string, at: readonly number[]])[] {
  const select = (isSelected: (query: TitleQuery) => boolean) =>
    [...queries.entries()].flatMap(([at, query]) => (isSelected(query) ? [at] : []));
  return [undefined, ...new Set(queries.map(({ kind }) => kind))].flatMap((kind) =>
    [false, true].map((isHeldOut) => {
      const isOfKind = (query: TitleQuery) => (kind === undefined ? query.kind !== HEAD : query.kind === kind);
      const name = `${kind ?? 'all'}${isHeldOut ? ', held out' : ''}`;
      return [name, select((query) => isOfKind(query) && query.isHeldOut === isHeldOut)] as const;
    }),
  );
}

function getPrefixShare({ prefixHits }: Results, prefixes: readonly TypedPrefix[], isHeldOut: boolean): number {
  return getMean(prefixHits.filter((_, at) => prefixes[at]?.isHeldOut === isHeldOut));
}

function getTargets(
  results: readonly Results[],
  queries: readonly TitleQuery[],
  prefixes: readonly TypedPrefix[],
): readonly Target[] {
  const groups = getGroups(queries).filter(([name]) => name.endsWith('held out'));
  const [[, all = []] = ['', []]] = groups;
  const share = results[0] ? getPrefixShare(results[0], prefixes, true) : 0;
  return [
    ...METRICS.slice(0, 3).map((metric) => firstTarget(metric, results, all)),
    ...groups.slice(1).map(([name, at]) => notBehindTarget(name, results, at)),
    target('titles: prefixes, held out', share.toFixed(3), `at least ${WANTED_PREFIXES}`, share >= WANTED_PREFIXES),
  ];
}

function showFigures({ figures }: Results, at: readonly number[]): string {
  return METRICS.map((metric) => meanOf(figures, metric, at).toFixed(3)).join(' ');
}

function meanOf(figures: readonly Figures[], metric: Metric, at: readonly number[]): number {
  return getMean(at.map((index) => figures[index]?.[metric] ?? 0));
}

/** Returns the differences between our search and the best other search engine, query by query. The best search engine has the highest mean. */
function getDifferences(
  [ours, ...others]: readonly Results[],
  metric: Metric,
  at: readonly number[],
): readonly number[] {
  const mean = ({ figures }: Results) => meanOf(figures, metric, at);
  const best = others.reduce((one, other) => (mean(other) > mean(one) ? other : one));
  return at.map((index) => (ours?.figures[index]?.[metric] ?? 0) - (best.figures[index]?.[metric] ?? 0));
}

function showDifference(results: readonly Results[], at: readonly number[]): string {
  const differences = getDifferences(results, 'p10', at);
  const [low, high] = getInterval(differences);
  return `${getMean(differences).toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
}

function firstTarget(metric: Metric, results: readonly Results[], at: readonly number[]): Target {
  const difference = getMean(getDifferences(results, metric, at));
  return target(
    `titles: ${metric} of all held-out queries, difference`,
    difference.toFixed(3),
    'above 0',
    difference > 0,
  );
}

/**
 * Returns the target that no other search engine is significantly better for a class of queries: for each ranking metric, the 95 % interval of the
 * difference must reach 0.
 */
function notBehindTarget(kind: string, results: readonly Results[], at: readonly number[]): Target {
  const highest = METRICS.slice(0, 3).map((metric) => getInterval(getDifferences(results, metric, at))[1]);
  const lowest = Math.min(...highest);
  return target(`titles: ${kind}, upper end of the interval`, lowest.toFixed(3), 'at least 0', lowest >= 0);
}

function scriptTarget(script: string, [ours, ...others]: readonly Results[]): Target {
  const count = ours?.scripts.get(script) ?? 0;
  const best = Math.max(...others.map(({ scripts }) => scripts.get(script) ?? 0));
  return target(`titles: ${script}`, String(count), `at least ${best}`, count >= best);
}

function target(what: string, figure: string, wanted: string, isMet: boolean): Target {
  return { what, reached: `${figure} (wanted: ${wanted})`, isMet };
}
