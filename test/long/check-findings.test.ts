import { expect, it } from 'vitest';
import { createPlantedApi } from '../support/planted-defects/apis/api-variants.ts';
import { checkVariant } from '../support/planted-defects/apis/planted-api.ts';
import { ticketsApi } from '../support/planted-defects/apis/tickets.ts';

const tickets = createPlantedApi('tickets', ticketsApi);

it('reports one cause, with few requests, if PUT keeps what was left out', async () => {
  const { causes, verdict } = await checkVariant(tickets, 'PUT keeps what was left out', { seed: 1, runs: 1 });
  expect(causes).toEqual([['put-replaces']]);
  const [finding] = verdict.findings;
  expect(finding?.exchanges.map(({ request }) => request.method)).toEqual([
    ...['POST', 'GET', 'PUT', 'GET', 'PUT', 'GET', 'PUT', 'GET', 'PUT', 'GET'],
  ]);
});

it('reports one cause with the creation, the deletion and the list if deleted resources stay in the list', async () => {
  const { causes, verdict } = await checkVariant(tickets, 'deleted resources stay in the list', {
    seed: 1,
    runs: 1,
  });
  expect(causes).toEqual([['deleted-listed']]);
  const [finding] = verdict.findings;
  expect(finding?.exchanges.map(({ request }) => request.method)).toEqual(['POST', 'GET', 'DELETE', 'GET']);
});
