import type { Contract } from '../openapi/contract.ts';
import { isNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { CheckContext } from './check-context.ts';
import { CONFLICT } from './described-statuses.ts';
import { isSuccess, type ReceivedResponse } from './exchange.ts';
import { withDocumentedValues } from './pool.ts';
import { type RequestValues, validateValues } from './requests.ts';

/** The difference between the seeds of two attempts. Other parts of the check use the seeds near the first one. */
const SEED_STEP = 577;

/** The number of seeds that no other request had, and that are tried if the values exist already. */
const FRESH_SEEDS = 4;

/** The difference between the seeds of two requests with values that no other request had. */
const FRESH_STEP = 1_000_003;

/** The number of other seeds that are tried. */
const OTHER_SEEDS = 5;

/**
 * The statuses of a valid request that a server refuses because of its values: a rule between two properties, an
 * unknown reference, or a value that must be unique.
 */
const REFUSED_STATUSES: readonly number[] = [400, 403, 404, 409, 422];

/** Returns whether a server refused the values of a request, so that other values can succeed. */
function isRefused({ status }: ReceivedResponse): boolean {
  return REFUSED_STATUSES.includes(status);
}

/**
 * Sends a request with generated values until the server accepts one: the values of `seed`, the same with their dates
 * in order, the examples of the contract, new values if the server already has these, the values of other seeds, and
 * the required parts only.
 * Returns the values and the response; undefined if the server refuses all of them.
 * `edit` changes the generated values before they are sent.
 */
export async function sendAccepted(
  { session, requests, seed }: Pick<CheckContext, 'session' | 'requests' | 'seed'>,
  route: Route,
  send: (values: RequestValues) => Promise<ReceivedResponse | undefined>,
  edit: (values: RequestValues) => RequestValues | undefined = (values) => values,
): Promise<{ readonly values: RequestValues; readonly response: ReceivedResponse } | undefined> {
  const { contract } = session;
  let status: number | undefined;
  for (const candidate of createCandidates()) {
    const values = candidate && edit(candidate);
    const response = values && (await send(values));
    status = response?.status ?? status;
    if (values && response && isSuccess(response)) return { values, response };
    if (values && (!response || !isRefused(response))) return undefined;
  }
  return undefined;

  function* createCandidates(): Generator<RequestValues | undefined> {
    const first = requests.createValid(route, seed);
    yield first;
    yield first && withOrderedDates(contract, route, first);
    yield first && withDocumentedValues(contract, route, first);
    for (let number = 0; number < FRESH_SEEDS && status === CONFLICT; number++)
      yield createWithOrderedDates(FRESH_STEP * ++session.freshSeedCount);
    for (let number = 1; number <= OTHER_SEEDS; number++) yield createWithOrderedDates(number * SEED_STEP);
    yield requests.createMinimal(route, seed);
  }

  function createWithOrderedDates(step: number): RequestValues | undefined {
    const other = requests.createValid(route, seed + step);
    return other && (withOrderedDates(contract, route, other) ?? other);
  }
}

/** Matches a date, or a date and a time. */
const DATE = /^\d{4}-\d\d-\d\d(?:T|$)/;

/**
 * Returns a copy of a valid request in which the dates of the body are in ascending order, because many servers require
 * that a start is before an end.
 * Returns undefined if the dates already are in order, or if the new request is not valid.
 */
export function withOrderedDates(contract: Contract, route: Route, values: RequestValues): RequestValues | undefined {
  const { body } = values;
  if (!isNode(body)) return undefined;
  const isDate = (value: unknown): value is string => typeof value === 'string' && DATE.test(value);
  const names = Object.keys(body).filter((name) => isDate(body[name]));
  const dates = names.map((name) => String(body[name]));
  const sorted = dates.toSorted();
  const hasOneLength = new Set(dates.map(({ length }) => length)).size === 1;
  if (!hasOneLength || dates.every((date, index) => date === sorted[index])) return undefined;
  const ordered = { ...values, body: { ...body, ...Object.fromEntries(names.map((name, i) => [name, sorted[i]])) } };
  return validateValues(contract, route, ordered).kind === 'call' ? ordered : undefined;
}
