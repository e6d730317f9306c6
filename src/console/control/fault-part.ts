import type { FaultForm } from '../model/fault-form.ts';

/** The properties of a component that shows a part of the form for adding a fault. */
export interface FaultPartProps {
  readonly values: FaultForm;
  readonly set: (change: Partial<FaultForm>) => void;
}
