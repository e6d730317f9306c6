import { describe, expect, it } from 'vitest';
import { type Document, parseText } from '../../src/openapi/document.ts';
import { applyOverlay } from '../../src/openapi/overlay.ts';

/** Returns an overlay with actions, one line of YAML each. */
function toOverlay(...actions: readonly string[]): string {
  return `overlay: 1.0.0\nactions:\n${actions.map((action) => `  - ${action}\n`).join('')}`;
}

/** Applies an overlay to a document that is simpler than an OpenAPI document. Both are in YAML. */
function apply(document: string, ...actions: readonly string[]) {
  const overlay = { path: 'o.yaml', text: toOverlay(...actions) };
  return applyOverlay(parseText('d.yaml', document) as Document, overlay);
}

describe('applyOverlay', () => {
  it.each<[title: string, document: string, action: string, expected: string]>([
    [
      'merges objects',
      '{ a: { b: 1, c: { d: 2 } } }',
      '{ target: $.a, update: { c: { e: 3 }, f: 4 } }',
      '{ a: { b: 1, c: { d: 2, e: 3 }, f: 4 } }',
    ],
    ['replaces simple values', '{ a: { b: 1 } }', '{ target: $, update: { a: { b: x } } }', '{ a: { b: x } }'],
    ['joins lists', '{ a: { tags: [x] } }', '{ target: $.a, update: { tags: [y] } }', '{ a: { tags: [x, y] } }'],
    ['appends to a list', '{ a: [1] }', '{ target: $.a, update: { b: 2 } }', '{ a: [1, { b: 2 }] }'],
    ['replaces an omitted value', '{ a: null }', '{ target: $, update: { a: { b: 1 } } }', '{ a: { b: 1 } }'],
    [
      'changes each selected value',
      '{ a: { x: {} }, b: { x: {} } }',
      '{ target: $.*.x, update: { y: 1 } }',
      '{ a: { x: { y: 1 } }, b: { x: { y: 1 } } }',
    ],
    ['removes properties', '{ a: { b: 1, c: 2 } }', '{ target: $.a.b, remove: true }', '{ a: { c: 2 } }'],
    [
      'removes entries of a list',
      `{ a: [${[...Array(12).keys()]}] }`,
      '{ target: "$.a[?@ > 1]", remove: true }',
      '{ a: [0, 1] }',
    ],
    ['removes values within each other', '{ a: { a: { b: 1 } }, c: 1 }', '{ target: $..a, remove: true }', '{ c: 1 }'],
    [
      'keeps a name such as __proto__',
      '{ a: { b: 1 } }',
      '{ target: $.a, update: { __proto__: { c: 1 } } }',
      '{ a: { b: 1, __proto__: { c: 1 } } }',
    ],
    [
      'changes the value of an alias in one place',
      'a: &x { b: {} }\nc: *x',
      '{ target: $.a.b, update: { d: 1 } }',
      '{ a: { b: { d: 1 } }, c: { b: {} } }',
    ],
  ])('%s', (_, document, action, expected) => {
    expect(apply(document, action).document).toEqual(parseText('e.yaml', expected));
  });

  it('applies the actions in their order', () => {
    const { document } = apply('{ a: [1] }', '{ target: $.a, remove: true }', '{ target: $, update: { a: [2] } }');
    expect(document).toEqual({ a: [2] });
  });

  it('names the targets that select nothing', () => {
    const { warning } = apply('{ a: 1 }', '{ target: $.a, update: 2 }', '{ target: $.b, remove: true }');
    expect(warning).toBe(
      'o.yaml:4:15 #/actions/1/target selects nothing in the document: correct the JSONPath, or remove the action',
    );
  });

  it.each([
    [
      '{ target: "$.a[", remove: true }',
      "o.yaml:3:15 #/actions/0/target is not a JSONPath: use a JSONPath such as $.paths['/pets'].get (Expected ",
    ],
    ['{ remove: true }', '#/actions/0/target is not a JSONPath'],
    ['{ target: $, remove: true }', '#/actions/0/target is the whole document: select a part of it to remove'],
    ['{ target: $.a }', 'o.yaml:3:5 #/actions/0 has neither update nor remove: add one of them'],
    [
      '{ target: $, update: { a: [1] } }',
      '#/actions/0/update/a is a list, but the target is an object: remove the target in an earlier action',
    ],
    [
      '{ target: $.a, update: text }',
      '#/actions/0/update is a simple value, but the target is an object: remove the target in an earlier action',
    ],
  ])('refuses the action %s', (action, message) => {
    expect(() => apply('{ a: { b: 1 } }', action)).toThrow(message);
  });

  it.each([
    ['openapi: 3.0.3\n', 'o.yaml is not an overlay: it must have a version such as "overlay: 1.0.0" at the top level'],
    ['overlay: 1.0.0\n', 'o.yaml:1:1 #/actions must be a list of overlay actions'],
    ['overlay: [\n', 'o.yaml:2:1 is not valid YAML: '],
  ])('refuses the file %j', (text, message) => {
    expect(() => applyOverlay({} as Document, { path: 'o.yaml', text })).toThrow(message);
  });
});
