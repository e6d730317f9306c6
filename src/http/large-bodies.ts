import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { MEGABYTE } from '../util/limits.ts';
import { HttpProblemError, unavailable } from '../util/problem.ts';
import { Turns } from '../util/slices.ts';

/** The maximum memory of all large bodies that are received or wait to be handled, in bytes. */
const MAX_BYTES = 240 * MEGABYTE;

/** The time in which a body must grow by `PROGRESS_BYTES` while other bodies wait for memory, in ms. */
const STALLED_MS = 1_000;
const PROGRESS_BYTES = 64 * 1024;

/** The interval at which the server looks for stalled bodies while other bodies wait, in ms. */
const CHECK_MS = 250;

/** A decompressed body. `release` frees its memory, after the body was handled. */
interface LargeBody {
  readonly bytes: Buffer;
  readonly release: () => void;
}

/** A body that is being received. */
interface Upload {
  /** The decompressed body. */
  readonly stream: Readable;
  readonly chunks: Buffer[];
  bytes: number;
  /** When the body last grew by `PROGRESS_BYTES`, in ms of `performance.now()`, and its size at this time. */
  progressMs: number;
  progressBytes: number;
  isPaused: boolean;
  readonly fail: (error: Error) => void;
}

/**
 * The maximum number of requests with states that are handled at the same time.
 * Each request needs about 100 MB of memory.
 */
const MAX_HANDLED = 2;

/**
 * Receives large bodies, and limits the memory of all of them together.
 * A body needs only the memory of what has arrived, so any number of slow clients leaves the memory to others.
 * If the memory is used, all bodies except the oldest wait, and bodies that make no progress are refused with 503.
 */
export class LargeBodies {
  /** The bodies that are being received, the oldest first. */
  readonly #uploads = new Set<Upload>();
  /** The memory of all bodies, in bytes. */
  #bytes = 0;
  readonly #turns = new Turns(MAX_HANDLED);
  #timer: NodeJS.Timeout | undefined;

  /** `maxBytes`: the maximum memory of all bodies, in bytes. The oldest body can exceed it. */
  constructor(private readonly maxBytes = MAX_BYTES) {}

  /**
   * Receives a body.
   * Its memory stays reserved until `release` is called.
   * Rejects with an error of the status 413 if the body is larger than `limitBytes`, with an `HttpProblemError` if the
   * body is refused, and with another error if it is incomplete or can't be decompressed.
   */
  async receive(req: IncomingMessage, limitBytes: number): Promise<LargeBody> {
    if (Number(req.headers['content-length']) > limitBytes) throw createTooLarge();
    const stream = decompress(req);
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        if (!this.#uploads.delete(upload)) return;
        settle();
        this.#resumeUploads();
      };
      const fail = (error: Error) =>
        end(() => {
          this.#bytes -= upload.bytes;
          stream.removeAllListeners('data');
          if (stream !== req) stream.destroy();
          reject(error);
        });
      const upload: Upload = {
        stream,
        chunks: [],
        bytes: 0,
        progressMs: performance.now(),
        progressBytes: 0,
        isPaused: false,
        fail,
      };
      this.#uploads.add(upload);
      stream.on('data', (chunk: Buffer) => this.#add(upload, chunk, limitBytes));
      const release = () => {
        this.#bytes -= upload.bytes;
        this.#resumeUploads();
      };
      stream.on('end', () => end(() => resolve({ bytes: Buffer.concat(upload.chunks), release })));
      stream.on('error', fail);
      req.on('error', fail);
      req.on('close', () => {
        if (!req.complete) fail(new Error('request aborted'));
      });
    });
  }

  /**
   * Waits until fewer than two other requests are handled, in the order of the calls.
   * Resolves to a function that ends the turn.
   */
  waitForTurn(): Promise<() => void> {
    return this.#turns.start();
  }

  #add(upload: Upload, chunk: Buffer, limitBytes: number): void {
    upload.chunks.push(chunk);
    upload.bytes += chunk.length;
    this.#bytes += chunk.length;
    if (upload.bytes > limitBytes) {
      upload.fail(createTooLarge());
      return;
    }
    if (upload.bytes - upload.progressBytes >= PROGRESS_BYTES) recordProgress(upload);
    if (this.#bytes > this.maxBytes && !this.#isOldest(upload)) this.#pause(upload);
  }

  #isOldest(upload: Upload): boolean {
    const [oldest] = this.#uploads;
    return upload === oldest;
  }

  #pause(upload: Upload): void {
    upload.isPaused = true;
    upload.stream.pause();
    this.#timer ??= setInterval(() => this.#refuseStalled(), CHECK_MS);
  }

  #refuseStalled(): void {
    const nowMs = performance.now();
    for (const upload of this.#uploads)
      if (!upload.isPaused && nowMs - upload.progressMs > STALLED_MS) upload.fail(new HttpProblemError(TOO_SLOW));
  }

  /**
   * Lets bodies continue for which there is memory again.
   * The oldest body can always continue, so that the bodies never wait for each other.
   */
  #resumeUploads(): void {
    for (const upload of this.#uploads) {
      if (!upload.isPaused || (this.#bytes > this.maxBytes && !this.#isOldest(upload))) continue;
      upload.isPaused = false;
      recordProgress(upload);
      upload.stream.resume();
    }
    if ([...this.#uploads].some(({ isPaused }) => isPaused)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

const TOO_SLOW = unavailable(
  'the server is receiving too many large states at the same time, and this state arrived too slowly: send it again without pauses',
);

function recordProgress(upload: Upload): void {
  upload.progressMs = performance.now();
  upload.progressBytes = upload.bytes;
}

function createTooLarge(): Error {
  return Object.assign(new Error('the body is too large'), { status: 413 });
}

/** Returns the decompressed body of a request. Throws an error with the status 415 if the coding is not supported. */
function decompress(req: IncomingMessage): Readable {
  const encoding = (req.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return req;
  if (encoding === 'gzip' || encoding === 'deflate') return req.pipe(createUnzip());
  if (encoding === 'br') return req.pipe(createBrotliDecompress());
  throw Object.assign(new Error(`Unsupported Content-Encoding: ${encoding.slice(0, 100)}`), { status: 415 });
}
