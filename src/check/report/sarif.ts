import { pathToFileURL } from 'node:url';
import { getRule, RULES, type RuleName } from '../rules.ts';
import { type Failure, getSignature, parsePlace, type Report } from './report.ts';
import { escapeReport, formatHeading } from './text.ts';

/**
 * Formats a report as SARIF 2.1.0 (OASIS), with one result for each failure at its place in the contract.
 * Known failures of a baseline, and expected failures, are suppressed results.
 * `workspace`: the folder of the repository, to which the paths are relative.
 */
export function toSarif(unsafeReport: Report, workspace = '.'): string {
  const report = escapeReport(unsafeReport);
  const { failures, baseline, expected = [] } = report;
  const newState = baseline ? { baselineState: 'new' } : {};
  const suppressions = [{ kind: 'external', justification: 'a known failure in the baseline' }];
  const results = [
    ...failures.map((failure) => ({ ...createResult(failure, workspace), ...newState })),
    ...expected.map((failure) => ({
      ...createResult(failure, workspace),
      ...newState,
      suppressions: [{ kind: 'external', justification: failure.reason }],
    })),
    ...(baseline?.known ?? []).map((failure) => ({
      ...createResult(failure, workspace),
      baselineState: 'unchanged',
      suppressions,
    })),
  ];
  const used = Object.keys(RULES).filter((name) => results.some(({ ruleId }) => ruleId === name)) as RuleName[];
  const driver = { name: 'storefront', rules: used.map(createRule) };
  const notifications = report.unchecked.map((text) => ({
    level: 'warning',
    message: { text: `Not checked: ${text}` },
  }));
  const invocation = {
    executionSuccessful: report.unchecked.length === 0,
    ...(notifications.length > 0 ? { toolExecutionNotifications: notifications } : {}),
  };
  const run = { tool: { driver }, invocations: [invocation], columnKind: 'utf16CodeUnits', results };
  const log = { $schema: 'https://json.schemastore.org/sarif-2.1.0.json', version: '2.1.0', runs: [run] };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function createRule(name: RuleName) {
  const { title, meaning = title, confidence, remedy } = getRule(name);
  return {
    id: name,
    shortDescription: { text: meaning },
    ...(remedy === undefined ? {} : { help: { text: `If the server is right: ${remedy}` } }),
    defaultConfiguration: { level: toLevel(confidence) },
  };
}

function toLevel(confidence: string | undefined): 'warning' | 'error' {
  return confidence === 'likely' ? 'warning' : 'error';
}

function createResult(failure: Failure, workspace: string) {
  const { rule, message, place, steps, operationId, check } = failure;
  const requests = steps.map(({ request, response }) => `${request}\n${response}`).join('\n');
  return {
    ruleId: rule?.name ?? check,
    level: toLevel(rule?.confidence),
    message: { text: `${formatHeading(failure)}\n${message}\n${requests}`.trimEnd() },
    locations: createLocations(place, operationId, workspace),
    partialFingerprints: { 'storefront/v1': [operationId, check, rule?.name ?? '', getSignature(failure)].join(' ') },
  };
}

/** Returns the location of a place in the contract; an empty list for another text. */
function createLocations(place: string, operationId: string, workspace: string) {
  const parsed = parsePlace(place, workspace);
  if (!parsed) return [];
  const { file, isRemote, line, column } = parsed;
  const uri = isRemote ? file : file.startsWith('/') ? pathToFileURL(file).href : encodeURI(file);
  const physicalLocation = { artifactLocation: { uri }, region: { startLine: line, startColumn: column } };
  return [{ physicalLocation, logicalLocations: [{ name: operationId, kind: 'function' }] }];
}
