// Tests the API reference and the console with hostile text in a document. A mocked operation sends a script at /evil.js.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { watchPage, withServer } from './page-checks.js';

/** A script that reports that it ran, with the token of the control API. */
const SCRIPT = "(window.top.hack ?? window.hack ?? parent.hack)(sessionStorage.getItem('storefront-control-token'))";

/** HTML that would run the script, send data, or change the page. Each has a paragraph that must stay visible. */
const ATTACKS = [
  `<iframe srcdoc="<script src='/evil.js'></script>"></iframe>`,
  `<script src="/evil.js"></script><script>${SCRIPT}</script>`,
  `<img src="/nothing.png" onerror="${SCRIPT}">`,
  `<svg onload="${SCRIPT}"><script href="/evil.js"></script><animate onbegin="${SCRIPT}"></animate></svg>`,
  `<svg><foreignObject><iframe srcdoc="<script src=/evil.js></script>"></iframe></foreignObject></svg>`,
  `<math><mtext><table><mglyph><style><img src=x onerror="${SCRIPT}"></style></mglyph></table></mtext></math>`,
  `<a href="javascript:${SCRIPT}" class="attack">link</a> [link](javascript:hack()) <a href="data:text/html,x">data</a>`,
  '<style>* { display: none !important }</style><link rel="stylesheet" href="/evil.css">',
  '<base href="/evil/"><meta http-equiv="refresh" content="0; url=/evil.js">',
  '<form action="/evil.js"><button class="attack">Send</button><input name="a" autofocus onfocus="hack()"></form>',
  '<object data="/evil.js"></object><embed src="/evil.js"><frameset onload="hack()"></frameset>',
  '<div style="position: fixed; inset: 0; z-index: 9; background: red">cover</div>',
  `<details open ontoggle="${SCRIPT}"><summary>more</summary></details><video autoplay onplay="hack()"></video>`,
  `<template><script>${SCRIPT}</script></template><noscript><p title="</noscript><img src=x onerror=hack()>"></noscript>`,
].map((html, index) => `${html}\n\n**text ${index}**`);

const ATTACK = ATTACKS.join('\n\n');

/** Elements that no description may add. */
const FORBIDDEN =
  'iframe, script, style.own, base, meta, link, form.attack, object, embed, frameset, [onerror], [onload], [ontoggle], [srcdoc], a[href^="javascript:"], a[href^="data:"]';

/** Returns a document with the attacks in each field that a page can show. */
function createDocument() {
  const schema = {
    type: 'object',
    title: ATTACK,
    description: ATTACK,
    properties: {
      name: {
        type: 'string',
        title: 'n',
        description: ATTACK,
        enum: ['a', '<img src=x onerror=hack()>'],
        example: '<img src=x onerror=hack()>',
        pattern: '<img src=x onerror=hack()>|.*',
      },
    },
  };
  const headers = { 'X-One': { description: ATTACK, schema: { type: 'string' } } };
  const content = {
    'application/json': { schema, examples: { one: { summary: ATTACK, description: ATTACK, value: { name: 'a' } } } },
  };
  const operation = (operationId) => ({
    operationId,
    tags: ['things'],
    summary: `Summary <img src=x onerror=hack()> of ${operationId}`,
    description: ATTACK,
    externalDocs: { url: 'javascript:hack()', description: ATTACK },
    parameters: [
      {
        name: 'q',
        in: 'query',
        description: ATTACK,
        schema: { type: 'string', description: ATTACK },
        examples: { one: { summary: ATTACK, description: ATTACK, value: 'a' } },
      },
    ],
    responses: { 200: { description: ATTACK, headers, content } },
  });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hostile <img src=x onerror=hack()>',
      version: '1',
      description: `${ATTACK}\n\n[docs](https://docs.example/) and \`code\``,
      contact: { name: 'c', url: 'javascript:hack()' },
      license: { name: '<img src=x onerror=hack()>', url: 'javascript:hack()' },
      termsOfService: 'javascript:hack()',
    },
    externalDocs: { url: 'javascript:hack()', description: ATTACK },
    tags: [{ name: 'things', description: ATTACK, externalDocs: { url: 'javascript:hack()', description: ATTACK } }],
    servers: [{ url: '/', description: ATTACK }],
    security: [{ key: [] }, {}],
    paths: {
      '/things': {
        get: operation('listThings'),
        post: { ...operation('addThing'), requestBody: { description: ATTACK, content } },
      },
      '/evil.js': {
        get: {
          operationId: 'evil',
          responses: { 200: { description: 'd', content: { 'text/javascript': { example: SCRIPT } } } },
        },
      },
      '/evil.css': {
        get: {
          operationId: 'evilStyle',
          responses: { 200: { description: 'd', content: { 'text/css': { example: '* { display: none }' } } } },
        },
      },
    },
    components: {
      securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key', description: ATTACK } },
      schemas: { Thing: schema },
    },
  };
}

