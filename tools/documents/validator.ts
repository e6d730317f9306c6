import { validator as schemasafe } from '@exodus/schemasafe';
import type { Document } from './document.ts';
import { type Sender, toJsonSchema } from './json-schema.ts';

/** Returns the issues of a value by a schema: none if it is valid. */
export type Validate = (schema: unknown, value: unknown, sender: Sender) => readonly string[];

/** Creates a validator that shares no code with the server under test. It compiles each schema once. */
export function createValidator(document: Document): Validate {
  const compiled = new Map<Sender, Map<unknown, (value: unknown) => readonly string[]>>([
    ['request', new Map()],
    ['response', new Map()],
  ]);
  return (schema, value, sender) => {
    const known = compiled.get(sender);
    const validate = known?.get(schema) ?? compile(document, schema, sender);
    known?.set(schema, validate);
    return value === undefined ? ['there is no value'] : validate(value);
  };
}

function compile(document: Document, schema: unknown, sender: Sender): (value: unknown) => readonly string[] {
  try {
    return compileSchema(document, schema, sender);
  } catch (error) {
    // A schema that the second validator can't read is no defect of the server.
    process.stderr.write(`a schema is not validated: ${(error as Error).message.slice(0, 200)}\n`);
    return () => [];
  }
}

/** Returns a function that returns the issues of a value by a schema. Throws an error if the validator can't read the schema. */
export function compileSchema(
  document: Document,
  schema: unknown,
  sender: Sender,
): (value: unknown) => readonly string[] {
  const { schema: plain, formats } = toJsonSchema(document, schema, sender);
  const options = { mode: 'lax', formatAssertion: true, formats, includeErrors: true } as const;
  const validate = schemasafe(plain as never, options);
  return (value) => (validate(value as never) ? [] : (validate.errors ?? []).map(toText));
}

function toText({ keywordLocation, instanceLocation }: { keywordLocation: string; instanceLocation: string }): string {
  return `${instanceLocation} violates ${keywordLocation}`;
}
