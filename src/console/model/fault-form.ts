import type { Fault, FaultDefinition } from '../../control/operation.ts';
import { tryOrUndefined } from '../../util/try-or-undefined.ts';
import { formatQuantity } from './format.ts';

/** The texts in the form that adds a fault. If a text is empty, the fault does not have the property. */
export interface FaultForm {
  readonly operation: string;
  readonly effect: 'response' | 'connection' | 'delay' | 'hold';
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
    ...(effect === 'hold' ? { hold: true } : toNumber('delay', form.delay)),
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

/** Describes the effects of a fault and the requests that it applies to, such as "status 503 for createNote, once". */
export function describeFault(fault: FaultDefinition | Fault): string {
  const { operation, where, skip = 0, times, probability } = fault;
  const operations = operation === undefined ? 'any operation' : [operation].flat().join(', ');
  const parts = [
    `${describeEffects(fault)} for ${operations}`,
    ...(where === undefined ? [] : [`where ${JSON.stringify(where)}`]),
    ...(skip > 0 ? [`after ${formatQuantity(skip, 'request')}`] : []),
    ...(times === undefined ? [] : [times === 1 ? 'once' : `${times} times`]),
    ...(probability === undefined ? [] : [`with a probability of ${Math.round(probability * 100)} %`]),
  ];
  return parts.join(', ');
}

function describeEffects({
  status,
  example,
  delay,
  hold,
  connection,
  bodyDurationMs,
  stream,
  phase,
}: FaultDefinition | Fault): string {
  const effects = [
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(example === undefined ? [] : [`example ${example}`]),
    ...(delay === undefined ? [] : [`delay of ${describeDelay(delay)}`]),
    ...(hold ? ['hold until released'] : []),
    ...(connection === undefined ? [] : [connection === 'reset' ? 'connection reset' : 'connection cut']),
    ...(bodyDurationMs === undefined ? [] : [`body sent over ${bodyDurationMs} ms`]),
    ...(stream === undefined ? [] : [describeStreamFault(stream)]),
  ];
  const text = effects.join(', ') || 'no effect';
  return phase === 'after' ? `${text} after the operation` : text;
}

function describeStreamFault({ effect, afterItems = 0, delayMs }: NonNullable<FaultDefinition['stream']>): string {
  const delay = effect === 'delay' ? ` of ${delayMs} ms` : '';
  return `stream ${effect}${delay} after ${afterItems} ${afterItems === 1 ? 'item' : 'items'}`;
}

function describeDelay(delay: NonNullable<FaultDefinition['delay']>): string {
  return typeof delay === 'number' ? `${delay} ms` : `${delay.from} to ${delay.to} ms`;
}
