import type { HandlerResponse } from '../application.ts';
import type { StreamFault } from '../faults/fault.ts';
import { chooseMediaType, createVary } from '../mock/media-types.ts';
import { findMediaType } from '../openapi/media-types.ts';
import { findResponse, type ResponseViolation } from '../openapi/responses.ts';
import type { DocumentedItems } from '../openapi/stream-items.ts';
import { normalizeHeaderNames } from '../util/headers.ts';
import { HttpProblemError } from '../util/problem.ts';
import { createPause } from '../util/slices.ts';
import { createStreamFormat, getStreamKind, type Items, type StreamFormat, StreamItem } from '../util/streams.ts';
import { setHeaders } from './access-policy.ts';
import type { Exchange, OperationExchange, ResponseData, SentResponse } from './exchange.ts';
import { formatStreamPreferences } from './preferences.ts';
import { addToJournal, addWaiting } from './recording.ts';

/**
 * The maximum number of streams that a server sends at the same time, if the option `maxStreams` does not set it.
 * Each needs a connection and a timer.
 */
export const MAX_STREAMS = 500;

/**
 * The interval between heartbeats in a stream, in ms.
 * They prevent proxies from closing an idle connection.
 */
export const HEARTBEAT_MS = 15_000;

/** The size of the parts in which an item is written, in bytes. Only a client that reads no part for long is closed. */
const MAX_PART_BYTES = 65_536;

/** The time after which the server closes a stream whose client does not read, in ms. */
const STALLED_MS = 60_000;

/** The interval at which a server with a shared state loads the changes of other servers, in ms. */
const LOAD_MS = 500;

/** The headers of all streams. A cache or a buffer in a proxy would delay the items. */
export const STREAM_HEADERS = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };

/**
 * Creates the response of a handler that returned an async iterable as its body.
 * Throws an `HttpProblemError` if the contract documents no stream for the status, and the handler has set no type.
 */
export function createItemResponse(
  { route, headers: sent }: OperationExchange,
  { status = route.successStatus, headers = {} }: HandlerResponse,
  items: Items,
): ResponseData {
  const own = normalizeHeaderNames(headers);
  const documented = Object.keys(findResponse(route.responses, status)?.media ?? {});
  const streams = documented.filter((type) => getStreamKind(type) !== undefined);
  const type = own['Content-Type'] ?? chooseMediaType(streams, sent.accept ?? '');
  const format = type === undefined ? undefined : createStreamFormat(type);
  if (!format) {
    const detail = `the handler of ${route.operationId} returned an async iterable, but the contract documents no stream for the status ${status}: document text/event-stream or application/jsonl, or return an array`;
    throw new HttpProblemError({ code: 'internal-error', detail });
  }
  const vary = own['Content-Type'] === undefined && documented.length > 1 ? createVary(own) : {};
  return { status, headers: { ...own, 'Content-Type': format.contentType, ...vary }, items };
}

/** How the items of a stream are sent. */
interface Sending {
  readonly paceMs: number;
  readonly isOpen: boolean;
  /** The number of items after which the stream ends. */
  readonly maxItems: number;
  readonly fault: StreamFault | undefined;
}

/**
 * Returns whether a response is sent item by item.
 * A stream that is known as a whole, and has no pace, is sent like any other body.
 */
export function isItemStream(exchange: Exchange, response: ResponseData): boolean {
  const { paceMs, isOpen, fault } = getSending(exchange);
  const isWhole = response.body !== undefined && paceMs === 0 && !isOpen && !fault;
  return !isWhole || exchange.preferences.stream !== undefined;
}

/** Returns the settings of a stream. The options of the server apply to mocked streams, and preferences to all. */
function getSending({ app, preferences: { stream }, returned, transport }: Exchange): Sending {
  const isMocked = returned?.by === 'mock';
  const { streamPace = 0, streamOpen = false } = isMocked ? app.options : {};
  return {
    paceMs: stream?.paceMs ?? streamPace,
    isOpen: stream?.isOpen ?? streamOpen,
    maxItems: stream?.items ?? Number.POSITIVE_INFINITY,
    // Half of a stream without an end is unknown, so its connection is closed after an item.
    fault: transport?.connection === 'cut' ? { effect: 'cut', afterItems: 1 } : transport?.stream,
  };
}

/**
 * Starts a stream: sends the status and the headers, and then the items until the client, the server, the sandbox or
 * the source ends the stream.
 * The journal has the request as a waiting one until then.
 */
export function startItemStream(exchange: Exchange, response: ResponseData): SentResponse {
  const { res, preferences, app } = exchange;
  const { status, headers } = response;
  res.statusCode = status;
  setHeaders(res, { ...STREAM_HEADERS, ...headers });
  if (preferences.stream) {
    const applied = res.getHeader('Preference-Applied');
    res.setHeader('Preference-Applied', formatStreamPreferences(preferences.stream, applied?.toString()));
  }
  if (exchange.method === 'HEAD') {
    res.end();
    exchange.streamEnd.abort();
    return { response, text: '', bytes: 0 };
  }
  res.flushHeaders();
  addWaiting(exchange);
  exchange.isStreaming = true;
  const sender = new ItemSender(exchange, response, getSending(exchange));
  app.streams.add(sender.end);
  void sender.run().finally(() => app.streams.delete(sender.end));
  return { response, text: '', bytes: 0 };
}

