import type { Failure, Report } from './report.ts';

/** Returns a report as JUnit XML: a suite for each operation, a case for each response and check. */
export function toJunit({ title, judges, rows, failures, unjudged }: Report): string {
  const suites = [
    ...new Set([...rows.map(({ operationId }) => operationId), ...failures.map(({ operationId }) => operationId)]),
  ];
  const suiteTexts = suites.map((operationId) => {
    const cases = casesOf(operationId, judges, rows, failures);
    const failed = cases.filter(({ failures: own }) => own.length > 0).length;
    return [
      `  <testsuite${attributes({ name: operationId, tests: cases.length, failures: failed })}>`,
      ...cases.map(caseText),
      '  </testsuite>',
    ].join('\n');
  });
  const name = attributes({ name: title });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${name}>`,
    ...suiteTexts,
    ...unjudgedSuite(unjudged),
    '</testsuites>',
    '',
  ].join('\n');
}

/** Returns a suite with an error for each part that was not checked; none if everything was. */
function unjudgedSuite(unjudged: readonly string[]): readonly string[] {
  if (unjudged.length === 0) return [];
  return [
    `  <testsuite${attributes({ name: 'not checked', tests: unjudged.length, failures: 0, errors: unjudged.length })}>`,
    ...unjudged.flatMap((name) => [
      `    <testcase${attributes({ classname: 'not checked', name })}>`,
      `      <error${attributes({ type: 'incomplete', message: 'not checked, or only in part' })}/>`,
      '    </testcase>',
    ]),
    '  </testsuite>',
  ];
}

interface Case {
  readonly operationId: string;
  readonly name: string;
  readonly failures: readonly Failure[];
}

/** Returns a case for each response that a check received, and for each failure without a response. */
function casesOf(
  operationId: string,
  judges: readonly string[],
  rows: Report['rows'],
  failures: Report['failures'],
): readonly Case[] {
  const own = failures.filter((failure) => failure.operationId === operationId);
  const seen = rows
    .filter((row) => row.operationId === operationId)
    .flatMap(({ status, counts }) => judges.filter((judge) => counts[judge]).map((judge) => ({ status, judge })));
  const others = own.filter(({ status, judge }) => !seen.some((one) => one.status === status && one.judge === judge));
  return [...seen, ...others].map(({ status, judge }) => ({
    operationId,
    name: `${status} ${judge}`,
    failures: own.filter((failure) => failure.status === status && failure.judge === judge),
  }));
}

function caseText({ operationId, name, failures }: Case): string {
  const open = `    <testcase${attributes({ classname: operationId, name })}`;
  if (failures.length === 0) return `${open}/>`;
  return [`${open}>`, ...failures.map(failureText), '    </testcase>'].join('\n');
}

function failureText({ rule, message: said, place, steps }: Failure): string {
  const lines = [said, place, ...steps.flatMap(({ request, answer }) => [`$ ${request}`, answer])];
  return `      <failure${attributes({ type: rule, message: said })}>${escaped(lines.join('\n'))}</failure>`;
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('');
}

/** Escapes a text for XML 1.0, and replaces the characters that XML does not allow. */
function escaped(text: string): string {
  return (
    Buffer.from(text)
      .toString()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML does not allow these characters.
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
  );
}
