import { describe, expect, it } from 'vitest';
import { toJunit } from '../../src/check/report/junit.ts';
import { toMarkdown } from '../../src/check/report/markdown.ts';
import { createExcerpt, type Failure, type Report } from '../../src/check/report/report.ts';
import { formatVerdict, toText } from '../../src/check/report/text.ts';
import { joinReports } from '../../tools/contract/join-reports.ts';
import { getElements, readXml } from '../support/oracles/strict-xml.ts';

function failure(parts: Partial<Failure> = {}): Failure {
  return {
    check: 'input',
    operationId: 'addItem',
    status: '201',
    title: 'a rule',
    message: 'what came, and what would be right',
    place: 'openapi.yaml:3:5 #/paths',
    steps: [{ request: "curl 'http://shop.test/items'", response: '201 application/json {}' }],
    ...parts,
  };
}

const LIKELY = failure({
  title: 'PUT replaces the resource',
  rule: { name: 'put-replaces', confidence: 'likely', remedy: 'make it required' },
});

function report(parts: Partial<Report> = {}): Report {
  return {
    title: 'a shop',
    checks: ['statuses', 'input'],
    rows: [],
    failures: [],
    notes: [],
    coverage: { operations: [], rules: [], contract: { title: '', version: '', totals: [], operations: [] } },
    unchecked: [],
    unreached: [],
    ...parts,
  };
}

const ROWS: Report['rows'] = [
  { operationId: 'listItems', status: '200', counts: { statuses: { seen: 3, wrong: 0 }, input: undefined } },
  { operationId: 'addItem', status: '201', counts: { statuses: { seen: 4, wrong: 0 }, input: { seen: 9, wrong: 2 } } },
];

/** Texts with a special meaning in XML, Markdown, HTML or a terminal. */
const HOSTILE: readonly string[] = [
  '<a b="c">&amp;&#0;&nbsp;</a>',
  ']]> --> <![CDATA[ <?x ?>',
  `"double" and 'single' = \\`,
  '\u0000\u0001\u0008\u000b\u000c\u001b[31m\u001f\u007f\u0085',
  '\ufffe\uffff\ud800 \udfff\ud800',
  '😀 \u202e é',
  '```\n````\n# | a | b |\n',
  'a\r````\r# b\r\n',
  '',
];

describe('toJunit', () => {
  it.each(HOSTILE)('is well-formed XML with the text %j in all places', (text) => {
    const hostile = failure({ title: text, message: text, place: text, steps: [{ request: text, response: text }] });
    const named = { ...hostile, operationId: text, status: text, check: text };
    const root = readXml(toJunit(report({ title: text, rows: ROWS, failures: [hostile, named], notes: [text] })));
    expect(getElements(root, 'failure')).toHaveLength(2);
  });

  it('has a suite for each operation and a case for each response that a check received', () => {
    const root = readXml(toJunit(report({ title: '<a> & b', rows: ROWS, failures: [failure()] })));
    expect([root.name, root.attributes.name]).toEqual(['testsuites', '<a> & b']);
    const suites = getElements(root, 'testsuite').map(({ attributes, children }) => [attributes, children]);
    expect(suites).toMatchObject([
      [{ name: 'listItems', tests: '1', failures: '0' }, [{ attributes: { name: '200 statuses' }, children: [] }]],
      [
        { name: 'addItem', tests: '2', failures: '1' },
        [
          { attributes: { classname: 'addItem', name: '201 statuses' }, children: [] },
          { attributes: { classname: 'addItem', name: '201 input' }, children: [{ name: 'failure' }] },
        ],
      ],
    ]);
  });

  it('reports a failure with its rule, message, place, request and response', () => {
    const [told] = getElements(readXml(toJunit(report({ rows: ROWS, failures: [failure()] }))), 'failure');
    expect(told?.attributes).toEqual({ type: 'a rule', message: 'what came, and what would be right' });
    expect(told?.text.split('\n')).toEqual([
      'what came, and what would be right',
      'openapi.yaml:3:5 #/paths',
      "$ curl 'http://shop.test/items'",
      '201 application/json {}',
    ]);
  });

  it('has a skipped case for an operation that was not reached, and an error for a part that was not checked', () => {
    const root = readXml(toJunit(report({ unreached: ['getPet (why)'], unchecked: ['links of addPet'] })));
    const cases = getElements(root, 'testcase').map(({ attributes, children }) => [attributes.name, children]);
    expect(cases).toMatchObject([
      [
        'getPet (why)',
        [{ name: 'skipped', attributes: { message: 'only the error responses of the operation were tested' } }],
      ],
      ['links of addPet', [{ name: 'error' }]],
    ]);
  });

  it('has a case for a failure without a response', () => {
    const root = readXml(toJunit(report({ failures: [failure({ operationId: 'none', status: 'none' })] })));
    expect(getElements(root, 'testcase').map(({ attributes }) => attributes.name)).toEqual(['none input']);
    expect(getElements(root, 'failure')).toHaveLength(1);
  });
});