/** The maximum length of the text that the journal gets, in characters. It stores even less. */
const MAX_RECORDED_LENGTH = 5_000;

/** The texts of items that several streams can send. */
const formatted = new WeakMap<StreamItem, { readonly format: string; readonly text: string }>();

/** Sends the items of one stream. */
class ItemSender {
  readonly #exchange: Exchange;
  readonly #response: ResponseData;
  readonly #sending: Sending;
  readonly #format: StreamFormat;
  readonly #documented: DocumentedItems | undefined;
  readonly #signal: AbortSignal;
  #isCut = false;
  #text = '';
  #bytes = 0;
  /** The number of items that were sent. */
  #count = 0;
  /** Why the stream has ended before its source; undefined if the source has ended. */
  #reason: string | undefined;

  constructor(exchange: Exchange, response: ResponseData, sending: Sending) {
    this.#exchange = exchange;
    this.#response = response;
    this.#sending = sending;
    this.#signal = exchange.streamEnd.signal;
    const type = response.headers['Content-Type'] ?? '';
    const { media = {} } = findResponse(exchange.route?.responses ?? [], response.status) ?? {};
    this.#documented = media[findMediaType(Object.keys(media), type) ?? '']?.items;
    this.#format = createStreamFormat(type, this.#documented) as StreamFormat;
  }

  /** Ends the stream. The client still receives the items that are already written. */
  readonly end = (reason = 'the contract was reloaded'): void => {
    this.#reason ??= reason;
    this.#exchange.streamEnd.abort();
  };

  async run(): Promise<void> {
    const { res, app } = this.#exchange;
    const release = this.#listen();
    try {
      await this.#sendAll();
      if (!this.#isCut && !res.destroyed) res.end(this.#format.end);
    } catch (err) {
      const { method, path } = this.#exchange;
      app.log.error({ err, method, path }, 'a stream has failed');
      this.#reason = `of an error: ${err instanceof Error ? err.message : String(err)}`;
      this.#close();
    } finally {
      this.#exchange.streamEnd.abort();
      release();
      this.#record();
    }
  }

  /** Listens for what ends the stream, and keeps the connection open. Returns a function that stops this. */
  #listen(): () => void {
    const { res, app, sandbox } = this.#exchange;
    const onClose = () => this.end('the client closed the connection');
    const onStop = () => this.end('the server stopped');
    // A sandbox whose journal is followed does not expire.
    const unfollow = sandbox.journal.follow({ onRecord() {}, onEnd: () => this.end('the sandbox was removed') });
    const { heartbeat } = this.#format;
    const timers = [
      ...(heartbeat === undefined
        ? []
        : [setInterval(() => !res.writableNeedDrain && res.write(heartbeat), HEARTBEAT_MS)]),
      ...(app.sandboxes.isShared
        ? [setInterval(() => void app.sandboxes.load(sandbox.id).catch(() => {}), LOAD_MS)]
        : []),
    ];
    res.once('close', onClose);
    app.stopping.addEventListener('abort', onStop);
    if (res.destroyed) onClose();
    if (app.stopping.aborted) onStop();
    return () => {
      for (const timer of timers) clearInterval(timer);
      unfollow();
      res.off('close', onClose);
      app.stopping.removeEventListener('abort', onStop);
    };
  }

