import type { Fault, FaultDefinition } from '../../control/operation.ts';
import { formatQuantity } from './format.ts';

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
  connection,
  bodyDurationMs,
  phase,
}: FaultDefinition | Fault): string {
  const effects = [
    ...(status === undefined ? [] : [`status ${status}`]),
    ...(example === undefined ? [] : [`example ${example}`]),
    ...(delay === undefined ? [] : [`delay of ${describeDelay(delay)}`]),
    ...(connection === undefined ? [] : [connection === 'reset' ? 'connection reset' : 'connection cut']),
    ...(bodyDurationMs === undefined ? [] : [`body sent over ${bodyDurationMs} ms`]),
  ];
  const text = effects.join(', ') || 'no effect';
  return phase === 'after' ? `${text} after the operation` : text;
}

function describeDelay(delay: NonNullable<FaultDefinition['delay']>): string {
  return typeof delay === 'number' ? `${delay} ms` : `${delay.from} to ${delay.to} ms`;
}
