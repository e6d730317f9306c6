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
      'real: lists topics (computes: noteCount; shows in children those whose parentId is the entry)',
    );
  });
});
