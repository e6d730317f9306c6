import { getCounting, hasStaleEntries, parsePlace, type Report } from './report.ts';
import { escapeReport, formatHeading, groupFailures } from './text.ts';

/** GitHub shows at most ten annotations of each level for a step. */
const MAX_ANNOTATIONS = 10;

/**
 * Formats the failures of a report as workflow commands of GitHub Actions, one in each line.
 * GitHub shows them at the lines of the contract.
 * Contains the first failure of each cause, the fixed failures that make the check fail, and what was not checked.
 * `workspace`: the folder of the repository, to which the paths are relative.
 */
export function toAnnotations(unsafeReport: Report, workspace: string): string {
  const report = escapeReport(unsafeReport);
  const counting = new Set(getCounting(report));
  const lines = groupFailures(report.failures)
    .flatMap(([failure]) => failure ?? [])
    .toSorted((one, other) => Number(counting.has(other)) - Number(counting.has(one)))
    .slice(0, MAX_ANNOTATIONS)
    .map((failure) => {
      const place = parsePlace(failure.place, workspace);
      // GitHub shows only lines of files in the repository.
      const position =
        !place || place.isRemote ? {} : { file: place.file, line: String(place.line), col: String(place.column) };
      const level = counting.has(failure) ? 'error' : 'warning';
      return formatCommand(level, { ...position, title: formatHeading(failure) }, failure.message);
    });
  const fixed = hasStaleEntries(report) ? (report.baseline?.fixed ?? []) : [];
  // Other failures are more important than an incomplete check.
  const level = counting.size > 0 ? 'warning' : 'error';
  const others = [
    ...fixed.map((text) => formatCommand('error', { title: 'Fixed, but in the baseline' }, `${text}. ${REMOVE_FIXED}`)),
    ...report.unchecked.map((text) => formatCommand(level, { title: 'Not checked completely' }, text)),
  ];
  return [...lines, ...others.slice(0, MAX_ANNOTATIONS)].map((line) => `${line}\n`).join('');
}

/** Formats the error of a check that could not run as a workflow command of GitHub Actions. */
export function toErrorAnnotation(message: string): string {
  return `${formatCommand('error', { title: 'The contract check could not run' }, message)}\n`;
}

const REMOVE_FIXED = 'Remove it with --update-baseline';

function formatCommand(level: string, properties: Readonly<Record<string, string>>, message: string): string {
  const list = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(value)}`);
  return `::${level} ${list.join(',')}::${escapeData(message)}`;
}

/** Escapes a message as the toolkit of GitHub Actions does (`@actions/core`, command.ts). */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