/** Starts a server with the document, and calls `use` with the server and what the page must not do. */
async function withDocument(page, use) {
  const folder = mkdtempSync(join(tmpdir(), 'storefront-document-'));
  const contract = join(folder, 'openapi.json');
  writeFileSync(contract, JSON.stringify(createDocument()));
  try {
    await withServer({ contract, controlToken: 's3cret' }, async (server) => {
      const reply = await page.request.get(`${server.url}/evil.js`);
      expect([reply.status(), await reply.text()]).toEqual([200, SCRIPT]);
      const incidents = await watchPage(page, server);
      await page.addInitScript(() => {
        // The frames of the console have no storage.
        try {
          sessionStorage.setItem('storefront-control-token', 's3cret');
        } catch {}
      });
      await use(server, incidents);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns what the page did, without what its policy stopped: the parser of HTML reports each `<base>`. */
function listRuns(incidents) {
  return incidents.filter((text) => !/^policy: (base-uri|script-src)/.test(text));
}

/** Returns the forbidden elements in the shadow roots of the page that a description has added. */
function findForbidden(page) {
  return page.evaluate((selector) => {
    const found = [];
    const visit = (root) => {
      for (const element of root.querySelectorAll('*')) {
        if (element.matches(selector) && root !== document) found.push(element.outerHTML.slice(0, 200));
        if (element.shadowRoot) visit(element.shadowRoot);
      }
    };
    visit(document);
    return found;
  }, FORBIDDEN);
}

for (const style of ['wide', 'narrow'])
  test(`the API reference shows the text of a document, and runs nothing of it (${style})`, async ({ page }) => {
    if (style === 'narrow') await page.setViewportSize({ width: 600, height: 900 });
    await withDocument(page, async (server, incidents) => {
      for (const hash of ['', '#overview', '#tag--things', '#auth', '#get-/things', '#post-/things']) {
        await page.goto('about:blank');
        await page.goto(`${server.url}/_docs${hash}`);
        // The page of a tag has no description in the wide layout.
        const text = hash === '#tag--things' ? 'things' : 'text 13';
        await expect(page.getByText(text).filter({ visible: true }).first()).toBeVisible();
        expect(await findForbidden(page), hash).toEqual([]);
      }
      for (const link of await page.locator('a.attack').all()) expect(await link.getAttribute('href')).toBeNull();
      await page.getByRole('button', { name: /^try/i }).first().click();
      await expect(
        page
          .getByText(/Response Status/i)
          .filter({ visible: true })
          .first(),
      ).toBeVisible();
      expect(listRuns(incidents)).toEqual([]);
    });
  });

test('the API reference keeps the links and the formatting of descriptions', async ({ page }) => {
  await withDocument(page, async (server) => {
    await page.goto(`${server.url}/_docs#overview`);
    await expect(page.getByRole('link', { name: 'docs', exact: true })).toHaveAttribute(
      'href',
      'https://docs.example/',
    );
    await expect(page.getByText('text 1', { exact: true }).first()).toHaveJSProperty('localName', 'strong');
  });
});

test('the policy of the API reference alone stops a script of a frame', async ({ page }) => {
  await withDocument(page, async (server, incidents) => {
    await page.goto(`${server.url}/_docs`);
    await expect(page.getByText('text 13').filter({ visible: true }).first()).toBeVisible();
    await page.evaluate(() => {
      for (const html of ["<script src='/evil.js'></script>", '<script>top.hack()</script>']) {
        const frame = document.createElement('iframe');
        frame.srcdoc = html;
        document.body.append(frame);
        const script = document.createElement('script');
        script.src = '/evil.js';
        document.body.append(script);
      }
    });
    await expect
      .poll(() => incidents.filter((text) => text.startsWith('policy: script-src')).length)
      .toBeGreaterThanOrEqual(2);
    expect(listRuns(incidents)).toEqual([]);
  });
});

test('the console shows the text of a document, and runs nothing of it', async ({ page }) => {
  await withDocument(page, async (server, incidents) => {
    await page.request.get(`${server.url}/things?q=%3Cimg%20src%3Dx%20onerror%3Dhack()%3E`);
    for (const view of ['#/requests', '#/state', '#/control']) {
      await page.goto('about:blank');
      await page.goto(`${server.url}/_console/${view}`);
      await expect(page.getByRole('main').getByRole('heading').filter({ visible: true }).first()).toBeVisible();
      expect(await page.locator('img[onerror], iframe[srcdoc], main script').count()).toBe(0);
    }
    expect(incidents).toEqual([]);
  });
});