  /** Sends all items, and then waits for the end if the stream stays open. */
  async #sendAll(): Promise<void> {
    const { paceMs, isOpen, maxItems } = this.#sending;
    const iterator = getIterator(this.#response.items ?? []);
    const pause = createPause();
    await this.#write(this.#format.start);
    try {
      while (this.#count < maxItems && !this.#signal.aborted) {
        if (this.#applyEnd()) return;
        if (paceMs > 0 && this.#count > 0) await this.#wait(paceMs);
        const next = await this.#untilEnd(iterator.next());
        if (this.#signal.aborted) break;
        if (typeof next !== 'object' || next === null) throw new TypeError(`the iterator returned ${String(next)}`);
        if (next.done) break;
        await this.#sendItem(this.#show(next.value));
        await pause();
      }
    } finally {
      // The source may wait for something else, so its end is not awaited.
      void Promise.resolve(iterator.return?.()).catch(() => {});
    }
    if (this.#applyEnd() || this.#signal.aborted) return;
    if (isOpen) await this.#untilEnd(new Promise(() => {}));
  }

  /** Applies a fault that ends the stream after the items that were sent. Returns whether it has ended. */
  #applyEnd(): boolean {
    const { effect, afterItems = 0 } = this.#sending.fault ?? {};
    if (afterItems !== this.#count || (effect !== 'cut' && effect !== 'end')) return false;
    this.#reason = effect === 'cut' ? 'a fault closed the connection' : 'a fault ended the stream';
    if (effect === 'cut') this.#close();
    return true;
  }

  /** Closes the connection when the items that are written are sent. The response is not complete. */
  #close(): void {
    this.#isCut = true;
    this.#exchange.socket.destroySoon();
  }

  async #sendItem(item: unknown): Promise<void> {
    const isItem = !(item instanceof StreamItem) || item.value !== undefined;
    const { effect, afterItems = 0, delayMs = 0 } = this.#sending.fault ?? {};
    const isAffected = isItem && afterItems === this.#count;
    if (isAffected && effect === 'delay') await this.#wait(delayMs);
    const isCorrupt = isAffected && effect === 'corrupt';
    if (this.#signal.aborted) return;
    const text = isCorrupt ? this.#format.formatPart(item) : this.#formatItem(item);
    if (isItem) this.#count++;
    await this.#write(text);
  }

  /** Returns an item as clients see it: an item of a user's handler can be a stored entry. */
  #show(item: unknown): unknown {
    const { app, returned } = this.#exchange;
    const { showItem } = app.implementation;
    return returned?.by === 'user' && showItem ? showItem(item) : item;
  }

  /** Validates and formats an item. An item that many clients get is validated and formatted only once. */
  #formatItem(item: unknown): string {
    if (!(item instanceof StreamItem)) {
      this.#verify(item);
      return this.#format.formatItem(item);
    }
    const known = formatted.get(item);
    if (known?.format === this.#format.contentType) return known.text;
    if (item.value !== undefined) this.#verify(item.value);
    const text = this.#format.formatItem(item);
    formatted.set(item, { format: this.#format.contentType, text });
    return text;
  }

  /** Validates an item against the contract. With `verify: 'strict'`, throws an error for an invalid item. */
  #verify(value: unknown): void {
    const { app, contract, returned } = this.#exchange;
    if (app.options.verify === 'off' || !this.#documented || returned?.by === 'mock') return;
    const violations = contract.verifyItem(this.#documented, { index: this.#count, value });
    if (violations.length > 0) this.#addViolations(violations);
  }

  #addViolations(violations: readonly ResponseViolation[]): void {
    const exchange = this.#exchange;
    const { app, route, responseViolations = [] } = exchange;
    const messages = violations.map(({ message }) => message);
    if (responseViolations.length < MAX_VIOLATIONS)
      app.log.error(
        { operation: route?.operationId, responseViolations: violations },
        'a stream item violates the contract',
      );
    exchange.responseViolations = [...responseViolations, ...messages].slice(0, MAX_VIOLATIONS);
    if (app.options.verify === 'strict') throw new Error(`a stream item violates the contract: ${messages.join('; ')}`);
  }

  /** Writes a text, part by part, each when the client can receive more. */
  async #write(text: string): Promise<void> {
    if (this.#text.length < MAX_RECORDED_LENGTH) this.#text += text.slice(0, MAX_RECORDED_LENGTH);
    const bytes = Buffer.from(text);
    this.#bytes += bytes.length;
    for (let start = 0; start < bytes.length; start += MAX_PART_BYTES)
      await this.#writePart(bytes.subarray(start, start + MAX_PART_BYTES));
  }

  async #writePart(part: Buffer): Promise<void> {
    const { res } = this.#exchange;
    if (res.destroyed || res.write(part)) return;
    const stalled = setTimeout(() => {
      this.end('the client did not read');
      res.destroy();
    }, STALLED_MS);
    await this.#untilEnd(new Promise((resolve) => res.once('drain', resolve)));
    clearTimeout(stalled);
  }

  async #wait(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await this.#untilEnd(
      new Promise((resolve) => {
        timer = setTimeout(resolve, ms);
      }),
    );
    clearTimeout(timer);
  }

  /** Waits for a value. Resolves to undefined if the stream ends before. */
  #untilEnd<Value>(value: Value | Promise<Value>): Promise<Value | undefined> {
    const signal = this.#signal;
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const end = () => resolve(undefined);
      signal.addEventListener('abort', end, { once: true });
      Promise.resolve(value)
        .then(resolve, reject)
        .finally(() => signal.removeEventListener('abort', end));
    });
  }

  #record(): void {
    const exchange = this.#exchange;
    const items = `${this.#count} ${this.#count === 1 ? 'item' : 'items'}`;
    const note = `the stream sent ${items}${this.#reason === undefined ? '' : `, and ended because ${this.#reason}`}`;
    exchange.notes = [...exchange.notes, note];
    if (!exchange.isRecorded) return;
    addToJournal(exchange, { response: this.#response, text: this.#text, bytes: this.#bytes });
  }
}

/** The maximum number of violations in the items of a stream that are recorded. */
const MAX_VIOLATIONS = 20;

function getIterator(items: Items): Iterator<unknown> | AsyncIterator<unknown> {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
}
