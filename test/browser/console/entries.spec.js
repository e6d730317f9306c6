// Tests the forms and tables of the entries of another contract: a planner with projects and tasks.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { findPort, startServer } from './server.js';

const TEXT = { type: 'string' };
const PROJECT = { type: 'object', properties: { id: { ...TEXT, format: 'uuid', readOnly: true }, name: TEXT } };
const NEW_TASK = {
  type: 'object',
  required: ['title'],
  properties: {
    title: TEXT,
    priority: { ...TEXT, enum: ['low', 'high'], default: 'low' },
    due: { ...TEXT, format: 'date' },
    remindAt: { ...TEXT, format: 'date-time' },
    startsAt: { ...TEXT, format: 'time' },
    blockedById: { type: 'integer' },
    projectIds: { type: 'array', items: { ...TEXT, format: 'uuid' } },
  },
};
const TASK = {
  ...NEW_TASK,
  properties: {
    id: { type: 'integer', readOnly: true },
    projectId: { ...TEXT, format: 'uuid', readOnly: true },
    ...NEW_TASK.properties,
    createdAt: { ...TEXT, format: 'date-time', readOnly: true },
  },
};

/** Returns the operations that list and create entries, and the one that reads an entry. */
function createPaths(path, name, item, created) {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, one]) => ({
    name: one,
    in: 'path',
    required: true,
    schema: TEXT,
  }));
  const reply = (schema) => ({ description: 'd', content: { 'application/json': { schema } } });
  const body = { required: true, content: { 'application/json': { schema: created } } };
  const id = { name: `${name}Id`, in: 'path', required: true, schema: item.properties.id };
  return {
    [path]: {
      parameters,
      get: { operationId: `list-${name}`, responses: { 200: reply({ type: 'array', items: item }) } },
      post: { operationId: `create-${name}`, requestBody: body, responses: { 201: reply(item) } },
    },
    [`${path}/{${name}Id}`]: {
      parameters: [...parameters, id],
      get: { operationId: `get-${name}`, responses: { 200: reply(item) } },
    },
  };
}

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Planner', version: '1' },
  paths: {
    ...createPaths('/projects', 'project', PROJECT, PROJECT),
    ...createPaths('/projects/{projectId}/tasks', 'task', TASK, NEW_TASK),
  },
};

let server;
let project;

/** Sends a request with a JSON body to the server. */
async function post(path, body) {
  const headers = { 'Content-Type': 'application/json' };
  return (await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}

test.beforeEach(async () => {
  const contract = join(mkdtempSync(join(tmpdir(), 'storefront-console-')), 'openapi.json');
  writeFileSync(contract, JSON.stringify(DOCUMENT));
  server = await startServer(await findPort(), '--contract', contract);
  project = await post('/projects', { name: 'Garden' });
  await post('/projects', { name: 'House' });
});
test.afterEach(() => server.stop());

/** Returns the texts of a column of the table of entries. */
function cells(page, index) {
  return page.locator(`tbody td:nth-child(${index})`);
}

test('the form for a new entry asks for what a client may send, with parents by name and times', async ({ page }) => {
  await page.goto(`${server.url}/_console/#/state?collection=tasks`);
  await page.getByRole('button', { name: 'Add entry' }).click();
  const form = page.getByRole('dialog');
  await expect(form.locator('label[for]')).toHaveText([
    /^projectId/,
    /^title/,
    /^priority/,
    /^due/,
    /^remindAt/,
    /^startsAt/,
    /^blockedById/,
    /^projectIds/,
  ]);
  await expect(form.getByLabel('priority')).toHaveValue('low');
  await form.getByLabel(/^projectId\b/).selectOption({ label: `Garden (${project.id.slice(0, 8)}…)` });
  await form.getByLabel('title').fill('Water the plants');
  await form.getByLabel('due').fill('2026-05-01');
  await form.getByLabel('remindAt').fill('2026-05-01T12:00:00');
  await form.getByLabel('startsAt').fill('09:30');
  await form.getByLabel('projectIds').selectOption([project.id]);
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(form).toHaveCount(0);
  await expect(page.locator('tbody')).toContainText('Water the plants');
  const [task] = await (await fetch(`${server.url}/projects/${project.id}/tasks`)).json();
  expect(task).toMatchObject({
    id: 1,
    projectId: project.id,
    title: 'Water the plants',
    priority: 'low',
    due: '2026-05-01',
    startsAt: '09:30:00',
    projectIds: [project.id],
    createdAt: expect.stringMatching(/Z$/),
  });
  expect(Date.parse(task.remindAt)).toBe(new Date('2026-05-01T12:00:00').getTime());
});

test('an invalid value of a new entry is refused at its field', async ({ page }) => {
  await page.goto(`${server.url}/_console/#/state?collection=tasks`);
  await page.getByRole('button', { name: 'Add entry' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('title').fill('Water the plants');
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(form.getByLabel(/^projectId\b/)).toHaveAttribute('aria-invalid', 'true');
  await form.getByLabel(/^projectId\b/).selectOption(project.id);
  await form.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(form).toHaveCount(0);
});

test('the table has short ids last, links them to their entries, and sorts by a column', async ({ page }) => {
  for (const title of ['Mow', 'Dig', 'Water']) await post(`/projects/${project.id}/tasks`, { title });
  await page.goto(`${server.url}/_console/#/state?collection=tasks`);
  await expect(page.getByRole('columnheader').filter({ hasText: /Id|id/ })).toHaveText([
    'projectId',
    'projectIds',
    'blockedById',
    'id',
  ]);
  await expect(cells(page, 1)).toHaveText(['Mow', 'Dig', 'Water']);
  await page.getByRole('button', { name: 'title' }).click();
  await expect(cells(page, 1)).toHaveText(['Dig', 'Mow', 'Water']);
  await page.getByRole('button', { name: 'title' }).click();
  await expect(cells(page, 1)).toHaveText(['Water', 'Mow', 'Dig']);
  await expect(page.getByRole('columnheader', { name: 'title' })).toHaveAttribute('aria-sort', 'descending');
  await page
    .getByRole('link', { name: `${project.id.slice(0, 8)}…` })
    .first()
    .click();
  await expect(page.getByText('The entry with the id')).toContainText(project.id);
  await expect(cells(page, 1)).toHaveText(['Garden']);
  await page.getByRole('link', { name: 'Show all entries' }).click();
  await expect(cells(page, 1)).toHaveText(['Garden', 'House']);
});
