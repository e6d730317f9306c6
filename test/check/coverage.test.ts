import { expect, it } from 'vitest';
import { toJson } from '../../src/check/command.ts';
import { toMarkdown } from '../../src/check/report/markdown.ts';
import { createReport, type Report } from '../../src/check/report/report.ts';
import { toText } from '../../src/check/report/text.ts';
import { loadContract } from '../../src/openapi/contract.ts';
import { createObject, createResourcePaths, refer } from '../support/fixtures/api-document.ts';
import { runCheck } from '../support/harness/check.ts';
import { writeApi } from '../support/harness/start-api.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';

const Ant = createObject({
  'id!': { type: 'string', readOnly: true },
  'name!': { type: 'string' },
  legs: { type: 'integer' },
});

async function checkAnts(): Promise<Report> {
  const health = { '/health': { get: { response: createObject({}) } } };
  const path = await writeApi({
    paths: { ...createResourcePaths('/ants/{id}', refer('Ant')), ...health },
    schemas: { Ant },
  });
  const { url } = await startStorefront({ contract: path });
  const contract = await loadContract({ path, strict: false });
  return createReport(await runCheck(url, { contract, model: undefined, isFresh: false }), contract, String);
}

const CHECKED = [
  ['postAnts', 'created-readable'],
  ['postAnts', 'stored-value'],
  ['getAnts', 'created-listed'],
  ['getAnts', 'deleted-listed'],
  ['putAntsById', 'put-replaces'],
  ['deleteAntsById', 'deleted-readable'],
  ['getHealth', 'response-schema'],
  ['getHealth', 'method'],
] as const;

const NOT_CHECKED = [
  ['postAnts', 'unique-concurrent', 'no documented 409'],
  ['getAnts', 'page-size', 'no parameter sets a page size'],
  ['getAnts', 'filter-selects', 'no parameter has the name of a property'],
  ['putAntsById', 'if-match', 'no documented 412'],
  ['getHealth', 'invalid-refused', 'no parameters and no body'],
  ['getHealth', 'credentials-required', 'no security requirement'],
] as const;

it('A report says what was covered by operation and by rule, and why rules were not checked', async () => {
  const report = await checkAnts();
  const { operations, rules } = report.coverage;
  const getOperation = (id: string) => operations.find(({ operationId }) => operationId === id);
  const getRule = (id: string, name: string) => getOperation(id)?.rules.find(({ rule }) => rule === name);
  for (const [id, rule] of CHECKED) {
    expect.soft(getRule(id, rule)?.reason, `${id} ${rule}`).toBeUndefined();
    expect.soft(getRule(id, rule)?.count, `${id} ${rule}`).toBeGreaterThan(0);
  }
  for (const [id, rule, reason] of NOT_CHECKED) expect.soft(getRule(id, rule)).toEqual({ rule, count: 0, reason });
  expect(getRule('getHealth', 'put-replaces')).toBeUndefined();
  const { reason } = rules.find(({ rule }) => rule === 'action-refused') ?? {};
  expect(reason).toBe('no action of a created resource, such as POST /things/{id}/close');

  const { requests = 0, accepted = 0, sequences = 0 } = getOperation('postAnts') ?? {};
  expect(sequences).toBeGreaterThan(1);
  expect(accepted).toBeGreaterThan(sequences);
  expect(requests).toBeGreaterThan(accepted);

  const text = toText(report);
  expect(text).toMatch(/^Covered: 7 operations, \d+ created resources, \d+ sequences, \d+ of 63 rules$/m);
  expect(text).toMatch(/^Rules that were not checked: .*action-refused \(no action of a created resource/m);
  expect(toMarkdown(report)).toMatch(/^\| putAntsById \| \d+ \| \d+ \| 0 \| .*put-replaces \d+.* \| .*if-match: no/m);
  expect(JSON.parse(toJson(report)).coverage).toEqual(JSON.parse(JSON.stringify(report.coverage)));
});
