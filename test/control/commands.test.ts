import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { selectSandboxes } from '../../src/check/check-sandbox.ts';
import type { ControlCommand } from '../../src/cli/control-command.ts';
import { readCommandLine } from '../../src/cli/options.ts';
import { runControlCommand } from '../../src/cli/run-control-command.ts';
import { ControlError } from '../../src/client/client.ts';
import { shopModel } from '../../src/shop/model/shop.ts';
import { projectFile } from '../support/fixtures/default-data.ts';
import { folderWith } from '../support/harness/folder-with.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';
import { startPlainServer } from '../support/reference-servers/plain-server.ts';

/** Parses a command line. */
function parseLine(line: string, environment: Readonly<Record<string, string>> = {}) {
  return readCommandLine({ args: line.split(' '), environment, isTerminal: false, version: '1' });
}

function parseControlCommand(line: string, environment: Readonly<Record<string, string>> = {}): ControlCommand {
  const request = parseLine(line, environment);
  if (request.kind !== 'control') throw new Error(`${line} sends nothing: ${JSON.stringify(request)}`);
  return request.options;
}

const MOMENT = '2025-06-01T12:00:00Z';

describe('a command for the control API', () => {
  const requests: readonly [line: string, method: string, path: string, body?: object][] = [
    ['reset', 'POST', 'default/reset'],
    ['reset --sandbox w1', 'POST', 'w1/reset'],
    ['snapshot', 'GET', 'default/snapshots'],
    ['snapshot mine --sandbox w1', 'PUT', 'w1/snapshots/mine'],
    ['restore full-cart', 'POST', 'default/snapshots/full-cart/restore'],
    ['snapshot mine --delete', 'DELETE', 'default/snapshots/mine'],
    ['sandboxes', 'GET', ''],
    ['sandboxes show --sandbox w1', 'GET', 'w1'],
    ['sandboxes create --sandbox w1', 'PUT', 'w1', {}],
    ['sandboxes create --sandbox w1 --from full-cart', 'PUT', 'w1', { from: 'full-cart' }],
    ['sandboxes remove --sandbox w1', 'DELETE', 'w1'],
    ['state --sandbox w1', 'GET', 'w1/state'],
    ['ids', 'GET', 'default/ids'],
    ['ids seed 7 --sandbox w1', 'PUT', 'w1/ids', { seed: 7 }],
    ['ids random', 'DELETE', 'default/ids'],
    ['clock', 'GET', 'default/clock'],
    [`clock set ${MOMENT}`, 'PUT', 'default/clock', { now: MOMENT }],
    ['clock freeze', 'PUT', 'default/clock', { frozen: true }],
    ['clock freeze 1748779200000', 'PUT', 'default/clock', { now: 1_748_779_200_000, frozen: true }],
    ['clock run', 'PUT', 'default/clock', { frozen: false }],
    ['clock advance -1000', 'POST', 'default/clock/advance', { ms: -1000 }],
    ['clock follow', 'DELETE', 'default/clock'],
    ['faults', 'GET', 'default/faults'],
    ['faults clear --sandbox w1', 'DELETE', 'w1/faults'],
    ['faults remove f3', 'DELETE', 'default/faults/f3'],
    [
      'faults add --operation createOrder,listOrders --where {"method":"POST"} --skip 1 --times 2 --probability 0.5 --seed 7 --phase after --status 503',
      'POST',
      'default/faults',
      {
        operation: ['createOrder', 'listOrders'],
        where: { method: 'POST' },
        ...{ skip: 1, times: 2, probability: 0.5, seed: 7, phase: 'after', status: 503 },
      },
    ],
    [
      `faults add --delay 200-800 --body-duration 5 --duration 1000 --until ${MOMENT} --example noMatch`,
      'POST',
      'default/faults',
      { delay: { from: 200, to: 800 }, bodyDurationMs: 5, durationMs: 1000, until: MOMENT, example: 'noMatch' },
    ],
    ['faults add --connection reset --delay 20', 'POST', 'default/faults', { connection: 'reset', delay: 20 }],
    ['journal clear', 'DELETE', 'default/requests'],
    ['webhook deliveries', 'GET', 'default/deliveries'],
    [
      'webhook deliveries --status failed --limit 10 --after msg_1 --sandbox w1',
      'GET',
      'w1/deliveries?status=failed&limit=10&after=msg_1',
    ],
    ['journal count --status 201 --fault f1', 'POST', 'default/requests/count', { status: 201, fault: 'f1' }],
  ];

  it.each(requests)('is parsed to one request: %s', (line, method, path, body) => {
    const { url, token, ...request } = parseControlCommand(line);
    const sandboxPath = path === '' ? 'sandboxes' : `sandboxes/${path}`;
    expect(request).toEqual({ method, path: sandboxPath, ...(body ? { body } : {}) });
    expect([url, token]).toEqual(['http://localhost:3000', undefined]);
  });

  it('takes its token from the command line, otherwise from the environment', () => {
    const environment = { STOREFRONT_CONTROL_TOKEN: 'kept' };
    expect(parseControlCommand('reset --url http://shop:1/', environment)).toMatchObject({
      url: 'http://shop:1',
      token: 'kept',
    });
    expect(parseControlCommand('reset --token given', environment)).toMatchObject({ token: 'given' });
  });

  it.each([
    'clock set',
    'clock set noon',
    'clock advance',
    'clock advance 1.5',
    'clock stop',
    'restore',
    'reset --url x',
    'reset --url http://h/?a=1',
    'reset --url http://h/#x',
    'ids seed',
    'ids seed x',
    'state put',
    'state put /nowhere/state.json',
    'sandboxes list w1',
    'faults remove',
    'faults add --delay 900-100',
    'faults add --probability 2',
    'faults add --times x',
    'faults add --where []',
    'faults add --where x',
    'faults add --until noon',
    'faults add --operation a,,b',
    'reset --url http://me:secret@localhost:3000',
  ])('is rejected with a message if an argument is missing or invalid: %s', (line) =>
    expect(parseLine(line)).toMatchObject({ kind: 'refuse', reason: expect.stringMatching(/./) }),
  );

  it.each([
    ['faults clear f1', 'faults clear does not accept f1'],
    ['faults list f1', 'faults list does not accept f1'],
    ['faults add f1 --status 500', 'faults add does not accept f1'],
    ['ids random 7', 'ids random does not accept 7'],
    ['state show mine.json', 'state show does not accept mine.json'],
    ['snapshot --delete', 'snapshot without a name does not accept --delete'],
    ['sandboxes create --from full-cart', 'Missing option --sandbox. Use, for example, storefront sandboxes create'],
    ['sandboxes remove', 'Missing option --sandbox. Use, for example, storefront sandboxes remove'],
    ['sandboxes remove --from full-cart', 'sandboxes remove does not accept --from'],
    ['clock show 12', 'clock show does not accept 12'],
    ['faults --status 500', 'faults list does not accept --status. It is an option of faults add.'],
    ['journal show --status 500', 'journal show does not accept --status. It is an option of journal count, verify.'],
    ['journal show --at-least 2', 'journal show does not accept --at-least'],
    ['webhook deliveries msg_1', 'webhook deliveries does not accept msg_1'],
    ['webhook send ping --limit 2', 'webhook send does not accept --limit. It is an option of webhook deliveries.'],
    [
      'webhook deliveries --to http://localhost:1',
      'webhook deliveries does not accept --to. It is an option of webhook',
    ],
    ['journal clear --operation createOrder', 'journal clear does not accept --operation'],
    [`clock run ${MOMENT}`, `clock run does not accept ${MOMENT}`],
    ['clock follow 12', 'clock follow does not accept 12'],
  ])('is rejected if it does not use one of its arguments: %s', (line, message) =>
    expect(parseLine(line)).toMatchObject({ kind: 'refuse', reason: expect.stringContaining(message) }),
  );

  it('is executed by a running server, or fails with the error message of the server', async () => {
    const { url, ask } = await startStorefront();
    const run = (line: string) => runAndPrint(`${line} --url ${url} --sandbox w1`);
    expect(JSON.parse(await run(`clock freeze ${MOMENT}`))).toMatchObject({ nowMs: Date.parse(MOMENT), frozen: true });
    expect(await run('restore empty-cart')).toBe('');
    expect((await ask('GET', '/_sandbox/w1/api/cart-items')).body).toEqual([]);
    expect(await run('reset')).toBe('');
    expect((await ask('GET', '/_sandbox/w1/api/cart-items')).body).not.toEqual([]);
    await expect(run('restore nothing-such')).rejects.toThrow('Snapshot nothing-such is neither built-in nor saved');
  });

  it.each([
    [
      'faults add --operation createOder --status 503',
      '--operation "createOder" does not exist: did you mean "createOrder"?',
    ],
    ['faults add --status 503 --times 0', '--times 0 is below the minimum of 1: use an integer from 1 to 1000000000'],
    ['faults add --status 503 --body-duration 0', '--body-duration 0 is below the minimum of 1'],
    ['faults add --stream delay --item-delay 60001', '--item-delay 60001 is above the maximum of 60000'],
    ['faults add --stream cut --after-items 1000001', '--after-items 1000001 is above the maximum of 1000000'],
    ['faults add --status 503 --connection reset', 'Invalid options: remove --status or --connection: a connection'],
    [
      'faults add --operation createOrder',
      'Invalid options: add --status, --example, --delay, --hold, --connection, --body',
    ],
    ['faults add --hold --delay 5', 'Invalid options: remove --hold or --delay: a request that is held waits until'],
    ['faults release f9', 'Fault f9 does not exist in sandbox default'],
    ['faults add --status 503 --where {"body":{"a":{"$x":1}}}', '--where body.a.$x is not an operator'],
    [
      'faults add --status 503 --header Connection:close',
      '--header Connection is set by the server, and a fault cannot change it: remove it',
    ],
    ['webhook deliveries --limit 2001', '--limit 2001 is above the maximum of 2000'],
    ['journal --limit 0', '--limit 0 is below the minimum of 1'],
    ['journal --operation listOrder', '--operation "listOrder" does not exist: did you mean "listOrders"?'],
    ['journal verify --within 60001', '--within 60001 is above the maximum of 60000'],
    ['journal --sandbox nope', 'Create it with storefront sandboxes create --sandbox nope, or'],
    ['sandboxes show --sandbox NOPE', '--sandbox is "NOPE": use a string'],
    ['sandboxes remove --sandbox default', 'Reset it with storefront reset --sandbox default.'],
  ])('fails with a message that names options and commands: %s', async (line, message) => {
    const { url } = await startStorefront();
    await expect(runAndPrint(`${line} --url ${url}`)).rejects.toThrow(message);
  });

  it('fails with a message that names the option for a missing token', async () => {
    const { url } = await startStorefront({ controlToken: 'secret' });
    await expect(runAndPrint(`clock --url ${url}`)).rejects.toThrow('Use --token TOKEN with the value of');
  });

  it('creates a sandbox, seeds its ids, loads a saved state into it and removes it', async () => {
    const { url, ask } = await startStorefront();
    const run = (line: string) => runAndPrint(`${line} --url ${url} --sandbox w1`);
    const getIds = async () =>
      JSON.parse(await runAndPrint(`sandboxes --url ${url}`)).map(({ id }: { id: string }) => id);
    expect(JSON.parse(await run('sandboxes create --from empty-cart'))).toMatchObject({ id: 'w1' });
    expect(await getIds()).toEqual(['default', 'w1']);
    expect(JSON.parse(await run('ids seed 7'))).toEqual({ seed: 7 });
    const empty = await run('state');
    const folder = await folderWith({ 'state.json': empty, 'broken.json': '{"cartItems":' });
    await ask('POST', '/_sandbox/w1/api/reset');
    expect(await run(`state put ${folder}/state.json`)).toBe('');
    expect((await ask('GET', '/_sandbox/w1/api/cart-items')).body).toEqual([]);
    expect(parseLine(`state put ${folder}/broken.json`)).toMatchObject({
      reason: expect.stringContaining('broken.json: '),
    });
    await run('sandboxes remove');
    expect(await getIds()).toEqual(['default']);
  });

  it('prints journal entries as lines and returns whether a verification passed', async () => {
    const { url, ask } = await startStorefront();
    const runCommand = async (line: string) => {
      let text = '';
      const print = (more: string) => {
        text += more;
      };
      const { error } = await runControlCommand(parseControlCommand(`${line} --url ${url} --sandbox w1`), { print });
      return [text, error === undefined] as const;
    };
    await runCommand('faults add --operation createOrder --status 503 --times 1');
    for (let n = 0; n < 2; n++) await ask('POST', '/_sandbox/w1/api/orders');
    const [lines] = await runCommand('journal show --operation createOrder,listOrders --limit 5');
    expect(lines).toMatch(
      /^ {3}1 12:00:00 POST {3}503 \/_sandbox\/w1\/api\/orders createOrder [\d.]+ ms forced: faults=f1 phase=before status=503\n {3}2 [^\n]* 201 [^\n]*\n$/,
    );
    expect(await runCommand('journal verify --operation createOrder --times 2')).toEqual([
      'Verified: expected exactly 2 matching requests, found 2\n',
      true,
    ]);
    const [misses, isVerified] = await runCommand('journal verify --operation listOrders --at-least 1 --within 1');
    expect([misses.split('\n')[0], isVerified]).toEqual(['Expected at least 1 matching request, found 0', false]);
    expect(misses).toContain('operation: expected listOrders, got createOrder');
  });

  it('follows the journal until the server closes', async () => {
    const { url, ask, close } = await startStorefront();
    await ask('GET', '/api/orders');
    const lines: string[] = [];
    const print = (line: string) => {
      lines.push(line);
      if (lines.length === 2) close();
    };
    const following = runControlCommand(parseControlCommand(`journal follow --after 0 --url ${url}`), { print });
    const requests = vi.waitFor(() => expect(lines).toHaveLength(1)).then(() => ask('GET', '/api/products'));
    expect(await following).toEqual({});
    expect((await requests).status).toBe(200);
    expect(lines.join('')).toMatch(/ 1 .* \/api\/orders .*\n +2 .* \/api\/products /);
  });

  it('fails with a message if the server is not a storefront', async () => {
    const server = createServer((_, res) => res.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>hello')).listen(
      0,
    );
    onTestFinished(() => void server.close());
    const url = `http://localhost:${(server.address() as AddressInfo).port}`;
    for (const line of ['clock', 'journal', 'journal follow'])
      await expect(runAndPrint(`${line} --url ${url}`), line).rejects.toThrow('has no storefront control API');
  });

  it.each<readonly [line: string, type: string, text: string]>([
    ['journal', 'application/json', '{}'],
    ['journal', 'application/json', '[{"id":1}]'],
    ['journal verify', 'application/json', ''],
    ['journal verify', 'application/json', '{"verified":true}'],
    ['journal follow', 'text/event-stream', 'data: {"a":1}\n\n'],
  ])('fails with a message if a response is invalid: %s, %s, %s', async (line, type, text) => {
    const { url } = await startRecorder(
      (_, response) => void response.writeHead(200, { 'Content-Type': type }).end(text),
    );
    await expect(runAndPrint(`${line} --url ${url}`)).rejects.toThrow('has no storefront control API');
  });

  it('fails with a message if no server responds, or a server that is not a storefront', async () => {
    const { url, close } = await startPlainServer();
    await expect(runAndPrint(`reset --url ${url}`)).rejects.toThrow(ControlError);
    await close();
    await expect(runAndPrint(`reset --url ${url}`)).rejects.toThrow(`No server responds at ${url}`);
  });
});

/** Runs a command and returns its output. */
async function runAndPrint(line: string): Promise<string> {
  let text = '';
  const print = (more: string) => {
    text += more;
  };
  await runControlCommand(parseControlCommand(line), { print });
  return text;
}

describe('selectSandboxes', () => {
  const parts = { model: shopModel, contract: projectFile('openapi.yaml'), seed: 7, print() {}, printProgress() {} };
  const command = { wait: 0, allowWrites: false, headers: {}, runs: 1 };

  it('runs a check of a storefront in a new sandbox, with writes allowed', async () => {
    const { url } = await startStorefront();
    const inside = { url, headers: { 'x-sandbox': 'check-7' }, allowWrites: true, isFresh: true };
    expect(await selectSandboxes({ ...command, url }, parts)).toMatchObject(inside);
  });

  it('changes no options if the server has no control API or the user chose a sandbox', async () => {
    const { url, close } = await startPlainServer();
    expect(await selectSandboxes({ ...command, url }, parts)).toEqual({ ...command, url });
    await close();
    const named = { ...command, url, headers: { 'x-sandbox': 'mine' } };
    expect(await selectSandboxes(named, parts)).toBe(named);
  });
});
