import type { Fault } from '../../control/operation.ts';
import { describeFault } from '../model/describe-fault.ts';
import { formatQuantity } from '../model/format.ts';
import type { Details } from '../model/request-row.ts';
import { Section } from './section.tsx';

/** The near misses of a request: the active faults that did not apply to it, and the reasons. */
export function NearMisses({ faults }: Pick<Details, 'faults'>) {
  // The section is closed if all faults are for other operations, because the user rarely needs these faults.
  const hasNear = faults.some(({ reasons }) => !reasons.some((reason) => reason.startsWith('operation:')));
  return (
    <Section title="Near misses">
      <details open={hasNear}>
        <summary>{formatQuantity(faults.length, 'fault')} did not apply</summary>
        <ul class="near-misses">
          {faults.map(({ fault, reasons }) => (
            <li key={fault.id}>
              <p>
                <code>{fault.id}</code> {describeFault(fault as Fault)}
              </p>
              <ul class="sentences">
                {reasons.map((reason) => (
                  <li key={reason}>{reason}</li>
                ))}
              </ul>
            </li>
          ))}
        </ul>
      </details>
    </Section>
  );
}
