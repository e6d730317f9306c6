import { toBytes } from './send.ts';

/** The requests of one kind that a measurement sends. No two of them in a row can be answered by a response cache. */
export interface Workload {
  readonly name: string;
  /** The expected statuses: one for the server that we measure, and others that peers use for the same. */
  readonly statuses: readonly number[];
  /** The number of requests in a sample of a fast server. */
  readonly amount: number;
  /**
   * Returns a request.
   * `number`: the number of requests of the server before, of all kinds.
   * `count`: the number of tasks, whose ids begin with 1.
   */
  readonly create: (number: number, count: number, dialect: Dialect) => Buffer;
}

/** How a server names the parameters of a list. */
export type Dialect = 'contract' | 'json-server';

/** A prime number, so that consecutive requests are for tasks all over the list. */
const STEP = 7_919;

/** The number of tasks that are read between two changes, which empty a response cache. */
const READS = 1_000;

const STATUSES = ['open', 'done', 'blocked'];

const getPath = (number: number, count: number) => `/tasks/${1 + ((number * STEP) % count)}`;

function createBody(number: number) {
  const [title, priority] = [`Changed ${number}`, 1 + (number % 5)];
  return { title, status: 'open', priority, assignee: 'someone@example.com', dueDate: '2026-01-01' };
}

const replace: Workload = {
  name: 'PUT',
  statuses: [200],
  amount: 1_000,
  create: (number, count) => toBytes('PUT', getPath(number, count), createBody(number)),
};

/** Reads each task at most once between two changes. */
export const read: Workload = {
  name: 'GET a task',
  statuses: [200],
  amount: 2_000,
  create: (number, count, dialect) =>
    number % Math.min(READS, count) === 0
      ? replace.create(number, count, dialect)
      : toBytes('GET', getPath(number, count)),
};

/** Reads a page of 20 tasks with one status, the latest date first. A change precedes each time that the pages repeat. */
export const page: Workload = {
  name: 'GET a filtered and sorted page of 20',
  statuses: [200],
  amount: 150,
  create: (number, count, dialect) => {
    if (number % READS === 0) return replace.create(number, count, dialect);
    const [status, offset] = [STATUSES[number % STATUSES.length], number % READS];
    const names =
      dialect === 'json-server' ? '_sort=dueDate&_order=desc&_limit=20&_start' : 'sort=-dueDate&limit=20&offset';
    return toBytes('GET', `/tasks?status=${status}&${names}=${offset}`);
  },
};

export const post: Workload = {
  name: 'POST',
  statuses: [201],
  amount: 500,
  create: (number) => toBytes('POST', '/tasks', createBody(number)),
};

export const invalid: Workload = {
  name: 'POST with two invalid values',
  statuses: [400, 422],
  amount: 2_000,
  create: (number) => toBytes('POST', '/tasks', { ...createBody(number), status: 'wrong', priority: 9 }),
};

export const patch: Workload = {
  name: 'PATCH',
  statuses: [200],
  amount: 1_000,
  create: (number, count) => toBytes('PATCH', getPath(number, count), { title: `Changed ${number}`, priority: 3 }),
};

/** An operation that has no state. Each path is another one. */
export const mocked: Workload = {
  name: 'mocked POST',
  statuses: [200],
  amount: 1_000,
  create: (number) => toBytes('POST', `/forecasts/city${number}/simulation`),
};

export { replace };
