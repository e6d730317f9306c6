import type { Failure, Report } from './report.ts';

/** Returns a report as JUnit XML: a suite for each operation, a case for each response and check. */
export function toJunit({ title, checks, rows, failures, unchecked }: Report): string {
  const suites = [
    ...new Set([...rows.map(({ operationId }) => operationId), ...failures.map(({ operationId }) => operationId)]),
  ];
  const suiteTexts = suites.map((operationId) => {
    const cases = createCases(operationId, checks, rows, failures);
    const failed = cases.filter(({ failures: own }) => own.length > 0).length;
    return [
      `  <testsuite${formatAttributes({ name: operationId, tests: cases.length, failures: failed })}>`,
      ...cases.map(caseText),
      '  </testsuite>',
    ].join('\n');
  });
  const name = formatAttributes({ name: title });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${name}>`,
    ...suiteTexts,
    ...uncheckedSuite(unchecked),
    '</testsuites>',
    '',
  ].join('\n');
}

/** Returns a suite with an error for each part that was not checked; none if everything was. */
function uncheckedSuite(unchecked: readonly string[]): readonly string[] {
  if (unchecked.length === 0) return [];
  return [
    `  <testsuite${formatAttributes({ name: 'not checked', tests: unchecked.length, failures: 0, errors: unchecked.length })}>`,
    ...unchecked.flatMap((name) => [
      `    <testcase${formatAttributes({ classname: 'not checked', name })}>`,
      `      <error${formatAttributes({ type: 'incomplete', message: 'not checked, or only in part' })}/>`,
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
function createCases(
  operationId: string,
  checks: readonly string[],
  rows: Report['rows'],
  failures: Report['failures'],
): readonly Case[] {
  const own = failures.filter((failure) => failure.operationId === operationId);
  const seen = rows
    .filter((row) => row.operationId === operationId)
    .flatMap(({ status, counts }) => checks.filter((check) => counts[check]).map((check) => ({ status, check })));
  const others = own.filter(({ status, check }) => !seen.some((one) => one.status === status && one.check === check));
  return [...seen, ...others].map(({ status, check }) => ({
    operationId,
    name: `${status} ${check}`,
    failures: own.filter((failure) => failure.status === status && failure.check === check),
  }));
}

function caseText({ operationId, name, failures }: Case): string {
  const open = `    <testcase${formatAttributes({ classname: operationId, name })}`;
  if (failures.length === 0) return `${open}/>`;
  return [`${open}>`, ...failures.map(failureText), '    </testcase>'].join('\n');
}

function failureText({ rule, message, place, steps }: Failure): string {
  const lines = [message, place, ...steps.flatMap(({ request, response }) => [`$ ${request}`, response])];
  return `      <failure${formatAttributes({ type: rule, message })}>${escapeText(lines.join('\n'))}</failure>`;
}

function formatAttributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeText(String(value))}"`)
    .join('');
}

/** Escapes a text for XML 1.0, and replaces the characters that XML does not allow. */
function escapeText(text: string): string {
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
