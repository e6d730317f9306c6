import { describe, expect, it, vi } from 'vitest';
import { ControlError, followControlEvents } from '../../src/client/client.ts';
import { sandboxAt } from '../../src/testing/sandbox.ts';
import { getRejection } from '../support/harness/rejection.ts';
import { startStorefront } from '../support/harness/start-storefront.ts';
import { startRecorder } from '../support/reference-servers/echo-server.ts';

describe('a client of the control API', () => {
  it('rejects with the message and the status of the response', async () => {
    const { url } = await startStorefront();
    const fault = await getRejection(sandboxAt(url, 'w3').restore('none'), ControlError);
    expect(fault).toMatchObject({ name: 'ControlError', status: 404, violations: [] });
    expect(fault.message).toContain('Snapshot none is neither built-in nor saved');
  });

  it('rejects with a message that describes five violations, and one line for each further one', async () => {
    const { url } = await startStorefront();
    const cartItems = Array(4).fill({ quantity: 1 });
    const fault = await getRejection(sandboxAt(url, 'w3').setState({ cartItems }), ControlError);
    const [first, ...others] = fault.message.split('\n');
    expect(first).toMatch(/: cartItems\.0\.productId is missing: add it; .*; and 3 more$/);
    expect(others).toEqual([
      expect.stringMatching(/^ {2}\/cartItems\/2\/\w+: add /),
      expect.stringMatching(/^ {2}\/cartItems\/3\/\w+: add /),
      expect.stringMatching(/^ {2}\/cartItems\/3\/\w+: add /),
    ]);
    expect(fault.violations).toHaveLength(8);
  });

  it('does not repeat the message if it is also the message of the only violation', async () => {
    const { url } = await startStorefront();
    const fault = await getRejection(sandboxAt(url, 'w3').ids(-1), ControlError);
    expect(fault.message).not.toContain('\n');
    expect(fault.violations).toMatchObject([{ pointer: '/seed' }]);
  });

  it('sends its token to a server that requires one', async () => {
    const { url } = await startStorefront({ controlToken: 'secret' });
    expect((await getRejection(sandboxAt(url, 'w3').recreate(), ControlError)).status).toBe(401);
    await sandboxAt(url, 'w3', { token: 'secret' }).recreate();
  });
});

/** Starts a server that sends the parts without ending its response, and follows its events. */
async function followStream(type: string, ...parts: readonly string[]) {
  let open = 0;
  const { url } = await startRecorder((_, response) => {
    open++;
    response.on('close', () => open--).writeHead(200, { 'Content-Type': type });
    for (const part of parts) response.write(part);
  });
  return { url, told: followControlEvents({ url, token: undefined }, 'sandboxes/default/requests'), open: () => open };
}

describe('an event stream that the client follows', () => {
  it.each([
    ['removed', 'The sandbox w1 was removed at noon.'],
    ['expired', 'The sandbox w1 expired at noon.'],
  ])('ends with a message at the event %s', async (event, message) => {
    const { url } = await startRecorder((_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.end(`data: {"n":1}\n\nevent: ${event}\ndata: {"sandbox":"w1","at":"noon"}\n\n`);
    });
    const messages: string[] = [];
    const events: unknown[] = [];
    const following = followControlEvents({ url, token: undefined }, 'sandboxes/w1/requests', (text) =>
      messages.push(text),
    );
    for await (const event of following) events.push(event);
    expect([events, messages]).toEqual([[{ n: 1 }], [message]]);
  });

  it('is closed when the consumer stops reading', async () => {
    const { told: events, open } = await followStream('text/event-stream', 'data: {"n":1}\n\n', 'data: {"n":2}\n\n');
    for await (const event of events) {
      expect([event, open()]).toEqual([{ n: 1 }, 1]);
      break;
    }
    await vi.waitFor(() => expect(open()).toBe(0));
  });

  it.each([
    ['is not an event stream, before the response ends', 'text/plain', 'hello'],
    ['has an event that is not JSON', 'text/event-stream', 'data: hello\n\n'],
  ])('is rejected if it %s', async (_, type, text) => {
    const { url, told: events, open } = await followStream(type, text);
    const fault = await getRejection(events.next(), ControlError);
    expect(fault.message).toBe(`The server at ${url} has no storefront control API: it responds with 200`);
    await vi.waitFor(() => expect(open()).toBe(0));
  });
});

describe('the error of a client of the control API', () => {
  it('names the address if no server responds', async () => {
    const { url, close } = await startStorefront();
    await close();
    const fault = await getRejection(sandboxAt(url, 'w3').reset(), ControlError);
    expect(fault).toMatchObject({ status: undefined, cause: { code: 'ECONNREFUSED' } });
    expect(fault.message).toBe(
      `No server responds at ${url} (ECONNREFUSED). Start it, or use the address of a running server.`,
    );
  });

  it.each<readonly [about: string, status: number, body: string]>([
    ['a list of invalid violations', 422, '{"detail":"no","violations":[null,7,{}]}'],
    ['violations that are not a list', 422, '{"detail":"no","violations":null}'],
  ])('has the detail of a response with %s', async (_, status, body) => {
    const { url } = await startRecorder((_, response) => void response.writeHead(status).end(body));
    expect(await getRejection(sandboxAt(url, 'w3').state(), ControlError)).toMatchObject({
      message: 'no',
      status,
      violations: [],
    });
  });

  it.each<readonly [about: string, status: number, body: string]>([
    ['a detail that is not a string', 422, '{"detail":[{"loc":["body"]}]}'],
    ['an empty body', 200, ''],
    ['the body null', 404, 'null'],
  ])('says that the server is not a storefront if the response has %s', async (_, status, body) => {
    const { url } = await startRecorder((_, response) => void response.writeHead(status).end(body));
    const fault = await getRejection(sandboxAt(url, 'w3').state(), ControlError);
    expect(fault.message).toBe(`The server at ${url} has no storefront control API: it responds with ${status}`);
  });

  it('names the target of a redirect', async () => {
    const { url } = await startRecorder((_, response) => void response.writeHead(302, { Location: 'http://b/' }).end());
    const fault = await getRejection(sandboxAt(url, 'w3').state(), ControlError);
    expect(fault.message).toBe(
      `The server at ${url} has no storefront control API: it responds with 302 and redirects to http://b/`,
    );
  });

  it('says that the server closed the connection in the middle of a response', async () => {
    const { url } = await startRecorder((_, response) => {
      response.writeHead(200, { 'Content-Length': 10 }).write('{', () => response.destroy());
    });
    const fault = await getRejection(sandboxAt(url, 'w3').state(), ControlError);
    expect(fault.message).toBe(`The connection to ${url} was lost (ECONNRESET)`);
  });

  it('says that the token contains characters that a header cannot have', async () => {
    const { url } = await startRecorder((_, response) => void response.end());
    const fault = await getRejection(sandboxAt(url, 'w3', { token: 'a\nb' }).state(), ControlError);
    expect(fault.message).toMatch(/^The token contains characters that a header cannot have\. /);
  });

  it.each([200, 404])(
    'says that the server is not a storefront if an HTML page comes with status %d',
    async (status) => {
      const { url } = await startRecorder((_, response) => void response.writeHead(status).end('<p>Welcome</p>'));
      const fault = await getRejection(sandboxAt(url, 'w3').state(), ControlError);
      expect(fault.message).toBe(`The server at ${url} has no storefront control API: it responds with ${status}`);
    },
  );
});
