import jsonc, { type ParseError } from 'jsonc-parser';
import { TOO_DEEP, TOO_DEEP_REMEDY } from '../util/json-limits.ts';
import { tryOrError } from '../util/try-or-undefined.ts';

/** An error in a JSON text. */
export interface JsonSyntaxError {
  /** The line of the error; 1 for the first line. */
  readonly line: number;
  /** The offset of the error in the text, in characters. Undefined if the offset is unknown. */
  readonly offset?: number | undefined;
  /** The end of a sentence that starts with the file and the line, for example `is not JSON: value expected`. */
  readonly message: string;
}

/**
 * Creates the error for a text that `JSON.parse` can't parse.
 * Parses the text again with another parser, because `JSON.parse` does not report the position of every error.
 */
export function createJsonSyntaxError(text: string, { message }: Error): JsonSyntaxError {
  const errors: ParseError[] = [];
  // The parser is recursive. It throws a RangeError if the text is nested too deeply for the call stack.
  tryOrError(RangeError, () => jsonc.parse(text, errors, { disallowComments: true }));
  const [first] = errors;
  const line = text.slice(0, first?.offset).split('\n').length;
  const reason = first ? toWords(jsonc.printParseErrorCode(first.error)) : message.replaceAll(/\s+/g, ' ');
  return { line, offset: first?.offset, message: `is not JSON: ${reason}` };
}

/**
 * Returns an error if an object in a JSON text has the same property name twice, or if the text is nested too deeply.
 * Returns undefined otherwise.
 * `JSON.parse` does not report a repeated name: it uses the last value.
 */
export function findDuplicateName(text: string): JsonSyntaxError | undefined {
  const objects: Set<string>[] = [];
  let duplicate: JsonSyntaxError | undefined;
  const result = tryOrError(RangeError, () =>
    jsonc.visit(text, {
      onObjectBegin: () => void objects.push(new Set()),
      onObjectEnd: () => void objects.pop(),
      onObjectProperty(name, _offset, _length, line) {
        const names = objects.at(-1);
        if (names?.has(name)) {
          const message = `has ${JSON.stringify(name)} twice in one object: remove one of them`;
          duplicate ??= { line: line + 1, message };
        }
        names?.add(name);
      },
    }),
  );
  return result instanceof RangeError ? { line: 1, message: `${TOO_DEEP}: ${TOO_DEEP_REMEDY}` } : duplicate;
}

/** Converts an error code such as "ValueExpected" to "value expected". */
function toWords(code: string): string {
  return code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
