// Support for the tests of the console: a sandbox for each test, its console, and requests to the sandbox.
import { randomUUID } from 'node:crypto';
import { test as base, expect } from '@playwright/test';

export { expect };

/** The server of the tests (browser.config.js). */
export const SERVER = 'http://localhost:3300';

/** The ids of entries of the default data. */
export const KETTLE = 'fafe42e1-2f3e-46e3-a2c5-d94a792572e6';

/** The fixtures of the tests: `sandbox` (its id, `send` for requests to the application, and `control` for the control API) and `open`, which opens a view. */
export const test = base.extend({
  sandbox: async ({ request }, use) => {
    const id = `console-${randomUUID().slice(0, 8)}`;
    const control = async (method, path = '', data = undefined) => {
      const headers = { 'Content-Type': 'application/json' };
      const response = await request.fetch(`${SERVER}/_control/sandboxes/${id}${path}`, { method, headers, data });
      expect(response.ok(), await response.text()).toBe(true);
      return response.status() === 204 ? undefined : response.json();
    };
    const send = (method, path, options = {}) =>
      request.fetch(SERVER + path, { method, ...options, headers: { 'X-Sandbox': id, ...options.headers } });
    await control('PUT');
    await use({ id, control, send });
    await request.delete(`${SERVER}/_control/sandboxes/${id}`);
  },
  open: async ({ page, sandbox }, use) => {
    const errors = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(error.message));
    await use((view = 'requests', values = {}) =>
      page.goto(`${SERVER}/_console/#/${view}?${new URLSearchParams({ sandbox: sandbox.id, ...values })}`),
    );
    // The browser reports each response with an error status as an error.
    expect(errors.filter((text) => !text.startsWith('Failed to load resource'))).toEqual([]);
  },
});

/** Returns the rows of the list of requests. */
export function rows(page) {
  return page
    .getByRole('grid')
    .getByRole('row')
    .filter({ has: page.getByRole('gridcell') });
}

/** Returns the card of the control view with a title. */
export function card(page, title) {
  return page.getByRole('region', { name: title, exact: true });
}
