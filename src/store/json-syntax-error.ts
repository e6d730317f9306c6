import jsonc, { type ParseError } from 'jsonc-parser';
import { TOO_DEEP, TOO_DEEP_REMEDY } from '../util/json-limits.ts';
import { tryOrError } from '../util/try-or-undefined.ts';

/** An error in a JSON text. */
export interface JsonSyntaxError {
  /** The line of the error. The first line is 1. */
  readonly line: number;
  /** The offset of the error in the text; undefined if it is unknown. */
  readonly offset?: number | undefined;
  /** What is wrong: the end of a sentence that begins with the file and the line. */
  readonly message: string;
}

/** Creates the error for a text that is not JSON. Parses the text a second time, because `JSON.parse` does not report the position of every error. */
export function createJsonSyntaxError(text: string, { message }: Error): JsonSyntaxError {
  const errors: ParseError[] = [];
  // The parser is recursive: it throws a RangeError if the text is nested too deeply for the call stack.
  tryOrError(RangeError, () => jsonc.parse(text, errors, { disallowComments: true }));
  const [first] = errors;
  const line = text.slice(0, first?.offset).split('\n').length;
  const reason = first ? toWords(jsonc.printParseErrorCode(first.error)) : message.replaceAll(/\s+/g, ' ');
  return { line, offset: first?.offset, message: `is not JSON: ${reason}` };
}

/**
 * Returns the error for the first property name that occurs twice in one object of a valid JSON text; undefined if there is none. `JSON.parse` reports
 * no error and uses the last value.
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

/** Converts "ValueExpected" to "value expected". */
function toWords(code: string): string {
  return code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
