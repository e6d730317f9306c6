import { describe, expect, it, onTestFinished } from 'vitest';
import { Client } from '../../src/check/client.ts';
import type { Exchange } from '../../src/check/exchange.ts';
import { formatFindings, runCheck } from '../support/harness/check.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { startProxy, type Tamper } from '../support/planted-defects/proxy.ts';

/** Starts a shop behind a proxy that changes responses, for one test, and returns its address. */
async function startTampered(tamper: Tamper): Promise<string> {
  const { port } = await startStorefront({ durability: 'memory' });
  const { url, close } = await startProxy(port, tamper);
  onTestFinished(close);
  return url;
}

/** Caches the payment summary until a request for a cart item changes the cart; a reset does not invalidate it. */
function staleSummary(): Tamper {
  let cached: Awaited<ReturnType<Parameters<Tamper>[1]>> | undefined;
  return async (request, pass) => {
    const isSummary = request.method === 'GET' && request.target.split('?')[0] === '/api/payment-summary';
    if (request.method !== 'GET' && !request.target.startsWith('/api/reset')) cached = undefined;
    if (!isSummary) return pass(request);
    cached ??= await pass(request);
    return cached;
  };
}

describe('the findings of storefront check', () => {
  it('have one entry for a random failure, with its frequency', async () => {
    let count = 0;
    const url = await startTampered(async (request, pass) =>
      ++count % 211 === 0 ? { status: 500, headers: [], body: Buffer.from('') } : pass(request),
    );
    const verdict = await runCheck(url, { runs: 5 });
    expect(formatFindings(verdict.findings)).toEqual([
      expect.stringMatching(/ reproducible: Not reproducible: \d+ of \d+ requests failed /),
    ]);
  });

  it('have requests that reproduce an outdated summary on a new server', async () => {
    const { findings } = await runCheck(await startTampered(staleSummary()), { runs: 20 });
    const found = findings.filter(({ title }) => title === 'the summary is the sum of the cart');
    expect(found, formatFindings(findings).join('\n')).toHaveLength(1);
    const exchanges = found[0]?.exchanges as readonly Exchange[];
    const client = new Client(await startTampered(staleSummary()), {});
    const texts: string[] = [];
    for (const { request: ask } of exchanges) texts.push((await client.send(ask)).text);
    client.close();
    expect(texts.at(-1)).toBe(exchanges.at(-1)?.response.text);
  });
});

describe('checkServer', () => {
  it('finds nothing in a correct shop that it checks in several sandboxes at once', async () => {
    const { port } = await startStorefront({ durability: 'memory' });
    const [headers, ...places] = ['a', 'b', 'c'].map((id) => ({ 'x-sandbox': id }));
    const progress: string[] = [];
    const verdict = await runCheck(`http://127.0.0.1:${port}`, {
      headers: headers ?? {},
      sandboxHeaders: places,
      runs: 10,
      onProgress: (done, of) => void progress.push(`${done} of ${of}`),
    });
    expect(formatFindings(verdict.findings)).toEqual([]);
    expect([verdict.notes, verdict.unchecked]).toEqual([[], []]);
    expect(progress.at(-1)).toBe(`${progress.length} of ${progress.length}`);
  });
});
