import { createRandom, type Random } from '../../../src/util/random.ts';
import { createFetchClient, type TestResponse } from '../harness/start-storefront.ts';

/** Clients that send requests through a load balancer, while a test kills servers. */
export class Load {
  /** The number of acknowledged changes: responses with an expected status. */
  acknowledged = 0;
  /** Descriptions of unexpected responses, which the failure of a server can't explain. */
  readonly unexpected: string[] = [];
  readonly #running: Promise<void>[] = [];
  #isStopped = false;

  constructor(
    readonly url: string,
    private readonly seed: number,
  ) {}

  /** Starts a client. It calls `takeStep` repeatedly until the load is stopped. */
  add(sandbox: string, takeStep: (client: LoadClient) => Promise<void>): void {
    const number = this.#running.length;
    const client = new LoadClient(this, { sandbox, number, random: createRandom(this.seed + number) });
    const run = async () => {
      while (!this.#isStopped) await takeStep(client);
    };
    this.#running.push(run());
  }

  /** Stops all clients, and waits until each client has completed its current step. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
  }
}

/** The pause before a request is repeated, in ms. */
const RETRY_MS = 50;

/** A client that sends requests in one sandbox. */
export class LoadClient {
  /** The number of the client. The first client is 0. */
  readonly number: number;
  readonly random: Random;
  readonly #sandbox: string;

  constructor(
    private readonly load: Load,
    { sandbox, number, random }: { readonly sandbox: string; readonly number: number; readonly random: Random },
  ) {
    this.#sandbox = sandbox;
    this.number = number;
    this.random = random;
  }

  /**
   * Sends a request once. Resolves to undefined if the client can't know whether a server has handled the request, because the server or the connection has
   * failed.
   */
  async send(method: string, path: string, body?: unknown, headers = {}): Promise<TestResponse | undefined> {
    const ask = createFetchClient(this.load.url);
    const response = await ask(method, path, body, { 'X-Sandbox': this.#sandbox, ...headers }).catch(() => undefined);
    const isStopping = response?.status === 503 && response.headers.has('Retry-After');
    return isStopping || response?.status === 502 ? undefined : response;
  }

  /** Sends a request, and repeats it until a server has handled it. An idempotency key ensures that a repeated POST request is handled only once. */
  async sendUntilHandled(method: string, path: string, body?: unknown): Promise<TestResponse> {
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    for (;;) {
      const response = await this.send(method, path, body, headers);
      if (response && response.body?.type !== '/problems/idempotency-key-in-use') return response;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** Counts a response with an expected status as an acknowledged change. Records all other responses as unexpected. */
  record({ status, text }: TestResponse, expected: readonly number[]): void {
    if (expected.includes(status)) this.load.acknowledged++;
    else this.load.unexpected.push(`${this.#sandbox}: ${status} ${text}`);
  }

  /** Records an unexpected response if `actual` and `expected` differ. `name`: what the values are, for the failure report. */
  compare(name: string, actual: unknown, expected: unknown): void {
    const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (found !== wanted) this.load.unexpected.push(`${this.#sandbox}: ${name} ${found} instead of ${wanted}`);
  }
}
