import { describe, expect, it } from 'vitest';
import { createList, createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { explainApi } from '../support/harness/explain-api.ts';
import { startApi } from '../support/harness/start-api.ts';

const TEXT = { type: 'string' };
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

  it('ends if entries are below each other', async () => {
    const { ask } = await startApi({ paths, schemas: { Page } });
    const { body } = await ask('POST', '/pages', { title: 'A' });
    await ask('PATCH', `/pages/${body.id}`, { parentId: body.id });
    expect((await ask('GET', '/pages')).status).toBe(200);
  });
});
