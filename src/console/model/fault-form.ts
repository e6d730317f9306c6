import type { FaultDefinition } from '../../control/operation.ts';
import { tryOrUndefined } from '../../util/try-or-undefined.ts';

/** The texts in the form that adds a fault. If a text is empty, the fault does not have the property. */
export interface FaultForm {
  readonly operation: string;
  readonly effect: 'response' | 'connection' | 'delay';
  readonly status: string;
  readonly example: string;
  readonly body: string;
  readonly connection: 'reset' | 'cut';
  readonly delay: string;
  readonly times: string;
  readonly skip: string;
  readonly probability: string;
  readonly phase: 'before' | 'after';
  readonly where: string;
}

/** The initial texts of the form. They describe a fault that makes the next request fail with status 503. */
export const INITIAL_FAULT: FaultForm = {
  operation: '',
  effect: 'response',
  status: '503',
  example: '',
  body: '',
  connection: 'reset',
  delay: '',
  times: '1',
  skip: '',
  probability: '',
  phase: 'before',
  where: '',
};

/** Converts the texts of the form to a fault. Throws an error if the matcher is not valid JSON. */
export function toFaultDefinition(form: FaultForm): FaultDefinition {
  const { operation, effect, connection, phase, where } = form;
  return {
    ...(operation !== '' && { operation }),
    ...(effect === 'response' && toResponse(form)),
    ...(effect === 'connection' && { connection }),
    ...toNumber('delay', form.delay),
    ...toNumber('times', form.times),
    ...toNumber('skip', form.skip),
    ...(form.probability !== '' && { probability: Number(form.probability) / 100 }),
    ...(phase === 'after' && { phase }),
    ...(where.trim() !== '' && { where: parseJson('The matcher', where) as NonNullable<FaultDefinition['where']> }),
  };
}

function toResponse({ status, example, body }: FaultForm): FaultDefinition {
  return {
    ...toNumber('status', status),
    ...(example !== '' && { example }),
    // A body that is not JSON is sent as text.
    ...(body.trim() !== '' && { body: tryOrUndefined(() => JSON.parse(body)) ?? body }),
  };
}

function toNumber(name: 'delay' | 'times' | 'skip' | 'status', text: string): FaultDefinition {
  return text === '' ? {} : { [name]: Number(text) };
}

function parseJson(name: string, text: string): unknown {
  const value = tryOrUndefined(() => JSON.parse(text));
  if (value === undefined) throw new Error(`${name} must be valid JSON.`);
  return value;
}
