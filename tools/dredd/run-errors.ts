import type { Document } from '../../src/openapi/document.ts';
import { getRoutes } from '../../src/openapi/routes.ts';
import type { DreddOutput, DreddResult } from './dredd-result.ts';

/** Returns the reasons why the results of a run are not reliable: warnings of the parser, missing hooks, and skipped or missing transactions. */
export function findRunErrors(document: Document, output: DreddOutput): readonly string[] {
  const { annotations, results, error, printed } = output;
  const { documented, getName } = createNaming(document);
  const named = results.map((result) => ({ ...result, name: getName(result) }));
  const getNames = (some: typeof named) => some.map(({ name }) => name);
  const [missing, unexpected] = [subtract(documented, getNames(named)), subtract(getNames(named), documented)];
  return [
    ...(error === undefined ? [] : [`dredd stopped: ${[error, ...printed.matchAll(/(?<=^error: ).*/gm)].join('; ')}`]),
    // The parser has no warnings about a correct view.
    ...annotations.map(({ message }) => `dredd's parser warns: ${message}`),
    ...formatCount(
      getNames(named.filter(({ test }) => !test.origin.isHooked)),
      'transactions ran without hooks, because dredd did not load the hook file',
    ),
    ...formatCount(getNames(named.filter(({ outcome }) => outcome === 'skip')), 'transactions were skipped'),
    ...formatCount(missing, `of ${documented.length} documented responses were not requested`),
    ...formatCount(unexpected, 'tested responses are not documented, or were tested twice'),
  ];
}

/** Returns an error with the number of transactions and the first transaction; an empty array if there are none. */
function formatCount([first, ...more]: readonly string[], message: string): readonly string[] {
  return first === undefined ? [] : [`${more.length + 1} ${message}: ${first}${more.length > 0 ? ', …' : ''}`];
}

/** Returns a list without the entries of another list. Each entry of the other list removes one equal entry. */
function subtract(list: readonly string[], others: readonly string[]): readonly string[] {
  const remaining = [...others];
  return list.filter((entry) => {
    const index = remaining.indexOf(entry);
    if (index >= 0) remaining.splice(index, 1);
    return index < 0;
  });
}

/**
 * Returns the names of the documented responses, such as `GET /api/products 200`, and a function that returns the name of a result. The names include the
 * status 405 of each path.
 */
function createNaming(document: Document) {
  const routes = getRoutes(document);
  const operations = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const statuses = routes.flatMap(({ method, path, responses }) =>
    responses.flatMap(({ name }) => (/^\d+$/.test(name) ? [`${method} ${path} ${name}`] : [])),
  );
  const unsupported = new Set(routes.map(({ path }) => `another method of ${path} 405`));
  const getName = ({ test: { origin } }: DreddResult) => {
    const operation = origin.actionName;
    const name = operations.has(operation) ? operation : `another method of ${operation.split(' ')[1]}`;
    return `${name} ${Number.parseInt(origin.exampleName, 10)}`;
  };
  return { documented: [...statuses, ...unsupported], getName };
}
