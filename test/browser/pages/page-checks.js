// What the tests of the console and of the API reference check on every page.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from '@playwright/test';
import { createStorefront } from 'storefront';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Starts a server with its data in memory, and stops it after the callback. */
export async function withServer(options, use) {
  const server = await createStorefront(options);
  try {
    return await use(server);
  } finally {
    await server.close();
  }
}

/**
 * Records what a page must not do: requests to another origin, violations of the content security policy, uncaught errors, dialogs, and scripts of the data. Such a
 * script calls `hack()`.
 */
export async function watchPage(page, { url }) {
  const incidents = [];
  const { port } = new URL(url);
  page.on('request', (request) => {
    const target = new URL(request.url());
    if (target.protocol !== 'data:' && target.port !== port) incidents.push(`request to ${request.url()}`);
  });
  page.on('pageerror', (error) => incidents.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    incidents.push(`dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  await page.exposeFunction('hack', () => incidents.push('a script of the data was run'));
  await page.exposeFunction('reportViolation', (text) => incidents.push(`policy: ${text}`));
  await page.addInitScript(() =>
    document.addEventListener('securitypolicyviolation', (event) =>
      window.reportViolation(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`),
    ),
  );
  return incidents;
}

/** Expects that axe-core finds nothing on a page. */
export async function expectAccessible(page, about) {
  await page.evaluate(axe);
  const violations = await page.evaluate(async () => {
    const result = await window.axe.run();
    return result.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
    );
  });
  expect(violations, about).toEqual([]);
}
