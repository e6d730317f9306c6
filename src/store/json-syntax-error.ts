import jsonc, { type ParseError } from 'jsonc-parser';
import { TOO_DEEP, TOO_DEEP_REMEDY } from '../util/json-limits.ts';

/** An error in a JSON text. */
export interface JsonSyntaxError {
  /** The line of the error. The first line is 1. */
  readonly line: number;
  /** What is wrong: the end of a sentence that begins with the file and the line. */
  readonly message: string;
}

/** Creates the error for a text that is not JSON. Parses the text a second time, because `JSON.parse` does not report the position of every error. */
export function createJsonSyntaxError(text: string, { message }: Error): JsonSyntaxError {
  const errors: ParseError[] = [];
  completesWithinStack(() => jsonc.parse(text, errors, { disallowComments: true }));
  const [first] = errors;
  const line = text.slice(0, first?.offset).split('\n').length;
  const reason = first ? toWords(jsonc.printParseErrorCode(first.error)) : message.replaceAll(/\s+/g, ' ');
  return { line, message: `is not JSON: ${reason}` };
}

/** Returns the first name that occurs twice in an object of a valid JSON text. `JSON.parse` uses the last value, without an error. */
export function findDuplicateName(text: string): JsonSyntaxError | undefined {
  const objects: Set<string>[] = [];
  let duplicate: JsonSyntaxError | undefined;
  const isComplete = completesWithinStack(() =>
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
  return isComplete ? duplicate : { line: 1, message: `${TOO_DEEP}: ${TOO_DEEP_REMEDY}` };
}

/** Runs a recursive function. Returns false if it exceeds the size of the call stack. */
function completesWithinStack(step: () => unknown): boolean {
  try {
    step();
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Converts "ValueExpected" to "value expected". */
function toWords(code: string): string {
  return code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
