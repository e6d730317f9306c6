import { describe, expect, it } from 'vitest';
import type { ApiDefect } from '../support/planted-defects/apis/api.ts';
import { API_DEFECTS, API_HABITS, checkVariant } from '../support/planted-defects/apis/find-api-defects.ts';
import { tasksApi } from '../support/planted-defects/apis/tasks.ts';
import { ticketsApi } from '../support/planted-defects/apis/tickets.ts';

const APIS = { tickets: ticketsApi, tasks: tasksApi };

describe.each(Object.entries(APIS))('The check of the API of %s', (_, api) => {
  const defects = Object.entries(API_DEFECTS) as [ApiDefect, string][];
  it.each(defects)('finds that %s, as a violation of %s', async (defect, rule) => {
    const seed = 1 + (Object.keys(API_DEFECTS).indexOf(defect) % 3);
    const { causes } = await checkVariant(api, defect, seed);
    expect(causes.map(([first]) => first)).toContain(rule);
  });

  it.each([undefined, ...API_HABITS])('has no findings if the server %s', async (habit) => {
    const { verdict } = await checkVariant(api, habit, 1);
    expect(verdict.findings.map(({ operationId, message }) => `${operationId}: ${message}`)).toEqual([]);
  });
});
