import { describe, expect, it } from 'vitest';
import { compareStates, compareValues } from '../../src/console/model/compare-states.ts';
import {
  findEntryName,
  getFieldLabel,
  getFields,
  getFieldValue,
  getRowName,
  parseField,
  setFieldValue,
  toFieldText,
} from '../../src/console/model/entry-fields.ts';
import { findPathEnd, formatQuantity, PATH_END, shortenId } from '../../src/console/model/format.ts';
import { formatPartialJson } from '../../src/console/model/format-partial-json.ts';
import { createFilter, NO_FILTER } from '../../src/console/model/request-filter.ts';
import type { RequestRow } from '../../src/console/model/request-row.ts';
import { formatRoute, getReferenceLink, getSandboxFromUrl, parseRoute } from '../../src/console/model/route-hash.ts';

describe('the comparison of two states', () => {
  it('finds entries by their key, so that an inserted entry changes no other', () => {
    const before = {
      notes: [
        { id: 1, text: 'a' },
        { id: 2, text: 'b' },
      ],
    };
    const after = {
      notes: [
        { id: 3, text: 'c' },
        { id: 1, text: 'a' },
      ],
    };
    expect(compareStates(before, after, { notes: 'id' })).toEqual([
      { collection: 'notes', position: 0, after: { id: 3, text: 'c' } },
      { collection: 'notes', before: { id: 2, text: 'b' } },
    ]);
  });

  it('finds entries by a key in a nested object', () => {
    const [first, second] = [{ meta: { id: 1 } }, { meta: { id: 2 } }];
    expect(compareStates({ notes: [first, second] }, { notes: [second] }, { notes: 'meta.id' })).toEqual([
      { collection: 'notes', before: first },
    ]);
  });

  it('names the values of an entry that differ', () => {
    expect(compareValues({ a: { b: 1, c: [1] }, d: 1 }, { a: { b: 2, c: [1] } })).toEqual([
      { pointer: 'a/b', before: 1, after: 2 },
      { pointer: 'd', before: 1, after: undefined },
    ]);
  });
});

describe('a number with a noun', () => {
  it.each([
    [1, 'more sandbox', '1 more sandbox'],
    [2, 'more sandbox', '2 more sandboxes'],
    [2, 'entry', '2 entries'],
    [0, 'request', '0 requests'],
  ])('%d %s is %s', (count, noun, text) => {
    expect(formatQuantity(count, noun)).toBe(text);
  });
});

describe('the end of a long path', () => {
  it.each([
    ['/workspaces/7c9e6679/projects/42/tasks/17', '/projects/42/tasks/17'],
    ['/notes/7c9e6679-7425-40de-944b-e07fc1f90ae7', '-944b-e07fc1f90ae7'],
  ])('of %s has %s', (path, end) => {
    expect(path.slice(findPathEnd(path)).endsWith(end)).toBe(true);
    expect(path.length - findPathEnd(path)).toBeLessThanOrEqual(PATH_END);
  });
});

describe('the name of an entry', () => {
  it.each([
    [{ id: 'a1', name: 'Kettle' }, 'id', 'Kettle'],
    [{ productId: 'a1', quantity: 2 }, 'productId', 'a1'],
    [{ id: 7 }, 'id', '7'],
    [{ quantity: 2 }, undefined, undefined],
  ])('of %j with the key %s is %s', (entry, key, name) => {
    expect(findEntryName(entry, key)).toBe(name);
  });

  it('is the first text in its row that is not its key', () => {
    const columns = [{ format: 'text' }, { format: 'number' }, { format: 'text' }];
    const row = { columns, entry: { id: 'a1', quantity: 2 }, position: 3 };
    expect(getRowName({ ...row, cells: ['a1', 2, 'Kettle'] }, 'id')).toBe('Kettle');
    expect(getRowName({ ...row, cells: ['a1', 2, null] }, 'id')).toBe('a1');
    expect(getRowName({ ...row, cells: [null, 2, null] }, undefined)).toBe('entry 3');
  });
});

describe('the fields of an entry', () => {
  const schema = {
    required: ['id'],
    properties: { id: { type: 'integer', minimum: 1 }, kind: { $ref: '#/$defs/Kind' }, tags: { type: 'array' } },
    $defs: { Kind: { type: 'string', enum: ['a', 'b'] } },
  };

  it('have the types of the schema, and the other properties of the entry', () => {
    const fields = getFields({ schema, form: { defaults: {}, references: [] } }, { other: 1 }, false);
    expect(fields.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
      ['id', 'number', true],
      ['kind', 'choice', false],
      ['tags', 'json', false],
      ['other', 'json', false],
    ]);
    expect(fields[0]?.hint).toBe('at least 1');
  });

  it('keep the type of a value that is not changed', () => {
    const form = { defaults: {}, references: [] };
    const [field] = getFields({ schema: { properties: { a: { type: 'string' } } }, form }, {}, false);
    if (field === undefined) throw new Error('The schema has no field');
    expect(parseField('12', field, true, 12)).toBe(12);
    expect(parseField('12', field, false, 12)).toBe('12');
  });
});

