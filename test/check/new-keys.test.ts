import { describe, expect, it } from 'vitest';
import { createApiDocument, createList, createObject } from '../support/fixtures/api-document.ts';
import { checkApi, type ReceivedRequest, type SentResponse } from '../support/harness/check-api.ts';

const PROBLEM = { body: {}, headers: { 'content-type': 'application/problem+json' } };
const INPUT = createObject({ 'title!': { type: 'string', minLength: 1, maxLength: 60 }, text: { type: 'string' } });
const PAGE = { ...INPUT, properties: { key: { type: 'string', readOnly: true }, ...(INPUT.properties as object) } };
const TITLE = { type: 'string', enum: ['title'] };

const PATHS = {
  '/pages': { get: { response: createList(PAGE), query: { sort: TITLE }, errors: [400] } },
  '/pages/{key}': {
    get: { response: PAGE, errors: [404] },
    put: { status: 201, alsoStatus: [200], request: INPUT, response: PAGE, errors: [400] },
    delete: { status: 204, errors: [404] },
  },
};

interface Page {
  readonly key: string;
  readonly title: string;
  readonly text?: string;
}

interface Mistake {
  readonly stores?: (page: Page, old: Page | undefined) => Page | undefined;
  readonly isSorted?: boolean;
  readonly accepts?: RegExp;
}

/** Checks a server whose clients choose the keys of pages. Returns the rules, and what was not checked. */
async function check({ stores = (page) => page, isSorted = true, accepts = /^[a-z\d-]+$/i }: Mistake) {
  const pages = new Map<string, Page>();
  const list = (query: URLSearchParams): SentResponse => {
    const sort = query.get('sort');
    if (sort !== null && (sort !== 'title' || query.getAll('sort').length > 1)) return { ...PROBLEM, status: 400 };
    const all = [...pages.values()];
    const isUsed = sort !== null && isSorted;
    return { status: 200, body: isUsed ? all.sort((one, other) => (one.title < other.title ? -1 : 1)) : all };
  };
  const respond = ({ method, path, query, json }: ReceivedRequest): SentResponse => {
    if (path === '/pages') return list(query);
    const key = path.slice('/pages/'.length);
    const old = pages.get(key);
    if (method === 'PUT') {
      const { title, text, ...others } = (json ?? {}) as Readonly<Record<string, unknown>>;
      const isText = typeof title === 'string' && title !== '' && [...title].length <= 60;
      const isValid = isText && ['string', 'undefined'].includes(typeof text) && !Array.isArray(json);
      if (!isValid || !accepts.test(key) || 'key' in others) return { ...PROBLEM, status: 400 };
      const page = { key, title, ...(typeof text === 'string' && { text }) };
      const stored = stores(page, old);
      if (stored) pages.set(key, stored);
      return { status: old ? 200 : 201, body: page };
    }
    if (!old) return { ...PROBLEM, status: 404 };
    if (method === 'GET') return { status: 200, body: old };
    pages.delete(key);
    return { status: 204 };
  };
  const { findings, unchecked } = await checkApi(JSON.parse(createApiDocument(PATHS)), respond, { runs: 3 });
  return { rules: [...new Set(findings.map(({ rule }) => rule))], unchecked };
}

describe('The check of resources whose keys the client chooses', () => {
  it('accepts a correct server', async () => {
    expect(await check({})).toEqual({ rules: [], unchecked: [] });
  });

  it.each<[string, Mistake, string]>([
    ['a new page is not stored', { stores: (page, old) => old && page }, 'created-readable'],
    ['a change is not stored', { stores: (page, old) => old ?? page }, 'stored-change'],
    ['PUT keeps the text that it does not have', { stores: (page, old) => ({ ...old, ...page }) }, 'put-replaces'],
    ['the list is not sorted', { isSorted: false }, 'list-sorted'],
  ])('finds that %s', async (_, mistake, rule) => {
    expect((await check(mistake)).rules).toContain(rule);
  });
});
