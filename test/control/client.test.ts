import { describe, expect, it, vi } from 'vitest';
import { ControlError, followControlEvents } from '../../src/client/client.ts';
import { sandboxAt } from '../../src/testing/sandbox.ts';
import { rejection } from '../support/harness/rejection.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { recorder } from '../support/reference-servers/echo-server.ts';

describe('what control refuses', () => {
  it('rejects with its sentence and its status', async () => {
    const { url } = await startStorefront();
    const fault = await rejection(sandboxAt(url, 'w3').restore('none'), ControlError);
    expect(fault).toMatchObject({ name: 'ControlError', status: 404, violations: [] });
    expect(fault.message).toContain('there is no snapshot none here');
  });

  it('rejects with a line for each place that is wrong', async () => {
    const { url } = await startStorefront();
    // @ts-expect-error a cart item has more than this
    const fault = await rejection(sandboxAt(url, 'w3').setState({ cartItems: [{ quantity: 1 }] }), ControlError);
    expect(fault.message.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^ {2}\/cartItems\/0\/\w+: /),
      expect.stringMatching(/^ {2}\/cartItems\/0\/\w+: /),
    ]);
    expect(fault.violations).toHaveLength(2);
  });

  it('says nothing twice', async () => {
    const { url } = await startStorefront();
    const fault = await rejection(sandboxAt(url, 'w3').ids(-1), ControlError);
    expect(fault.message).not.toContain('\n');
    expect(fault.violations).toMatchObject([{ pointer: '/seed' }]);
  });

  it('is done with the token that the server wants', async () => {
    const { url } = await startStorefront({ controlToken: 'secret' });
    expect((await rejection(sandboxAt(url, 'w3').renew(), ControlError)).status).toBe(401);
    await sandboxAt(url, 'w3', { token: 'secret' }).renew();
  });
});

/** What is followed of a server that answers so. */
async function followed(type: string, ...parts: readonly string[]) {
  let open = 0;
  const { url } = await recorder((_, response) => {
    open++;
    response.on('close', () => open--).writeHead(200, { 'Content-Type': type });
    for (const part of parts) response.write(part);
  });
  return { url, told: followControlEvents({ url, token: undefined }, 'default/requests'), open: () => open };
}

describe('what is followed', () => {
  it.each([
    ['removed', 'The sandbox w1 was removed at noon.'],
    ['expired', 'The sandbox w1 expired at noon.'],
  ])('ends with a sentence at the event %s', async (event, message) => {
    const { url } = await recorder((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.end(`data: {"n":1}\n\nevent: ${event}\ndata: {"sandbox":"w1","at":"noon"}\n\n`);
    });
    const messages: string[] = [];
    const told: unknown[] = [];
    const following = followControlEvents({ url, token: undefined }, 'w1/requests', (text) => messages.push(text));
    for await (const each of following) told.push(each);
    expect([told, messages]).toEqual([[{ n: 1 }], [message]]);
  });

  it('is let go of where nobody looks any further', async () => {
    const { told, open } = await followed('text/event-stream', 'data: {"n":1}\n\n', 'data: {"n":2}\n\n');
    for await (const each of told) {
      expect([each, open()]).toEqual([{ n: 1 }, 1]);
      break;
    }
    await vi.waitFor(() => expect(open()).toBe(0));
  });

  it.each([
    ['is another response, without waiting for its end', 'text/plain', 'hello'],
    ['has events that are no JSON', 'text/event-stream', 'data: hello\n\n'],
  ])('is refused where it %s', async (_, type, text) => {
    const { url, told, open } = await followed(type, text);
    const fault = await rejection(told.next(), ControlError);
    expect(fault.message).toBe(`The server at ${url} has no storefront control API: it responds with 200`);
    await vi.waitFor(() => expect(open()).toBe(0));
  });
});

describe('a server that is none', () => {
  it('is told of by its address where nobody answers', async () => {
    const { url, close } = await startStorefront();
    await close();
    const fault = await rejection(sandboxAt(url, 'w3').reset(), ControlError);
    expect(fault).toMatchObject({ status: undefined, cause: { code: 'ECONNREFUSED' } });
    expect(fault.message).toBe(
      `No server responds at ${url} (ECONNREFUSED). Start it, or use the address of a running server.`,
    );
  });

  it.each<readonly [about: string, status: number, body: string]>([
    ['violations that are none', 422, '{"detail":"no","violations":[null,7,{}]}'],
    ['violations that are no list', 422, '{"detail":"no","violations":null}'],
  ])('is quoted where it refuses with %s', async (_, status, body) => {
    const { url } = await recorder((_, response) => void response.writeHead(status).end(body));
    expect(await rejection(sandboxAt(url, 'w3').state(), ControlError)).toMatchObject({
      message: 'no',
      status,
      violations: [],
    });
  });

  it.each<readonly [about: string, status: number, body: string]>([
    ['a detail that is no text', 422, '{"detail":[{"loc":["body"]}]}'],
    ['nothing', 200, ''],
    ['null', 404, 'null'],
  ])('is none of ours where it answers %s', async (_, status, body) => {
    const { url } = await recorder((_, response) => void response.writeHead(status).end(body));
    const fault = await rejection(sandboxAt(url, 'w3').state(), ControlError);
    expect(fault.message).toBe(`The server at ${url} has no storefront control API: it responds with ${status}`);
  });

  it('is told of with the place that it points to', async () => {
    const { url } = await recorder((_, response) => void response.writeHead(302, { Location: 'http://b/' }).end());
    const fault = await rejection(sandboxAt(url, 'w3').state(), ControlError);
    expect(fault.message).toBe(
      `The server at ${url} has no storefront control API: it responds with 302 and redirects to http://b/`,
    );
  });

  it('is told of where it breaks off', async () => {
    const { url } = await recorder((_, response) => {
      response.writeHead(200, { 'Content-Length': 10 }).write('{', () => response.destroy());
    });
    const fault = await rejection(sandboxAt(url, 'w3').state(), ControlError);
    expect(fault.message).toBe(`The connection to ${url} was lost (ECONNRESET)`);
  });

  it('is not to blame for a token that can not be sent', async () => {
    const { url } = await recorder((_, response) => void response.end());
    const fault = await rejection(sandboxAt(url, 'w3', { token: 'a\nb' }).state(), ControlError);
    expect(fault.message).toMatch(/^The token contains characters that a header cannot have\. /);
  });

  it.each([200, 404])('is told of where another one answers, with a page and %d', async (status) => {
    const { url } = await recorder((_, response) => void response.writeHead(status).end('<p>Welcome</p>'));
    const fault = await rejection(sandboxAt(url, 'w3').state(), ControlError);
    expect(fault.message).toBe(`The server at ${url} has no storefront control API: it responds with ${status}`);
  });
});
