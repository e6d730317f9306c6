import { describe } from 'vitest';
import { testDiskFaults } from '../support/harness/fault-tests.ts';

describe.each([
  { links: true, kind: 'with hard links' },
  { links: false, kind: 'without hard links' },
] as const)('a store on a disk with faults, $kind,', testDiskFaults);
