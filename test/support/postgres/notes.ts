import { createObject, createResourcePaths } from '../fixtures/api-document.ts';
import { writeApi } from '../harness/start-api.ts';
import { createFetchClient, type TestResponse } from '../harness/start-storefront.ts';

const NOTE = createObject({ id: { type: 'integer', readOnly: true }, 'text!': { type: 'string' } });

/** Writes an OpenAPI document with one resource, notes, to a temporary file. Returns the path of the file. */
export function writeNotesDocument(): Promise<string> {
  return writeApi({ paths: createResourcePaths('/notes/{id}', NOTE) });
}

/** The maximum duration of a request, in ms. It also applies while the database is not available. */
export const MAX_RESPONSE_MS = 30_000;

/** Clients that create notes. They record which notes the servers have acknowledged. */
export class NoteWriters {
  /** The texts of all sent notes, and the texts of the notes that a server has acknowledged with 201. */
  readonly sent: string[] = [];
  readonly acknowledged: string[] = [];
  /** The status and body of each response that is neither 201 nor 503 with `Retry-After`. */
  readonly unexpected: string[] = [];
  unavailable = 0;
  longestMs = 0;
  readonly #running: Promise<void>[];
  #isStopped = false;

  /** Starts clients. Each client sends its requests to the servers in turn, and waits for each response. `prefix`: the start of the text of all notes. */
  constructor(
    private readonly urls: readonly string[],
    clients: number,
    private readonly prefix = '',
  ) {
    this.#running = Array.from({ length: clients }, (_, index) => this.#run(index));
  }

  /** Stops the clients, and waits for the responses to their last requests. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#running);
  }

  async #run(client: number): Promise<void> {
    const asks = this.urls.map(createFetchClient);
    for (let number = 0; !this.#isStopped; number++) {
      const text = `${this.prefix}${client}-${number}`;
      const startMs = performance.now();
      this.sent.push(text);
      // The request fails if the server is killed.
      const response = await asks[(client + number) % asks.length]?.('POST', '/notes', { text }).catch(() => undefined);
      this.longestMs = Math.max(this.longestMs, performance.now() - startMs);
      if (response) this.#record(text, response);
    }
  }

  #record(text: string, { status, headers, text: body }: TestResponse): void {
    if (status === 201) this.acknowledged.push(text);
    else if (status === 503 && headers.has('Retry-After')) this.unavailable++;
    else this.unexpected.push(`${status} ${body}`);
  }
}

/** Returns the texts of all notes on a server. */
export async function listNotes(url: string): Promise<readonly string[]> {
  const { body } = await createFetchClient(url)('GET', '/notes?limit=100000');
  return body.map(({ text }: { text: string }) => text);
}