describe('toText', () => {
  it('has a table of the responses of each check, and ends with the verdict', () => {
    expect(toText(report({ rows: ROWS, notes: ['A note.'] })).split('\n')).toEqual([
      'a shop',
      '',
      'operation  response  statuses          input',
      'listItems  200              3              -',
      'addItem    201              4  2 of 9 FAILED',
      '',
      'A note.',
      'Contract check passed: no violations found',
    ]);
  });

  it('has only the rows with failures in a table of more than 200 rows', () => {
    const [passed, failed] = ROWS as [Report['rows'][number], Report['rows'][number]];
    const many = Array.from({ length: 200 }, (_, at) => ({ ...passed, operationId: `op${at}` }));
    expect(toText(report({ rows: many }))).toContain('op199');
    const lines = toText(report({ rows: [...many, failed] })).split('\n');
    expect(lines.slice(2, 5)).toEqual([
      'operation  response  statuses          input',
      'addItem    201              4  2 of 9 FAILED',
      '200 responses without failures are only in report files, such as check.json',
    ]);
  });

  it('prints one failure of a rule in full, eight in one line each, and the number of further ones', () => {
    const failures = Array.from({ length: 12 }, (_, at) =>
      failure({ operationId: `op${at}`, steps: [{ request: `curl ${at}`, response: 'x' }] }),
    );
    const lines = toText(report({ failures })).split('\n');
    expect(lines.filter((line) => line.includes('what came'))).toHaveLength(1);
    expect(lines.slice(lines.indexOf('1. op0 201 (input): a rule'))).toEqual([
      '1. op0 201 (input): a rule',
      '   what came, and what would be right',
      '   contract: openapi.yaml:3:5 #/paths',
      '   $ curl 0',
      '     x',
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((at) => `   also op${at} 201: curl ${at}`),
      '   and 3 more',
      '',
      '',
      'Contract check failed: 1 cause, 12 findings',
    ]);
  });

  it('shortens the long request of a further failure', () => {
    const request = `curl http://localhost --data '${'x'.repeat(1_000)}'`;
    const failures = ['op1', 'op2'].map((operationId) => failure({ operationId, steps: [{ request, response: 'y' }] }));
    const text = toText(report({ failures }));
    expect(text).toContain(`   $ ${request}\n`);
    expect(text).toContain(`   also op2 201: ${request.slice(0, 200)}… (${request.length} characters)\n`);
  });

  it.each(HOSTILE)('prints %j without control characters', (text) => {
    const steps = [{ request: text, response: text }];
    const told = toText(report({ title: text, failures: [failure({ title: text, message: text, steps })] }));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters.
    expect(told).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  const VERDICTS: readonly [parts: Partial<Report>, verdict: string][] = [
    [{}, 'Contract check passed: no violations found'],
    [{ unreached: ['a'] }, 'Contract check passed: no violations found; 1 operation not reached'],
    [{ failures: [failure()] }, 'Contract check failed: 1 finding'],
    [{ failures: [failure(), failure({ operationId: 'b' })] }, 'Contract check failed: 1 cause, 2 findings'],
    [{ failures: [failure(), failure({ title: 'b' })] }, 'Contract check failed: 2 findings'],
    [{ failures: [failure(), failure({ title: 'b', cause: 'a rule' })] }, 'Contract check failed: 1 cause, 2 findings'],
    [{ failures: [LIKELY] }, 'Contract check failed: 1 finding'],
    [{ failures: [LIKELY], minConfidence: 'certain' }, 'Contract check passed: no certain violations found, 1 likely'],
    [{ failures: [LIKELY, failure()], minConfidence: 'certain' }, 'Contract check failed: 1 finding'],
  ];
  it.each(VERDICTS)('returns the verdict for %j', (parts, verdict) =>
    expect(formatVerdict(report(parts))).toBe(verdict),
  );
});

describe('A failure of a rule of the table', () => {
  const texts: readonly (readonly [string, string])[] = [
    ['text', toText(report({ failures: [LIKELY] }))],
    ['Markdown', toMarkdown(report({ failures: [LIKELY] }))],
    ['JUnit', toJunit(report({ failures: [LIKELY] }))],
  ];
  it.each(texts)('has its name, its confidence and what to write in the contract as %s', (_, text) => {
    expect(text).toMatch(/rule: put-replaces \(likely\)/i);
    expect(text).toMatch(/if the server is right: make it required/i);
  });

  it.each(texts.slice(0, 2))('says that its title is what the server violates as %s', (_, text) => {
    expect(text).toMatch(/^(1\.|###) addItem \d+ \(\w+\) violates "./m);
  });
});

describe('toMarkdown', () => {
  it('has the verdict, the title, each failure and the table', () => {
    const failures = [failure(), failure({ operationId: 'putItem', status: '200' })];
    expect(toMarkdown(report({ rows: ROWS, failures, notes: ['A note.'] })).split('\n')).toEqual([
      '## Contract check failed: 1 cause, 2 findings',
      '',
      'a shop',
      '',
      '### addItem 201 (input): a rule',
      '',
      'what came, and what would be right',
      '',
      'Contract: `openapi.yaml:3:5 #/paths`',
      '',
      'Also: putItem 200',
      '',
      '````sh',
      "curl 'http://shop.test/items'",
      '# 201 application/json {}',
      '````',
      '',
      'A note.',
      '',
      '| operation | response | statuses | input |',
      '|---|---|--:|--:|',
      '| listItems | 200 | 3 | - |',
      '| addItem | 201 | 4 | 2 of 9 FAILED |',
      '',
    ]);
  });

  it.each(HOSTILE)('escapes %j as plain text', (text) => {
    const parts = { title: text, notes: [text], rows: [{ operationId: text, status: text, counts: {} }] };
    // Line breaks are removed from requests and responses before.
    const steps = [{ request: 'curl', response: text.replaceAll(/\s+/g, ' ') }];
    const calm = toMarkdown(report({ ...parts, failures: [failure({ steps })] }));
    const hostile = failure({ operationId: text, title: text, message: text, steps });
    const told = toMarkdown(report({ ...parts, failures: [hostile] }));
    // The report has the same number of lines, headings, fences and unescaped bars as with harmless texts.
    const shape = (markdown: string) =>
      markdown
        .split(/\r\n|\n|\r/)
        .map((line) => (/^(#+ |`{4})/.exec(line) ?? [''])[0] + line.replace(/\\./g, '').split('|').length);
    expect(shape(told)).toEqual(shape(calm));
    expect(told.replace(/````sh.*?\n````\n|`[^`]*`/gs, '').replace(/\\./g, '')).not.toMatch(/[<>]/);
  });
});

describe('joinReports', () => {
  it('adds the results of another check to existing rows, and its new rows', () => {
    const counts = { dredd: { seen: 1, wrong: 1 } };
    const more = {
      checks: ['dredd'],
      rows: [
        { operationId: 'addItem', status: '201', counts },
        { operationId: 'addItem', status: '400', counts },
      ],
      failures: [failure({ check: 'dredd' })],
      notes: ['More.'],
    };
    const both = joinReports(report({ rows: ROWS, failures: [failure()], notes: ['One.'] }), more);
    expect(both.checks).toEqual(['statuses', 'input', 'dredd']);
    expect(both.rows.map((row) => [row.operationId, row.status, row.counts.dredd, row.counts.statuses?.seen])).toEqual([
      ['listItems', '200', undefined, 3],
      ['addItem', '201', counts.dredd, 4],
      ['addItem', '400', counts.dredd, undefined],
    ]);
    expect([both.failures.map(({ check }) => check), both.notes]).toEqual([
      ['input', 'dredd'],
      ['One.', 'More.'],
    ]);
  });
});

describe('createExcerpt', () => {
  const body = `[${Array.from({ length: 60 }, (_, number) => `{"id":"p${number}","name":"n${number}"}`).join(',')}]`;

  it('shows the start of a long body, and the place that proves the finding', () => {
    const excerpt = createExcerpt(body, ['"unknown":', '"p42"', '"p1"']);
    expect(excerpt.startsWith(`${body.slice(0, 90)}… `)).toBe(true);
    expect(excerpt).toContain('{"id":"p42","name":"n42"}');
    expect(excerpt.length).toBeLessThan(310);
  });

  it.each([[['"p1"']], [[]], [['"unknown":']]])('shows only the start of a long body with the proofs %j', (proofs) => {
    expect(createExcerpt(body, proofs)).toBe(`${body.slice(0, 300)}…`);
  });
});
