import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../src/cli/options.ts';
import { projectFile } from './support/fixtures/default-data.ts';
import { runSpec } from './support/harness/cypress.ts';
import { folderWith } from './support/harness/folder-with.ts';
import { listSandboxIds } from './support/harness/sandboxes.ts';
import { startStorefront } from './support/harness/start-storefront.ts';

const readme = readFileSync(projectFile('README.md'), 'utf8');

/** Returns the code blocks of a language in README.md. */
function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) => code);
}

/** Returns the commands in README.md, each with the response shown for it. */
function shown(): { command: string; reply: string }[] {
  return blocks('console')
    .flatMap((block) => block.split(/^\$ /m).slice(1))
    .map((part) => {
      const [command = '', ...reply] = part.split('\n');
      return { command, reply: reply.join('\n').trim() };
    });
}

describe('README.md', () => {
  it('has commands whose responses are as shown, one after the other', async () => {
    const { url } = await startStorefront({ newId: () => '9f1c6f0e-52c5-4c0e-9a57-0f5d5f3c7b11' });
    for (const { command, reply } of shown()) {
      const here = command.replace('http://localhost:3000', url).replace(/^curl /, 'curl --silent --show-error ');
      const { stdout } = await promisify(execFile)('sh', ['-c', here]);
      expect({ command, reply: stdout }).toEqual({ command, reply });
    }
    expect(shown().length).toBeGreaterThan(8);
  });

  it('has the configuration files of the browser tests', () => {
    for (const file of ['vite.config.js', 'playwright.config.js']) {
      expect(blocks('js')).toContain(readFileSync(projectFile(`test/browser/app/${file}`), 'utf8'));
    }
  });

  it('has the tests from the examples, all of which but the one for Cypress are run', () => {
    for (const [language, file] of [
      ['ts', 'vitest/order.test.ts'],
      ['js', 'jest/order.test.js'],
      ['ts', 'playwright/order.spec.ts'],
      ['js', 'cypress/order.cy.js'],
      ['ts', 'clients/cheap-products.ts'],
    ] as const) {
      expect(blocks(language)).toContain(readFileSync(projectFile(`test/examples/${file}`), 'utf8'));
    }
  });

  it('has a test for Cypress that passes with a stand-in for Cypress', async () => {
    const shop = await startStorefront();
    const spec = blocks('js').find((code) => code.includes('cy.visit')) ?? '';
    expect(await runSpec(spec, shop)).toEqual(['orders at the second attempt']);
    expect(await listSandboxIds(shop)).toEqual(['default']);
    const broken = spec.replace('status: 500', 'delay: 1');
    await expect(runSpec(broken, shop)).rejects.toThrow(/ordered/);
  });

  it('has a module with handlers that a shop can use', async () => {
    const contract = readFileSync(projectFile('openapi.yaml'), 'utf8').replace(
      '  /api/cart-items:\n',
      `  /api/reviews:
    get:
      operationId: listReviews
      responses:
        "200":
          description: The reviews
          content: { application/json: { schema: { type: array, items: { type: object, required: [productId, text] } } } }
  /api/cart-items:\n`,
    );
    const module = blocks('js').find((code) => code.startsWith('// handlers.mjs')) ?? '';
    const folder = await folderWith({ 'handlers.mjs': module, 'openapi.yaml': contract });
    const shop = await startStorefront({
      contract: join(folder, 'openapi.yaml'),
      handlers: join(folder, 'handlers.mjs'),
    });
    const { body, headers } = await shop.ask('GET', '/api/reviews');
    expect([body.length, body[0].text, headers.get('x-mocked')]).toEqual([
      3,
      expect.stringContaining('would buy again'),
      null,
    ]);
  });

  it('has setup lines that .ci/run executes', () => {
    const ci = readFileSync(projectFile('.ci/run'), 'utf8');
    for (const line of blocks('sh').flatMap((block) => block.trim().split('\n'))) expect(ci).toContain(line);
  });

  it('lists the options of createStorefront, and no others', () => {
    const source = readFileSync(projectFile('src/server/options.ts'), 'utf8');
    const options = new Set([...source.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, name = '']) => name));
    const [paragraph = ''] = /^`createStorefront` has the options.*?\n\n/ms.exec(readme) ?? [];
    const listed = new Set(paragraph.match(/(?<=`)[a-z]\w+(?=`)/g));
    for (const other of ['createStorefront', 'mocked']) listed.delete(other);
    expect([...listed].sort()).toEqual([...options].sort());
  });

  it.each([
    { command: [], section: '### Options', beside: ['--version'], more: [] },
    // Additional options of npm run contract.
    { command: ['check'], section: "### One command's verdict", beside: ['--header'], more: ['--url', '--against'] },
  ])('lists the options of the command $command and no others', ({ command, section, beside, more }) => {
    const args = [...command, '--help'];
    const help = readCommandLine({ args, environment: {}, isTerminal: false, version: '1' });
    if (help.kind !== 'print') throw new Error(`${args.join(' ')} prints nothing`);
    const had = [...help.text.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name = '']) => name);
    const [, after = ''] = readme.split(`${section}\n`);
    const table = after.split(/^##/m)[0] ?? '';
    const listed = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(
      ([, cell = '']) => cell.match(/(?<=`)--[a-z-]+/g) ?? [],
    );
    expect(listed.sort()).toEqual([...had.filter((name) => ![...beside, '--help'].includes(name)), ...more].sort());
  });
});