describe('the fields of a new entry', () => {
  const schema = {
    required: ['title'],
    properties: {
      id: { type: 'integer' },
      title: { type: 'string' },
      done: { type: 'boolean', default: false },
      due: { type: 'string', format: 'date' },
      start: { type: ['string', 'null'], format: 'date-time' },
      ownerId: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    },
  };
  const form = {
    properties: ['$path.projectId', 'title', 'done', 'due', 'start', 'ownerId'],
    defaults: {},
    references: [
      { property: '$path.projectId', collection: 'projects' },
      { property: 'ownerId', collection: 'users' },
    ],
  };
  const fields = getFields({ schema, form }, {}, true);

  it('are those that a client may send, with the ids of parents', () => {
    expect(fields.map(({ name, kind, isRequired, collection }) => [name, kind, isRequired, collection])).toEqual([
      ['$path.projectId', 'text', true, 'projects'],
      ['title', 'text', true, undefined],
      ['done', 'boolean', false, undefined],
      ['due', 'date', false, undefined],
      ['start', 'date-time', false, undefined],
      ['ownerId', 'number', false, 'users'],
    ]);
  });

  it('include the hidden id of a parent', () => {
    const entry = setFieldValue({ title: 'a', $path: { id: '1' } }, '$path.projectId', '7');
    expect(entry).toEqual({ title: 'a', $path: { id: '1', projectId: '7' } });
    expect(getFieldValue(entry, '$path.projectId')).toBe('7');
    expect(getFieldLabel('$path.projectId')).toBe('projectId');
  });

  it('have times in the time zone of the browser', () => {
    const start = fields.find(({ name }) => name === 'start');
    if (start === undefined) throw new Error('The schema has the property start');
    const text = toFieldText('2026-03-01T12:30:00.000Z', 'date-time');
    expect(text).toMatch(/^2026-0[23]-\d\dT\d\d:\d\d:00$/);
    expect(parseField(text, start, false, undefined)).toBe('2026-03-01T12:30:00.000Z');
    expect(toFieldText('tomorrow', 'date-time')).toBe('');
  });

  it.each([
    ['09:30:00', '09:30:00', '10:15', '10:15:00'],
    ['09:30:00.250Z', '09:30:00', '10:15:20', '10:15:20Z'],
    ['09:30:00+02:00', '09:30:00', '10:15:20', '10:15:20+02:00'],
  ])('have a time: %s, shown as %s, becomes %s and keeps its offset', (old, shown, input, changed) => {
    const [field] = getFields(
      { schema: { properties: { at: { type: 'string', format: 'time' } } }, form: { defaults: {}, references: [] } },
      {},
      false,
    );
    if (field === undefined) throw new Error('The schema has one property');
    expect(field.kind).toBe('time');
    expect(toFieldText(old, 'time')).toBe(shown);
    expect(parseField(input, field, false, old)).toBe(changed);
    expect(parseField(shown, field, true, old)).toBe(old);
  });

  it('have a list of ids', () => {
    const form = { defaults: {}, references: [{ property: 'tagIds', collection: 'tags' }] };
    const schema = { properties: { tagIds: { type: 'array', items: { type: 'integer' } } } };
    const [field] = getFields({ schema, form }, {}, false);
    expect(field).toMatchObject({ kind: 'ids', collection: 'tags' });
    expect(field && parseField('[3]', field, false, undefined)).toEqual([3]);
  });
});

describe('an id in a table', () => {
  it.each([
    ['7c9e6679-7425-40de-944b-e07fc1f90ae7', '7c9e6679…'],
    ['tasks-000017', 'tasks-000017'],
  ])('%s is shown as %s', (id, short) => {
    expect(shortenId(id)).toBe(short);
  });
});

describe('the filter of the requests', () => {
  const row = { operation: 'a', status: 404, text: '{"x":"A.b"}' } as RequestRow;

  it.each([
    [{ status: '4xx' }, true],
    [{ status: '404' }, true],
    [{ status: '5xx' }, false],
    [{ status: 'none' }, false],
    [{ text: 'a.B' }, true],
    [{ text: 'a+b' }, false],
    [{ operation: 'b' }, false],
  ])('%j selects the request: %s', (filter, isSelected) => {
    expect(createFilter({ ...NO_FILTER, ...filter })(row)).toBe(isSelected);
  });
});

describe('the address of a view', () => {
  it('keeps the view, the sandbox and the values', () => {
    const route = { view: 'state', sandbox: 'w1', values: { search: 'a&b=c', offset: '' } } as const;
    const hash = formatRoute(route, 'default');
    expect(hash).toBe('#/state?sandbox=w1&search=a%26b%3Dc');
    expect(parseRoute(hash, 'default')).toEqual({ view: 'state', sandbox: 'w1', values: { search: 'a&b=c' } });
    expect(parseRoute('#/nothing', 'default')).toEqual({ view: 'requests', sandbox: 'default', values: {} });
  });

  it.each([
    [{ pathname: '/_sandbox/w1/', hostname: 'localhost' }, 'w1'],
    [{ pathname: '/', hostname: 'w2.localhost' }, 'w2'],
    [{ pathname: '/_console/', hostname: 'localhost' }, 'default'],
  ])('%j shows the sandbox %s', (address, sandbox) => {
    expect(getSandboxFromUrl(address)).toBe(sandbox);
  });
});

describe('the address of the API reference', () => {
  it('has the selected sandbox', () => {
    expect(getReferenceLink('default')).toBe('/_docs');
    expect(getReferenceLink('w1')).toBe('/_docs?sandbox=w1');
  });
});

describe('the format of a cut JSON text', () => {
  it.each([
    ['[{"a":1,"b":"x{,', '[\n  {\n    "a": 1,\n    "b": "x{,'],
    ['{"a":[],"b":{}}', '{\n  "a": [],\n  "b": {}\n}'],
    ['{"a":"b\\', '{\n  "a": "b\\'],
  ])('%j is formatted', (text, formatted) => {
    expect(formatPartialJson(text)).toBe(formatted);
  });

  it.each(['plain text', '<html>', '[note] text', ''])('%j stays as it is', (text) => {
    expect(formatPartialJson(text)).toBeUndefined();
  });
});
