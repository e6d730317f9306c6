import { expect, it } from 'vitest';
import { evaluateExpressions } from '../../src/openapi/runtime-expressions.ts';

const messages = {
  url: 'http://localhost:3000/tasks?queryUrl=http://a.test',
  method: 'POST',
  status: 201,
  request: {
    headers: { 'x-callback': 'http://b.test' },
    query: { queryUrl: 'http://a.test', list: ['http://c.test', 'http://d.test'] },
    path: { taskId: '7' },
    body: { callbackUrl: 'http://e.test', nested: { urls: ['http://f.test'] }, 'a/b': 'slash', none: null },
  },
  response: { headers: { location: '/tasks/7' }, body: { id: 7 } },
};

it.each([
  ['{$request.body#/callbackUrl}', 'http://e.test'],
  ['$request.body#/callbackUrl', 'http://e.test'],
  ['{$request.body#/nested/urls/0}', 'http://f.test'],
  ['{$request.body#/a~1b}', 'slash'],
  ['{$request.query.queryUrl}/hook', 'http://a.test/hook'],
  ['{$request.query.list}', 'http://c.test'],
  ['{$request.header.X-Callback}', 'http://b.test'],
  ['http://g.test/{$request.path.taskId}', 'http://g.test/7'],
  ['http://g.test{$response.header.Location}?s={$statusCode}', 'http://g.test/tasks/7?s=201'],
  ['http://g.test/{$response.body#/id}', 'http://g.test/7'],
  ['{$url}', 'http://localhost:3000/tasks?queryUrl=http://a.test'],
  ['http://g.test/{$method}', 'http://g.test/POST'],
  ['http://g.test/plain', 'http://g.test/plain'],
  ['{$request.body#/missing}', undefined],
  ['{$request.body#/none}', undefined],
  ['{$request.body}', undefined],
  ['{$request.cookie.a}', undefined],
  ['{$request.path.other}', undefined],
  ['http://g.test/{$other}', undefined],
])('the expression %s is evaluated to %s', (text, value) => {
  expect(evaluateExpressions(text, messages)).toBe(value);
});
