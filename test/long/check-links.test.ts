import { describe, expect, it } from 'vitest';
import { loadContract } from '../../src/openapi/contract.ts';
import { createOperation, writeDocument } from '../support/fixtures/other-document.ts';
import { formatFindings, runCheck } from '../support/harness/check.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';

/** Checks a server whose response has a link with this expression, and returns the values with which the link was followed. */
async function getFollowedValues(expression: unknown): Promise<readonly string[]> {
  const parameter = (name: string, where: string, example?: string) => ({
    name,
    in: where,
    required: true,
    schema: { type: 'string' },
    ...(example === undefined ? {} : { example }),
  });
  const content = { 'application/json': { schema: { type: 'object' } } };
  const links = { next: { operationId: 'follow', parameters: { value: expression } } };
  const start = {
    operationId: 'start',
    parameters: [
      parameter('place', 'path', 'here'),
      parameter('word', 'query', 'sought'),
      parameter('X-Own', 'header', 'mine'),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { type: 'object', required: ['name'], properties: { name: { enum: ['given'] } } },
        },
      },
    },
    responses: { 201: { description: 'd', content, links }, '4XX': { description: 'd' } },
  };
  const follow = createOperation('follow', {}, { parameters: [parameter('value', 'path')] });
  const contract = await loadContract({
    path: await writeDocument({ paths: { '/start/{place}': { post: start }, '/follow/{value}': { get: follow } } }),
    strict: false,
  });
  const { url, seen } = await startRecorder(({ method, target, body }, response) => {
    const isStart = method === 'POST' && target === '/start/here?word=sought' && `${body}` === '{"name":"given"}';
    response.writeHead(isStart ? 201 : 400, { 'content-type': 'application/json', 'x-next': 'there' });
    response.end(isStart ? '{"id":7,"list":[{"a/b":"deep"}]}' : '{}');
  });
  const verdict = await runCheck(url, { contract, only: ['start'] });
  // The rest of the server is correct.
  expect(
    formatFindings(verdict.findings).filter((line) => line.startsWith('links') && !line.includes('follow')),
  ).toEqual([]);
  // Before the first POST, the check finds out whether the server has the operations.
  const checked = seen.slice(seen.findIndex(({ method }) => method === 'POST'));
  return [
    ...new Set(
      checked.flatMap(({ target }) => (target.startsWith('/follow/') ? [decodeURIComponent(target.slice(8))] : [])),
    ),
  ];
}

describe('storefront check of a link in a response', () => {
  const VALUES: readonly [expression: unknown, value: readonly string[]][] = [
    ['$response.body#/id', ['7']],
    ['$response.body#/list/0/a~1b', ['deep']],
    ['$response.header.X-Next', ['there']],
    ['$request.body#/name', ['given']],
    ['$request.path.place', ['here']],
    ['$request.query.word', ['sought']],
    ['$request.header.X-Own', ['mine']],
    ['$statusCode', ['201']],
    ['$method', ['POST']],
    ['constant', ['constant']],
    [12, ['12']],
    ['{$request.path.place}-{$response.body#/id}', ['here-7']],
    // A link whose expression has no value is not followed.
    ['$response.body#/unknown', []],
    ['$response.header.X-Unknown', []],
    ['at-{$response.body#/unknown}', []],
  ];
  it.each(VALUES)('evaluates the expression %j to %j and follows the link', async (expression, values) => {
    expect(await getFollowedValues(expression)).toEqual(values);
  });
});
