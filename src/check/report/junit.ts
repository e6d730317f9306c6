import type { Failure, Report } from './report.ts';
import { formatRule } from './text.ts';

/** Formats a report as JUnit XML. Each operation is a test suite; each check of each response is a test case. */
export function toJunit(report: Report): string {
  const operationIds = new Set([...report.rows, ...report.failures].map(({ operationId }) => operationId));
  const suites = [...operationIds].flatMap((operationId) => {
    const cases = createCases(operationId, report);
    const failed = cases.filter(({ failures }) => failures.length > 0).length;
    const elements = cases.map(({ name, failures }) => formatCase(operationId, name, failures.map(formatFailure)));
    const known = getAccepted(report).filter((failure) => failure.operationId === operationId);
    const skipped = known.map(({ status, check, title, reason }) =>
      formatCase(operationId, `${status} ${check}: ${title}`, [`<skipped${formatAttributes({ message: reason })}/>`]),
    );
    const counts = { tests: cases.length + known.length, failures: failed };
    const attributes = { name: operationId, ...counts, ...(known.length > 0 ? { skipped: known.length } : {}) };
    return createSuite(attributes, [...elements, ...skipped]);
  });
  const content = [...suites, ...createUnreachedSuite(report.unreached), ...createUncheckedSuite(report.unchecked)];
  const root = [`<testsuites${formatAttributes({ name: report.title })}>`, ...content, '</testsuites>'];
  return ['<?xml version="1.0" encoding="UTF-8"?>', ...root, ''].join('\n');
}

/** Returns the failures that do not make the check fail, and why. */
function getAccepted({ baseline, expected = [] }: Report): NonNullable<Report['expected']> {
  const known = (baseline?.known ?? []).map((failure) => ({ ...failure, reason: 'known failure' }));
  const because = expected.map((failure) => ({ ...failure, reason: `expected failure: ${failure.reason}` }));
  return [...because, ...known];
}

const NOT_REACHED = 'only the error responses of the operation were tested';

/**
 * Returns the XML lines of a test suite with a skipped test for each operation that was not reached.
 * Returns no lines if all operations were reached.
 */
function createUnreachedSuite(unreached: readonly string[]): readonly string[] {
  if (unreached.length === 0) return [];
  const skipped = `<skipped${formatAttributes({ message: NOT_REACHED })}/>`;
  const cases = unreached.map((name) => formatCase('not reached', name, [skipped]));
  return createSuite({ name: 'not reached', tests: cases.length, failures: 0, skipped: cases.length }, cases);
}

/**
 * Returns the XML lines of a test suite with an error for each part that was not checked.
 * Returns no lines if the check is complete.
 */
function createUncheckedSuite(unchecked: readonly string[]): readonly string[] {
  if (unchecked.length === 0) return [];
  const error = `<error${formatAttributes({ type: 'incomplete', message: 'not checked completely' })}/>`;
  const cases = unchecked.map((name) => formatCase('not checked', name, [error]));
  const counts = { tests: unchecked.length, failures: 0, errors: unchecked.length };
  return createSuite({ name: 'not checked', ...counts }, cases);
}

/** Returns a test case for each check of a received response, and for each failure without a response. */
function createCases(operationId: string, { checks, rows, failures }: Report) {
  const own = failures.filter((failure) => failure.operationId === operationId);
  const seen = rows
    .filter((row) => row.operationId === operationId)
    .flatMap(({ status, counts }) => checks.filter((check) => counts[check]).map((check) => ({ status, check })));
  const others = own.filter(({ status, check }) => !seen.some((one) => one.status === status && one.check === check));
  return [...seen, ...others].map(({ status, check }) => ({
    name: `${status} ${check}`,
    failures: own.filter((failure) => failure.status === status && failure.check === check),
  }));
}

function formatFailure({ title, rule, message, place, steps }: Failure): string {
  const more = rule ? [`rule: ${formatRule(rule)}`] : [];
  const remedy = rule?.remedy ? [`if the server is right: ${rule.remedy}`] : [];
  const lines = [
    message,
    ...more,
    place,
    ...remedy,
    ...steps.flatMap(({ request, response }) => [`$ ${request}`, response]),
  ];
  return `<failure${formatAttributes({ type: title, message })}>${escapeText(lines.join('\n'))}</failure>`;
}

type Attributes = Readonly<Record<string, string | number>>;

function createSuite(attributes: Attributes, cases: readonly string[]): readonly string[] {
  return [`  <testsuite${formatAttributes(attributes)}>`, ...cases, '  </testsuite>'];
}

function formatCase(classname: string, name: string, content: readonly string[]): string {
  const start = `    <testcase${formatAttributes({ classname, name })}`;
  if (content.length === 0) return `${start}/>`;
  return [`${start}>`, ...content.map((element) => `      ${element}`), '    </testcase>'].join('\n');
}

function formatAttributes(values: Attributes): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeText(String(value))}"`)
    .join('');
}

/** Escapes a text for XML 1.0. Replaces characters that XML does not allow. */
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
