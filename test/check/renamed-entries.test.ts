import { describe, expect, it } from 'vitest';
import { applyBaseline } from '../../src/check/baseline.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { writeDocument } from '../support/fixtures/other-document.ts';

interface Names {
  readonly path: string;
  /** The operations that create, read and cancel a task. */
  readonly operations: readonly [create: string, read: string, cancel: string];
  readonly id: string;
  readonly property: string;
  /** The name of the response to an unknown id. */
  readonly error: string;
}

const NAMES: Names = {
  path: '/tasks',
  operations: ['createTask', 'readTask', 'cancelTask'],
  id: 'id',
  property: 'title',
  error: '404',
};

function createPaths({ path, operations: [create, read, cancel], id, property, error }: Names): object {
  const schema = { type: 'object', properties: { [property]: { type: 'string' } } };
  const content = { 'application/json': { schema } };
  const responses = { 200: { description: '', content }, [error]: { description: '' } };
  const parameters = [{ name: id, in: 'path', required: true, schema: { type: 'integer' } }];
  return {
    [path]: { post: { operationId: create, requestBody: { content }, responses } },
    [`${path}/{${id}}`]: { parameters, get: { operationId: read, responses } },
    [`${path}/{${id}}/cancel`]: { parameters, post: { operationId: cancel, responses } },
  };
}

/** Returns the failures of a server with five mistakes, named as in the contract. */
function createFailures({ operations: [create, read, cancel], id, property, error }: Names) {
  const failures = [
    [create, '200', 'invalid-refused', `refuses invalid requests: body /${property} maxLength`],
    [read, '200', 'response-schema', `body/${property} type`],
    [read, error, 'response-type', 'content type documented'],
    [read, '200', 'valid-accepted', `accepts valid requests: path ${id}`],
    [cancel, '200', 'action-refused', `is refused after ${cancel}`],
  ] as const;
  return failures.map(([operationId, status, rule, title]) => ({
    ...{ operationId, status, title, check: 'input', message: '', place: '', steps: [] },
    rule: { name: rule, confidence: 'certain', remedy: undefined },
  }));
}

type Failures = ReturnType<typeof createFailures>;

/** Compares the failures of a check with those of an earlier one, whose contract had the names `NAMES`. */
async function compare(now: Names, failures: Failures = createFailures(now), earlier = createFailures(NAMES)) {
  const apply = async (names: Names, found: Failures, entries: object) => {
    const paths = createPaths(names);
    const contract = await loadContract({ path: await writeDocument({ paths }), strict: false });
    const rest = { checks: [], rows: [], notes: [], unchecked: [], unreached: [] };
    const operations = contract.routes.map(({ operationId }) => ({ operationId, requests: 1, rules: [] }));
    const report = { title: '', ...rest, coverage: { operations, rules: [] }, failures: found };
    const options = { path: '', isStrict: false, isRecorded: false, nowMs: 0, entries } as never;
    return applyBaseline(report as never, { ...(options as object), ...contract } as never);
  };
  const { baseline } = await apply(NAMES, earlier, []);
  const report = await apply(now, failures, baseline?.entries ?? []);
  return {
    added: report.failures.map(({ operationId, title }) => `${operationId} ${title}`),
    fixed: report.baseline?.fixed,
    notes: report.notes,
  };
}

const PATHS: readonly [string, Partial<Names>][] = [
  ['a path', { path: '/todos' }],
  ['an operationId', { operations: ['createTask', 'getTask', 'abortTask'] }],
  ['a path and the operationIds', { path: '/todos', operations: ['createTodo', 'readTodo', 'cancelTodo'] }],
  ['a path parameter', { id: 'taskId' }],
  ['a property', { property: 'name' }],
  ['a status, to its range', { error: '4XX' }],
  ['a status, to default', { error: 'default' }],
  ['a path, its parameter and a property', { path: '/v2/tasks', id: 'taskId', property: 'name' }],
];

describe('A contract that renames', () => {
  it.each(PATHS)('%s has no new and no fixed failures', async (_, names) => {
    expect(await compare({ ...NAMES, ...names })).toMatchObject({ added: [], fixed: [] });
  });

  it('a property is named in a note', async () => {
    const { notes } = await compare({ ...NAMES, property: 'name' });
    expect(notes).toContain('The baseline has 200 body/title type for 200 body/name type of readTask');
  });
});

describe('An entry of an earlier version', () => {
  const [invalid] = createFailures(NAMES) as [Failures[number]];
  const cases: readonly [string, Partial<Failures[number]>, Partial<Failures[number]>][] = [
    [
      'with two spaces for a whole body',
      { title: 'refuses invalid requests: body  minProperties' as never },
      { title: 'refuses invalid requests: body minProperties' as never },
    ],
    [
      'with another rule for an invalid value in valid JSON',
      {
        rule: { ...invalid.rule, name: 'unparsable-refused' as never },
        title: 'refused if /rows/0/title in the request body violates maximum' as never,
      },
      { title: 'refuses invalid requests: body /rows/*/title maximum' as never },
    ],
  ];

  it.each(cases)('%s is known', async (_, earlier, now) => {
    const found = await compare(NAMES, [{ ...invalid, ...now }], [{ ...invalid, ...earlier }]);
    expect(found).toEqual({ added: [], fixed: [], notes: [] });
  });
});

describe('A server that has stopped', () => {
  it('is a known failure if another of the requests that can be the cause is in the baseline', async () => {
    const [first] = createFailures(NAMES) as [Failures[number]];
    const stop = (operationId: string, suspects: readonly string[]) => ({
      ...{ ...first, operationId, status: 'none', title: 'the server keeps running' },
      stop: { suspects, unfinished: [], operations: [] },
    });
    const [earlier, now] = [
      stop('createTask', ['createTask', 'readTask']),
      stop('readTask', ['readTask', 'createTask']),
    ];
    expect(await compare(NAMES, [now] as never, [earlier] as never)).toEqual({ added: [], fixed: [], notes: [] });
    const other = stop('cancelTask', ['cancelTask', 'readTask']);
    expect((await compare(NAMES, [other] as never, [earlier] as never)).added).toHaveLength(1);
  });
});

describe('A failure', () => {
  const [, type] = createFailures(NAMES) as [unknown, Failures[number]];

  it.each([
    ['of a property that moves into another object', [{ ...type, title: 'body/data/title type' }]],
    ['of a property that moves into a list', [{ ...type, title: 'body/data/*/title type' }]],
  ])('%s is known', async (_, failures) => {
    expect(await compare(NAMES, failures as Failures, [type])).toMatchObject({ added: [], fixed: [] });
  });

  it.each([
    ['of another keyword', { ...type, title: 'body/title minLength' }],
    ['of another property', { ...type, title: 'body/id type' }],
    ['of another operation', { ...type, operationId: 'createTask' }],
    ['with another documented status', { ...type, status: '404' }],
    ['of the same property in another object, beside the known one', { ...type, title: 'body/data/title type' }, type],
  ])('%s is new', async (_, failure, ...known) => {
    const { added } = await compare(NAMES, [failure, ...known] as Failures, [type]);
    expect(added).toEqual([`${failure.operationId} ${failure.title}`]);
  });
});
