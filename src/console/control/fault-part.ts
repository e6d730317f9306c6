import type { FaultForm } from '../model/fault-form.ts';

/** The properties of a part of the form that adds a fault. */
export interface FaultPartProps {
  readonly values: FaultForm;
  readonly set: (change: Partial<FaultForm>) => void;
}
