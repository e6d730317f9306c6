import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isNode, LineCounter, parseDocument } from 'yaml';
import { createLocator } from '../../src/openapi/source-location.ts';
import { formatPointer } from '../../src/util/json-pointer.ts';
import { projectFile } from '../support/fixtures/default-data.ts';

/** Returns the position of the value that some steps lead to, or of its closest ancestor, by a parser that is independent of the one under test. */
function createOracle(text: string): (steps: readonly (string | number)[]) => string {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const locate = (steps: readonly (string | number)[]): string => {
    const node = document.getIn(steps, true);
    if (!isNode(node) || !node.range) return locate(steps.slice(0, -1));
    const { line, col } = lineCounter.linePos(node.range[0]);
    return `file:${line}:${col}`;
  };
  return (steps) => `${locate(steps)} #${formatPointer(...steps)}`;
}

/** Returns the steps to each value. */
function listSteps(
  value: unknown,
  steps: readonly (string | number)[] = [],
): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [steps];
  return [steps, ...Object.entries(value).flatMap(([key, inner]) => listSteps(inner, [...steps, key]))];
}

const STYLES = `# A comment
openapi: 3.0.3 # another
anchors: &a
  - 1
  - &b { x: 1 }
alias: *b
tagged: !!str 5
? explicit
: value
block: |
  text
  and more
empty:
spaced: # comment

  # comment
  inner: "quoted"
"quoted key": [1, [2, { a: b }], ]
`;

const { info, components } = parseDocument(readFileSync(projectFile('openapi.yaml'), 'utf8')).toJS();

describe('createLocator', () => {
  it.each<[string, string]>([
    ['openapi.yaml', readFileSync(projectFile('openapi.yaml'), 'utf8')],
    ['a document with odd operations', readFileSync(projectFile('test/documents/odd.yaml'), 'utf8')],
    ['YAML in all styles', STYLES],
    ['indented JSON', JSON.stringify({ info, components }, null, 2)],
    ['JSON on one line', JSON.stringify({ info, components })],
    [
      'JSON with escapes',
      JSON.stringify({ 'a"b\n': [[], {}, [{ '\u0001é': null }]], '\\': [1e-7, true], '': { a: [-1, 'b'] } }),
    ],
    [
      'YAML with characters of two to four bytes',
      'é: [ü, "€"] # 😀\n"😀": { "𝄞": "é", z: [1] }\nlast: [a, { b: "日本" }, c, d]\n',
    ],
    ['a flow mapping without quotation marks', '{ a: { é: 1, z: [x, y] }, b: [{ c: 3 }, { d: 4 }], "e": { f: 5 } }'],
    ['YAML that looks like JSON', '{"a\\x41": "b\n c", "d": [1, {"e": null}], "f": {"g": [2, 3, {"h": []}]}}'],
  ])('finds the line and column of every value of %s', (_, text) => {
    const [locate, oracle] = [createLocator('file', text), createOracle(text)];
    const allSteps = listSteps(parseDocument(text).toJS());
    expect(allSteps.length).toBeGreaterThan(10);
    expect(allSteps.map((steps) => locate(formatPointer(...steps)))).toEqual(allSteps.map(oracle));
  });

  it('finds the closest ancestor of a value that does not exist', () => {
    const locate = createLocator('file', 'a:\n  b: [1]\n');
    expect([locate('/a/b/5/c'), locate('/a/c'), locate('/c')]).toEqual([
      'file:2:6 #/a/b/5/c',
      'file:2:3 #/a/c',
      'file:1:1 #/c',
    ]);
  });

  it('finds the values after a byte order mark', () => {
    const places = ['a: 1\nb: 2\n', '{"a": 1,\n"b": 2}'].map((text) => createLocator('file', `\ufeff${text}`)('/b'));
    expect(places).toEqual(['file:2:4 #/b', 'file:2:6 #/b']);
  });

  it('finds the values of a text that is not valid UTF-8', () => {
    expect(createLocator('file', Buffer.from('a: "\xff"\nb: { c: "\xff", d: 2 }\n', 'latin1'))('/b/d')).toBe(
      'file:2:17 #/b/d',
    );
  });

  it('finds the values before a syntax error', () => {
    expect(createLocator('file', 'a: 1\nb: [1, 2\n')('/a')).toBe('file:1:4 #/a');
  });

  it('returns the lines of a value with its key', () => {
    const { find } = createLocator('file', 'a:\n  b:\n    - 1\n    - 2\nc: 3\nd: 4\ne: 5\nf: 6\n');
    expect(find('/a/b')).toEqual({ path: 'file', line: 2, text: '  b:\n    - 1\n    - 2\nc: 3\nd: 4' });
    expect(find('/a/b/1')).toEqual({ path: 'file', line: 4, text: '    - 2\nc: 3\nd: 4\ne: 5\nf: 6' });
    expect(find('/f/none').text).toBe('f: 6');
  });

  it('returns a part of a long line', () => {
    const text = JSON.stringify({ long: 'x'.repeat(500), next: { value: 1, last: 'y'.repeat(500) } });
    expect(createLocator('file', text).find('/next/value')).toEqual({
      path: 'file',
      line: 1,
      text: `"value":1,"last":"${'y'.repeat(182)}…`,
    });
  });
});
