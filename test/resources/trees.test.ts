import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const PARENT = { type: ['string', 'null'] };

const schemas = {
  Topic: createObject({ 'id!': TEXT, 'name!': TEXT, parentId: PARENT, noteCount: { type: 'integer' } }),
  Note: createObject({ 'id!': TEXT, 'topicId!': TEXT }),
  TopicNode: createObject({
    'id!': TEXT,
    'name!': TEXT,
    noteCount: { type: 'integer' },
    'children!': createList(refer('TopicNode')),
  }),
};

const PATHS = {
  ...createResourcePaths('/topics/{topicId}', refer('Topic'), createObject({ 'name!': TEXT, parentId: PARENT })),
  ...createResourcePaths('/notes/{noteId}', refer('Note'), createObject({ 'topicId!': TEXT })),
  '/topics/tree': { get: { response: createObject({ 'data!': createList(refer('TopicNode')) }) } },
};

describe('A list of entries inside each other', () => {
  it('shows each entry below the entry that its parentId names', async () => {
    const { ask } = await startApi({ paths: PATHS, schemas });
    const create = async (name: string, parentId?: string) =>
      (await ask('POST', '/topics', { name, parentId: parentId ?? null })).body.id as string;
    const top = await create('A');
    const inner = await create('B', top);
    const other = await create('C');
    const last = await create('D', inner);
    await ask('POST', '/notes', { topicId: last });
    const toNode = (id: string, name: string, noteCount: number, children: readonly object[]) => ({
      id,
      name,
      noteCount,
      children,
    });
    const deep = toNode(inner, 'B', 0, [toNode(last, 'D', 1, [])]);
    const read = async () => (await ask('GET', '/topics/tree')).body.data;
    expect(await read()).toEqual([toNode(top, 'A', 0, [deep]), toNode(other, 'C', 0, [])]);
    await ask('PATCH', `/topics/${inner}`, { parentId: other });
    expect(await read()).toEqual([toNode(top, 'A', 0, []), toNode(other, 'C', 0, [deep])]);
    await ask('DELETE', `/topics/${other}`);
    expect((await read()).map(({ name }: { name: string }) => name)).toContain('A');
  });

  it('is explained', async () => {
    expect((await explainApi({ paths: PATHS, schemas }))['GET /topics/tree']).toBe(
      'real: lists topics (computes: noteCount; only those at the top; the others are in children by parentId)',
    );
  });
});

describe('The property children of entries with the same schema', () => {
  const Page = createObject({
    'id!': TEXT,
    'title!': TEXT,
    parentId: PARENT,
    'children!': createList(refer('Page')),
  });
  const paths = createResourcePaths(
    '/pages/{pageId}',
    refer('Page'),
    createObject({ 'title!': TEXT, parentId: PARENT }),
  );

  it('shows the entries whose parentId is the entry, also far below', async () => {
    const { ask } = await startApi({ paths, schemas: { Page } });
    const ids: string[] = [];
    for (const title of ['A', 'B', 'C', 'D'])
      ids.push((await ask('POST', '/pages', { title, parentId: ids.at(-1) ?? null })).body.id);
    const { body } = await ask('GET', `/pages/${ids[0]}`);
    expect(body.children[0].children[0].children[0]).toMatchObject({ title: 'D', children: [] });
    await ask('PATCH', `/pages/${ids[2]}`, { parentId: null });
    expect((await ask('GET', `/pages/${ids[0]}`)).body.children).toMatchObject([{ title: 'B', children: [] }]);
  });

  it('shows a parent without its children', async () => {
    const Cat = createObject({
      ...{ 'id!': INTEGER, 'name!': TEXT, parentId: INTEGER },
      ...{ parent: refer('Cat'), children: createList(refer('Cat')) },
    });
    const request = createObject({ 'name!': TEXT, parentId: INTEGER });
    const paths = createResourcePaths('/cats/{catId}', refer('Cat'), request);
    const { ask } = await startApi({ paths, schemas: { Cat } });
    await ask('POST', '/cats', { name: 'A' });
    await ask('POST', '/cats', { name: 'B', parentId: 1 });
    const child = { id: 2, name: 'B', parentId: 1, parent: { id: 1, name: 'A' }, children: [] };
    expect((await ask('GET', '/cats/1')).body).toEqual({ id: 1, name: 'A', children: [child] });
    expect((await ask('GET', '/cats/2')).body).toEqual(child);
  });

  it('ends if entries are below each other', async () => {
    const { ask } = await startApi({ paths, schemas: { Page } });
    const { body } = await ask('POST', '/pages', { title: 'A' });
    await ask('PATCH', `/pages/${body.id}`, { parentId: body.id });
    expect((await ask('GET', '/pages')).status).toBe(200);
  });
});

describe('The entries below an entry of the same kind', () => {
  const INTEGER = { type: 'integer' };
  const item = { get: { response: refer('Node') } };
  const list = { get: { response: createList(refer('Node')) } };
  const post = { request: createObject({ 'name!': TEXT }), response: refer('Node'), status: 201 };
  const paths = {
    '/nodes': { ...list, post },
    '/nodes/{nodeId}': item,
    '/nodes/{nodeId}/children': { ...list, post },
  };

  it.each([
    ['in parentId', { parentId: INTEGER }, { parentId: 1 }],
    ['in no property', {}, {}],
  ] as const)('are entries of the list, with the id of the entry above %s', async (_name, properties, shown) => {
    const Node = createObject({ 'id!': INTEGER, 'name!': TEXT, ...properties });
    const { ask } = await startApi({ paths, schemas: { Node } });
    await ask('POST', '/nodes', { name: 'A' });
    const child = { id: 2, name: 'B', ...shown };
    expect((await ask('POST', '/nodes/1/children', { name: 'B' })).body).toEqual(child);
    expect((await ask('GET', '/nodes/1')).body).toEqual({ id: 1, name: 'A' });
    expect((await ask('GET', '/nodes/2')).body).toEqual(child);
    expect((await ask('GET', '/nodes/1/children')).body).toEqual([child]);
    expect((await ask('GET', '/nodes/2/children')).body).toEqual([]);
    expect((await ask('GET', '/nodes')).body).toEqual([{ id: 1, name: 'A' }, child]);
  });

  it('are other entries at a path such as /nodes/{nodeId}/subscribers', async () => {
    const Node = createObject({ 'id!': INTEGER, 'name!': TEXT });
    const explained = await explainApi({
      paths: { ...paths, '/nodes/{nodeId}/subscribers': { ...list, post } },
      schemas: { Node },
    });
    expect(explained['GET /nodes/{nodeId}/subscribers']).toBe('real: lists subscribers of /nodes/{nodeId}');
  });
});
