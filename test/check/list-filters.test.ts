import { expect, it } from 'vitest';
import { stopAfterFinding } from '../support/harness/check.ts';
import { checkApi, type SentResponse } from '../support/harness/check-api.ts';

interface Post {
  readonly id: string;
  readonly text: string;
  readonly tags?: readonly string[];
}

const PROPERTIES = {
  text: { type: 'string', minLength: 1, maxLength: 40 },
  tags: { type: 'array', maxItems: 5, uniqueItems: true, items: { type: 'string', minLength: 1, maxLength: 20 } },
};
const INPUT = { type: 'object', required: ['text'], additionalProperties: false, properties: PROPERTIES };
const POST = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', readOnly: true }, ...PROPERTIES },
};
const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

function createJson(schema: object): object {
  return { content: { 'application/json': { schema } } };
}

function createOperation(operationId: string, status: number, schema: object, more: object = {}): object {
  const responses = { [status]: { description: '', ...createJson(schema) }, 400: { description: '' } };
  return { operationId, responses, ...more };
}

/** Paths of a list with a filter, and of its entries. */
function createPaths(filter: string): object {
  const requestBody = { required: true, ...createJson(INPUT) };
  const parameters = [{ name: filter, in: 'query', schema: { type: 'string', maxLength: 20 } }];
  return {
    '/posts': {
      get: createOperation('listPosts', 200, { type: 'array', items: POST }, { parameters }),
      post: createOperation('addPost', 201, POST, { requestBody }),
    },
    '/posts/{id}': {
      get: {
        operationId: 'getPost',
        parameters: [ID],
        responses: { 200: { description: '', ...createJson(POST) }, 404: { description: '' } },
      },
      put: {
        operationId: 'setPost',
        parameters: [ID],
        requestBody,
        responses: {
          200: { description: '', ...createJson(POST) },
          400: { description: '' },
          404: { description: '' },
        },
      },
    },
  };
}

function isValid(value: unknown): value is Omit<Post, 'id'> {
  const { text, tags = [], ...others } = (value ?? {}) as Record<string, unknown>;
  const isText = (one: unknown, max: number) => typeof one === 'string' && one !== '' && [...one].length <= max;
  const isList = Array.isArray(tags) && tags.length <= 5 && new Set(tags).size === tags.length;
  return Object.keys(others).length === 0 && isText(text, 40) && isList && tags.every((tag) => isText(tag, 20));
}

/** A mistake of the server: how it compares the tags of a post with a filter, or what a PUT keeps. */
interface Mistake {
  readonly selects?: (tags: readonly string[], tag: string) => boolean;
  readonly keeps?: boolean;
}

/** Checks a server of posts. Ends after the first finding with the rule `until`. Returns the operations and rules. */
async function findRules(filter: string, { selects, keeps = false }: Mistake, until?: string) {
  const posts = new Map<string, Post>();
  const respond = ({ method, path, query, json }: Parameters<Parameters<typeof checkApi>[1]>[0]): SentResponse => {
    const id = path.slice('/posts/'.length);
    const old = posts.get(id);
    if (method === 'GET' && id === '') {
      const tag = query.get(filter);
      if (tag !== null && (query.getAll(filter).length > 1 || [...tag].length > 20)) return { status: 400 };
      const isSelected = ({ tags = [] }: Post) => tag === null || (selects?.(tags, tag) ?? tags.includes(tag));
      return { status: 200, body: [...posts.values()].filter(isSelected) };
    }
    if (method !== 'POST' && !old) return { status: 404 };
    if (method === 'GET') return { status: 200, body: old };
    if (!isValid(json)) return { status: 400 };
    const post = { ...(keeps ? old : {}), ...json, id: old?.id ?? String(posts.size + 1) };
    posts.set(post.id, post);
    return { status: old ? 200 : 201, body: post };
  };
  const stop = until === undefined ? {} : stopAfterFinding(({ rule }) => rule === until);
  const { findings } = await checkApi({ paths: createPaths(filter) }, respond, { runs: 4, ...stop });
  return findings.map(({ operationId, rule }) => `${operationId} ${rule}`);
}

it.each<[string, string, NonNullable<Mistake['selects']>, string]>([
  ['is ignored', 'tags', () => true, 'filter-selects'],
  ['compares only the first value', 'tags', ([first], tag) => first === tag, 'filter-finds'],
  ['compares the start of a value', 'tags', (tags, tag) => tags.some((one) => one.startsWith(tag)), 'filter-selects'],
  ['finds nothing', 'tag', () => false, 'filter-finds'],
])('the check finds a filter by a list of values that %s', async (_, filter, selects, rule) => {
  expect(await findRules(filter, { selects }, rule)).toContain(`listPosts ${rule}`);
});

it('the check accepts a filter by the values of a list', async () => {
  expect(await findRules('tag', {})).toEqual([]);
});

it('the check reports a PUT that keeps what was left out for the PUT', async () => {
  expect(await findRules('tags', { keeps: true }, 'put-replaces')).toEqual(['setPost put-replaces']);
});

it('the check accepts a text filter with the name of a boolean, such as the user who favorited an article', async () => {
  const NewArticle = { type: 'object', required: ['text'], properties: { text: PROPERTIES.text } };
  const Article = {
    type: 'object',
    required: ['id', 'text', 'favorited'],
    properties: { id: { type: 'string' }, favorited: { type: 'boolean', readOnly: true }, text: { type: 'string' } },
  };
  const parameters = [{ name: 'favorited', in: 'query', schema: { type: 'string' } }];
  const requestBody = { required: true, ...createJson(NewArticle) };
  const paths = {
    '/articles': {
      get: createOperation('listArticles', 200, { type: 'array', items: Article }, { parameters }),
      post: createOperation('addArticle', 201, Article, { requestBody }),
    },
    '/articles/{id}': { get: createOperation('getArticle', 200, Article, { parameters: [ID] }) },
  };
  const articles: { readonly id: string; readonly text: string; readonly favorited: boolean }[] = [];
  const respond = ({ method, path, query, json }: Parameters<Parameters<typeof checkApi>[1]>[0]): SentResponse => {
    const user = query.get('favorited');
    if (method === 'GET' && path === '/articles')
      return { status: 200, body: articles.filter(({ favorited }) => user === null || (user === 'ann' && favorited)) };
    const found = articles.find(({ id }) => path === `/articles/${id}`);
    if (method === 'GET') return found ? { status: 200, body: found } : { status: 400 };
    const { text } = (json ?? {}) as Record<string, unknown>;
    if (!isValid({ text })) return { status: 400 };
    const article = { id: String(articles.length), text: String(text), favorited: articles.length % 2 === 0 };
    articles.push(article);
    return { status: 201, body: article };
  };
  const { findings } = await checkApi({ paths }, respond, { runs: 4 });
  expect(findings.map(({ rule, operationId }) => `${operationId} ${rule}`)).not.toContain('listArticles filter-finds');
});
