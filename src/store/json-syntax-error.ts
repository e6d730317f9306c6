import jsonc, { type ParseError } from 'jsonc-parser';

/** Something wrong with a text of JSON: on which line, counted from 1, and what, as the end of a sentence that begins with the place. */
export interface JsonSyntaxError {
  readonly line: number;
  readonly trouble: string;
}

/** Why a text can't be parsed. V8 tells of some errors without the place, so that is looked for by a parser that goes on after them. */
export function createJsonSyntaxError(text: string, { message }: Error): JsonSyntaxError {
  const errors: ParseError[] = [];
  shallowly(() => jsonc.parse(text, errors, { disallowComments: true }));
  const [first] = errors;
  const line = text.slice(0, first?.offset).split('\n').length;
  const what = first ? inWords(jsonc.printParseErrorCode(first.error)) : message.replaceAll(/\s+/g, ' ');
  return { line, trouble: `is not JSON: ${what}` };
}

/** The first name that stands twice in one object of a text that can be parsed: of two, parsing drops the first without a word. */
export function findDuplicateName(text: string): JsonSyntaxError | undefined {
  const objects: Set<string>[] = [];
  let fault: JsonSyntaxError | undefined;
  const isShallow = shallowly(() =>
    jsonc.visit(text, {
      onObjectBegin: () => void objects.push(new Set()),
      onObjectEnd: () => void objects.pop(),
      onObjectProperty(name, _offset, _length, line) {
        const names = objects.at(-1);
        if (names?.has(name)) {
          fault ??= {
            line: line + 1,
            trouble: `has ${JSON.stringify(name)} a second time in one object: leave one out`,
          };
        }
        names?.add(name);
      },
    }),
  );
  return isShallow ? fault : { line: 1, trouble: 'is nested too deeply' };
}

/** Does what calls itself for each level of nesting; false where there are too many. */
function shallowly(step: () => unknown): boolean {
  try {
    step();
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** "ValueExpected" as "value expected". */
function inWords(code: string): string {
  return code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
