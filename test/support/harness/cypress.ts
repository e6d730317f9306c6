import { expect } from 'vitest';
import type { TestShop } from './start-storefront.ts';

/**
 * Runs the tests of a Cypress spec file without Cypress. Implements only the few commands that the spec file uses. The page under test has a button that
 * creates an order in the shop at `url`, and a message with the result. Returns the titles of the tests.
 */
export async function runSpec(code: string, { url: origin }: Pick<TestShop, 'url'>): Promise<readonly string[]> {
  // biome-ignore lint/suspicious/noExplicitAny: what a command works on, and what the page shows.
  const now: Record<'subject' | 'message' | 'cookie', any> = { subject: '', message: '', cookie: '' };
  /** Commands that have not run yet. They run one after the other. */
  const commands: (() => unknown)[] = [];
  const then = (command: () => unknown) => {
    commands.push(command);
    return chain;
  };
  const asked = async (url: string, init: RequestInit) => {
    const reply = await fetch(url.replace('http://localhost:3000', origin), init);
    return { isOk: reply.ok, body: JSON.parse((await reply.text()) || '{}') };
  };
  const click = async () => {
    const { isOk, body } = await asked(`${origin}/api/orders`, { method: 'POST', headers: { cookie: now.cookie } });
    now.message = isOk ? `ordered: ${body.id}` : body.message;
  };
  const become = (next: () => object) => then(async () => Object.assign(now, await next()));
  // Cypress uses the assertions of Chai, and so does Vitest.
  const should = (what: string, wanted?: unknown) =>
    then(() => {
      // biome-ignore lint/suspicious/noExplicitAny: as above.
      let said: any = expect(now.subject).to;
      for (const step of what.split('.')) said = typeof said[step] === 'function' ? said[step](wanted) : said[step];
    });
  const its = (path: string) =>
    become(() => ({ subject: path.split('.').reduce((value, name) => value[name], now.subject) }));
  const chain = { should, and: should, its, click: () => then(click) };
  const cy = {
    setCookie: (name: string, value: string) => become(() => ({ cookie: `${name}=${value}` })),
    visit: () => become(() => ({ message: '' })),
    contains: () => chain,
    get: () => become(() => ({ subject: now.message })),
    request: ({ url, body, method }: { url: string; body: object; method: string }) =>
      then(async () => {
        const headers = { 'content-type': 'application/json' };
        now.subject = await asked(url, { method, headers, body: JSON.stringify(body) });
        expect(now.subject).toMatchObject({ isOk: true });
      }),
  };
  const [before, after, tests, titles]: [(() => void)[], (() => void)[], (() => void)[], string[]] = [[], [], [], []];
  const [beforeEach, afterEach] = [before, after].map((hooks) => (hook: () => void) => hooks.push(hook));
  const it = (title: string, test: () => void) => titles.push(title) && tests.push(test);
  new Function('cy', 'beforeEach', 'afterEach', 'it', code)(cy, beforeEach, afterEach, it);
  for (const part of tests.flatMap((test) => [...before, test, ...after])) {
    part();
    for (const command of commands.splice(0)) await command();
  }
  return titles;
}
