import { expect, it } from 'vitest';
import { testThatCheckFinds } from '../support/oracles/find-defects.ts';
import { defects } from '../support/planted-defects/planted-defects.ts';
import { problemDefects } from '../support/planted-defects/problem-defects.ts';
import { requestDefects } from '../support/planted-defects/request-defects.ts';
import { httpDefects, responseDefects } from '../support/planted-defects/response-defects.ts';

testThatCheckFinds([...responseDefects, ...httpDefects, ...problemDefects, ...requestDefects]);

it('the names of all planted defects are unique', () => {
  const names = defects.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
