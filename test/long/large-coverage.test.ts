import { describe, expect, it } from 'vitest';
import { getCoverage, getPoint, getTotal } from '../support/harness/coverage.ts';
import { startApi } from '../support/harness/start-api.ts';

describe('the coverage', () => {
  it('limits the number of points of a large contract', async () => {
    const fields = Array.from({ length: 30 }, (_, index) => [`field${index}`, { type: 'string', enum: ['a', 'b'] }]);
    const request = { type: 'object', properties: Object.fromEntries(fields) };
    const paths = Array.from({ length: 1_000 }, (_, index) => [
      `/things${index}`,
      { post: { operationId: `addThing${index}`, request } },
    ]);
    const api = await startApi({ paths: Object.fromEntries(paths) });
    await api.ask('POST', '/things7', { field0: 'a' });
    const report = await getCoverage(api);
    expect(getTotal(report, 'operation')).toMatchObject({ total: 1_000, touched: 1 });
    const values = getTotal(report, 'property').total + getTotal(report, 'value').total;
    expect(values).toBe(50_000);
    expect(getPoint(report, 'addThing7', 'value', 'body /field0 = "a"').count).toBe(1);
  });
});
