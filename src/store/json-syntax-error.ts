import jsonc, { type ParseError } from 'jsonc-parser';
import { TOO_DEEP, TOO_DEEP_REMEDY } from '../util/json-limits.ts';

/** An error in a JSON text. */
export interface JsonSyntaxError {
  /** The line of the error, from 1. */
  readonly line: number;
  /** The rest of a sentence that starts with the place. */
  readonly message: string;
}

/** Describes why a text is not JSON. V8 does not report the position of every error, so an error-tolerant parser finds it. */
export function createJsonSyntaxError(text: string, { message }: Error): JsonSyntaxError {
  const errors: ParseError[] = [];
  completesWithinStack(() => jsonc.parse(text, errors, { disallowComments: true }));
  const [first] = errors;
  const line = text.slice(0, first?.offset).split('\n').length;
  const reason = first ? toWords(jsonc.printParseErrorCode(first.error)) : message.replaceAll(/\s+/g, ' ');
  return { line, message: `is not JSON: ${reason}` };
}

/** Returns the first duplicate name in an object of a valid JSON text, since `JSON.parse` silently drops all values but the last. */
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

/** Runs a recursive step; returns false if it overflows the stack. */
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
