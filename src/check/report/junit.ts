import type { Failure, Report } from './report.ts';

/** A report as JUnit XML: a suite for each operation, a case for each answer and judge. */
export function toJunit({ title, judges, rows, failures, unjudged }: Report): string {
  const suites = [
    ...new Set([...rows.map(({ operationId }) => operationId), ...failures.map(({ operationId }) => operationId)]),
  ];
  const written = suites.map((operationId) => {
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
    ...written,
    ...unjudgedSuite(unjudged),
    '</testsuites>',
    '',
  ].join('\n');
}

/** A suite for what was not judged, with an error for each; none where all was. */
function unjudgedSuite(unjudged: readonly string[]): readonly string[] {
  if (unjudged.length === 0) return [];
  return [
    `  <testsuite${attributes({ name: 'not judged', tests: unjudged.length, failures: 0, errors: unjudged.length })}>`,
    ...unjudged.flatMap((name) => [
      `    <testcase${attributes({ classname: 'not judged', name })}>`,
      `      <error${attributes({ type: 'incomplete', message: 'not judged, or not to the end' })}/>`,
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

/** A case for each answer that a judge has seen, and for each failure of which no answer came. */
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

/** A text as XML 1.0 has it: without characters that it can't have. */
function escaped(text: string): string {
  return (
    Buffer.from(text)
      .toString()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML can't have.
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
  );
}
