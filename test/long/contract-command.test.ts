import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { projectFile } from '../support/fixtures/default-data.ts';
import { shopContract } from '../support/harness/check.ts';
import { runCommand } from '../support/harness/commands.ts';
import { tempFolder } from '../support/harness/temp-folder.ts';
import { getElements, readXml } from '../support/oracles/strict-xml.ts';
import { getDefect } from '../support/oracles/who-finds-what.ts';
import { startDefective } from '../support/planted-defects/planted-defects.ts';
import { startPlainServer } from '../support/reference-servers/plain-server.ts';

describe('npm run contract', () => {
  it('finds nothing in the shop with all its checks, and leaves no data behind', async () => {
    const report = join(await tempFolder(), 'report.xml');
    const before = await readdir(projectFile('.'));
    const { exitCode, output } = await runCommand('npm', ['run', '--silent', 'contract', '--', '--report', report], {
      cwd: projectFile('.'),
    });
    expect(exitCode, output).toBe(0);
    const [head = ''] = output.match(/^operation +response .*$/m) ?? [];
    expect(head.split(/ +/)).toEqual([
      'operation',
      'response',
      'statuses',
      'input',
      'methods',
      'links',
      'behaviour',
      'dredd',
      'document',
    ]);
    for (const { operationId, responses } of shopContract.routes) {
      for (const { name } of responses.filter((response) => /^\d+$/.test(response.name)))
        expect(output).toMatch(new RegExp(`^${operationId} +${name} `, 'm'));
    }
    for (const check of ['lint', 'examples', 'names', 'limits'])
      expect(output).toMatch(new RegExp(`openapi\\.yaml +${check} .* 1$`, 'm'));
    expect(output).toMatch(/^Contract check passed: no violations found$/m);
    const cases = getElements(readXml(await readFile(report, 'utf8')), 'testcase').map(
      ({ attributes }) => attributes.name,
    );
    expect(cases).toEqual(expect.arrayContaining(['201 behaviour', '201 dredd', 'lint document']));
    expect(await readdir(projectFile('.'))).toEqual(before);
  });

  it('exits with 1 if the server at --url violates the contract, with curl commands of each check', async () => {
    const { url, close } = await startDefective(getDefect('responds to an addition to the cart with 200'));
    onTestFinished(close);
    const args = ['run', '--silent', 'contract', '--', '--url', url, '--allow-writes', '--runs', '5'];
    const { exitCode, output } = await runCommand('npm', args, { cwd: projectFile('.') });
    expect(exitCode, output).toBe(1);
    expect(output).toMatch(
      /^http:.* is a storefront server: the check runs in 8 new sandboxes \(check-.* and does not change the default sandbox\.$/m,
    );
    for (const judge of ['statuses', 'dredd'])
      expect(output).toMatch(new RegExp(`^\\d+\\. addCartItem 20\\d \\(${judge}\\)`, 'm'));
    expect(output).toMatch(new RegExp(`\\$ .*curl .*'?${url}/api/cart-items'?`));
    expect(output).toMatch(/^Contract check failed: \d+ causes, \d+ findings$/m);
  });

  it('reports the changes that it would make to a server other than a storefront, and a server that does not respond', async () => {
    const { url, close } = await startPlainServer();
    onTestFinished(close);
    const args = ['run', '--silent', 'contract', '--', '--url'];
    const [refused, missing] = await Promise.all([
      runCommand('npm', [...args, url], { cwd: projectFile('.') }),
      runCommand('npm', [...args, 'http://127.0.0.1:1', '--allow-writes'], { cwd: projectFile('.') }),
    ]);
    expect([refused.exitCode, refused.output]).toEqual([
      2,
      expect.stringMatching(/^contract: The check changes data on .* add --allow-writes\.\n$/),
    ]);
    expect(missing.exitCode).toBe(3);
    expect(missing.output).toMatch(/^contract: No server responds at http:\/\/127\.0\.0\.1:1 /m);
  });
});
