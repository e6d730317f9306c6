import { describe, expect, it } from 'vitest';
import { ControlFault } from '../../src/control/client.ts';
import { sandboxAt } from '../../src/kit/sandbox.ts';
import { recorder } from '../support/echo-server.ts';
import { startStorefront } from '../support/start-storefront.ts';

/** What a promise rejects with. */
async function rejection(promise: Promise<unknown>): Promise<ControlFault> {
  const error = await promise.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(ControlFault);
  return error;
}

describe('what control refuses', () => {
  it('rejects with its sentence and its status', async () => {
    const { url } = await startStorefront();
    const fault = await rejection(sandboxAt(url, 'w3').restore('none'));
    expect(fault).toMatchObject({ name: 'ControlFault', status: 404, violations: [] });
    expect(fault.message).toContain('there is no snapshot none here');
  });

  it('rejects with a line for each place that is wrong', async () => {
    const { url } = await startStorefront();
    // @ts-expect-error a cart item has more than this
    const fault = await rejection(sandboxAt(url, 'w3').setState({ cartItems: [{ quantity: 1 }] }));
    expect(fault.message.split('\n').slice(1)).toEqual([
      expect.stringMatching(/^ {2}\/cartItems\/0\/\w+: /),
      expect.stringMatching(/^ {2}\/cartItems\/0\/\w+: /),
    ]);
    expect(fault.violations).toHaveLength(2);
  });

  it('says nothing twice', async () => {
    const { url } = await startStorefront();
    const fault = await rejection(sandboxAt(url, 'w3').ids(-1));
    expect(fault.message).not.toContain('\n');
    expect(fault.violations).toMatchObject([{ pointer: '/seed' }]);
  });

  it('is done with the token that the server wants', async () => {
    const { url } = await startStorefront({ controlToken: 'secret' });
    expect((await rejection(sandboxAt(url, 'w3').renew())).status).toBe(401);
    await sandboxAt(url, 'w3', { token: 'secret' }).renew();
  });
});

describe('a server that is none', () => {
  it('is told of by its address where nobody answers', async () => {
    const { url, close } = await startStorefront();
    await close();
    const fault = await rejection(sandboxAt(url, 'w3').reset());
    expect(fault).toMatchObject({ status: undefined, cause: { code: 'ECONNREFUSED' } });
    expect(fault.message).toBe(
      `no server answers at ${url} (ECONNREFUSED): start it, or give the address of one that runs`,
    );
  });

  it.each([200, 404])('is told of where another one answers, with a page and %d', async (status) => {
    const { url } = await recorder((_, response) => void response.writeHead(status).end('<p>Welcome</p>'));
    const fault = await rejection(sandboxAt(url, 'w3').state());
    expect(fault.message).toBe(`${url} answers ${status}: it is no storefront that can be steered`);
  });
});
