import { describe, expect, it } from 'vitest';
import { getLastRecord, openStream, startNumbers } from '../support/harness/streams.ts';

const THREE = {
  schema: { type: 'object', properties: { n: { type: 'integer' } } },
  example: [{ n: 1 }, { n: 2 }, { n: 3 }],
};

/** Starts a server with a stream of three numbers, and adds a fault. */
async function startWithFault(fault: object, type = 'text/event-stream', options: object = {}) {
  const server = await startNumbers(type, THREE, options);
  const added = await server.ask('POST', '/_control/sandboxes/default/faults', fault);
  return { server, added };
}

describe('a fault for streams', () => {
  it.each([
    ['cut', 2, { text: 'data: {"n":1}\n\ndata: {"n":2}\n\n', isComplete: false }],
    ['cut', 0, { text: '', isComplete: false }],
    ['cut', 3, { text: 'data: {"n":1}\n\ndata: {"n":2}\n\ndata: {"n":3}\n\n', isComplete: false }],
    ['end', 1, { text: 'data: {"n":1}\n\n', isComplete: true }],
    ['corrupt', 1, { text: 'data: {"n":1}\n\ndata: {"n\n\ndata: {"n":3}\n\n', isComplete: true }],
  ] as const)('with %s after %s items has its effect', async (effect, afterItems, expected) => {
    const { server, added } = await startWithFault({ operation: 'watch', stream: { effect, afterItems } });
    expect(added.status).toBe(200);
    const stream = await openStream(server, '/numbers');
    expect(await stream.ended).toEqual(expected);
    await expect.poll(async () => (await getLastRecord(server)).state).toBe(undefined);
    expect((await getLastRecord(server)).forced).toMatchObject({ stream: { effect, afterItems } });
  });

  it('delays one item', async () => {
    const { server } = await startWithFault({ stream: { effect: 'delay', afterItems: 1, delayMs: 60_000 } });
    const stream = await openStream(server, '/numbers');
    expect(await stream.until(/\n\n/)).toBe('data: {"n":1}\n\n');
  });

  it('cuts a line of JSON', async () => {
    const { server } = await startWithFault({ stream: { effect: 'corrupt' } }, 'application/jsonl');
    expect((await (await openStream(server, '/numbers')).ended).text).toBe('{"n\n{"n":2}\n{"n":3}\n');
  });

  it.each([12, -12, 1, 1.25, 'true', '12', '', { n: 1 }])(
    'makes the item %j of a stream invalid JSON',
    async (item) => {
      const media = { schema: {}, example: [item, item, item] };
      for (const type of ['text/event-stream', 'application/jsonl', 'multipart/mixed']) {
        const server = await startNumbers(type, media);
        await server.ask('POST', '/_control/sandboxes/default/faults', {
          stream: { effect: 'corrupt', afterItems: 1 },
        });
        const { text } = await (await openStream(server, '/numbers')).ended;
        const lines = text.split(/\r?\n/).filter((line) => line !== '' && !/^(?:--|Content-)/.test(line));
        const [, corrupted = ''] = lines.map((line) => line.replace(/^data: /, ''));
        expect([lines.length, corrupted]).toEqual([3, expect.stringMatching(/./)]);
        expect(() => JSON.parse(corrupted)).toThrow();
      }
    },
  );

  it('applies to the stream of a handler', async () => {
    async function* generate() {
      for (let n = 1; ; n++) yield { n };
    }
    const handlers = { watch: () => ({ body: generate() }) };
    const fault = { times: 1, stream: { effect: 'cut', afterItems: 2 } };
    const { server } = await startWithFault(fault, 'application/jsonl', { handlers });
    expect(await (await openStream(server, '/numbers')).ended).toEqual({
      text: '{"n":1}\n{"n":2}\n',
      isComplete: false,
    });
    expect((await server.ask('GET', '/numbers?__items=1')).text).toBe('{"n":1}\n');
  });

  it('is added with a warning if the contract documents no stream', async () => {
    const server = await startNumbers('application/json', { schema: {}, example: 1 });
    const added = await server.ask('POST', '/_control/sandboxes/default/faults', { stream: { effect: 'end' } });
    expect(added.body.warning ?? added.body.warnings?.[0]).toContain('documents no stream');
    expect((await server.ask('GET', '/numbers')).status).toBe(200);
  });

  it.each([
    [{ stream: { effect: 'delay' } }, 'add `delayMs`'],
    [{ stream: { effect: 'cut' }, connection: 'cut' }, 'remove `connection` or `stream`'],
    [{ stream: {} }, 'effect'],
  ])('is refused as %j', async (fault, remedy) => {
    const { added } = await startWithFault(fault);
    expect([added.status, JSON.stringify(added.body)]).toEqual([400, expect.stringContaining(remedy)]);
  });
});
