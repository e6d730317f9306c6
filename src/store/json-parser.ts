import { findInexactIntegers, MAX_JSON_DEPTH } from '../util/limits.ts';
import type { Steps } from '../util/slices.ts';

const [QUOTE, BACKSLASH, COLON, COMMA, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [...Buffer.from('"\\:,[]{}')];
const SPACES: readonly unknown[] = [...Buffer.from(' \n\r\t')];
const ENDS: readonly unknown[] = [undefined, COMMA, CLOSE_LIST, CLOSE, ...SPACES];

/** The byte order mark in UTF-8. */
const MARK = Buffer.from('\uFEFF');

/**
 * The minimum size of the text that is parsed at once, in bytes.
 * From this size, V8 allocates the parsed objects in the old generation, so it does not copy them.
 */
const BATCH_BYTES = 128 * 1024;

/**
 * Parses the JSON text of an object whose values are long lists.
 * `JSON.parse` would block the server for seconds.
 * `parse` yields between list entries instead, so that the caller can pause.
 * Throws `SyntaxError` if the text is invalid.
 */
export class JsonParser {
  #at: number;
  /**
   * The number of colons outside strings in the text that was skipped, but is not parsed yet.
   * It equals the number of properties in this text.
   */
  #colons = 0;
  #valid = { validBytes: 0, context: '' };

  constructor(private readonly bytes: Buffer) {
    this.#at = bytes.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0;
  }

  /**
   * What is valid after `parse` has thrown a `SyntaxError`.
   * `validBytes`: how many bytes at the start of the text are valid.
   * `context`: a short JSON text, such as `{"":[`, that can replace the valid bytes.
   * A parser then finds the same first error in the rest of the text.
   */
  get valid(): { readonly validBytes: number; readonly context: string } {
    return this.#valid;
  }

  *parse(): Steps<unknown> {
    const properties = new Map<string, unknown>();
    this.#expect(OPEN);
    let hasMore = this.#peek() !== CLOSE;
    while (hasMore) {
      this.#setValid(properties.size === 0 ? '{' : '{"":0,');
      const name = this.#parseName();
      if (properties.has(name)) this.#fail();
      properties.set(name, this.#peek() === OPEN_LIST ? yield* this.#parseList() : this.#parseValue());
      hasMore = this.#accept(COMMA);
    }
    this.#expect(CLOSE);
    if (this.#peek() !== undefined) this.#fail();
    return Object.fromEntries(properties);
  }

  #parseName(): string {
    if (this.#peek() !== QUOTE) this.#fail();
    const name = this.#parseValue() as string;
    this.#expect(COLON);
    this.#setValid('{"":');
    return name;
  }

  /** Parses a list that is the value of a property. */
  *#parseList(): Steps<readonly unknown[]> {
    const list: unknown[] = [];
    this.#expect(OPEN_LIST);
    let hasMore = this.#peek() !== CLOSE_LIST;
    while (hasMore) {
      this.#setValid(list.length === 0 ? '{"":[' : '{"":[0,');
      const start = this.#at;
      let end: number;
      do {
        this.#skipValue();
        end = this.#at;
        hasMore = this.#accept(COMMA);
      } while (hasMore && this.#at - start < BATCH_BYTES);
      for (const entry of this.#parseEntries(start, end)) list.push(entry);
      yield;
    }
    this.#expect(CLOSE_LIST);
    return list;
  }

  #parseValue(): unknown {
    this.#peek();
    const start = this.#at;
    this.#skipValue();
    return this.#parseEntries(start, this.#at)[0];
  }

  /**
   * Parses the values between two offsets of the text, which are separated by commas.
   * Throws `SyntaxError` if an integer can't be represented, or if an object has the same property name twice: the
   * parsed objects then have fewer properties than the text has colons.
   */
  #parseEntries(start: number, end: number): readonly unknown[] {
    const colons = this.#colons;
    this.#colons = 0;
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.bytes.subarray(start, end));
      const entries: readonly unknown[] = JSON.parse(`[${text}]`);
      if (countProperties(entries, 1) === colons && findInexactIntegers(text).length === 0) return entries;
    } catch (cause) {
      this.#fail(cause);
    }
    return this.#fail();
  }

  #skipValue(): void {
    const first = this.#peek();
    if (first === OPEN || first === OPEN_LIST) this.#skipNested();
    else if (first === QUOTE) this.#skipString();
    else if (ENDS.includes(first)) this.#fail();
    else while (!ENDS.includes(this.bytes[this.#at])) this.#at++;
  }

  /** Skips an object or a list. Does not check which kind of bracket closes it. */
  #skipNested(): void {
    const { bytes } = this;
    let depth = 0;
    do {
      const byte = bytes[this.#at];
      if (byte === undefined) this.#fail();
      if (byte === QUOTE) this.#skipString();
      else {
        if (byte === OPEN || byte === OPEN_LIST) depth++;
        else if (byte === CLOSE || byte === CLOSE_LIST) depth--;
        else if (byte === COLON) this.#colons++;
        this.#at++;
      }
    } while (depth > 0);
  }

  #skipString(): void {
    const { bytes } = this;
    let at = this.#at + 1;
    for (; bytes[at] !== QUOTE; at++) {
      if (at >= bytes.length) this.#fail();
      if (bytes[at] === BACKSLASH) at++;
    }
    this.#at = at + 1;
  }

  /** Skips white space. Returns the next byte; undefined at the end. */
  #peek(): number | undefined {
    while (SPACES.includes(this.bytes[this.#at])) this.#at++;
    return this.bytes[this.#at];
  }

  #accept(byte: number | undefined): boolean {
    if (this.#peek() !== byte) return false;
    this.#at++;
    return true;
  }

  #expect(byte: number | undefined): void {
    if (!this.#accept(byte)) this.#fail();
  }

  #setValid(context: string): void {
    this.#valid = { validBytes: this.#at, context };
  }

  #fail(cause?: unknown): never {
    throw new SyntaxError('invalid JSON', { cause });
  }
}

/** Counts the properties of all objects in a value. Returns NaN if the value is nested too deeply. */
function countProperties(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth >= MAX_JSON_DEPTH) return Number.NaN;
  let count = 0;
  if (Array.isArray(value)) for (const inner of value) count += countProperties(inner, depth + 1);
  else
    for (const name in value)
      count += 1 + countProperties((value as Readonly<Record<string, unknown>>)[name], depth + 1);
  return count;
}
