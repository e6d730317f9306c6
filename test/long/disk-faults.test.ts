import { describe } from 'vitest';
import { testDiskFaults } from '../support/harness/fault-tests.ts';

describe.each([
  { durability: 'disk', links: true, kind: 'with hard links' },
  { durability: 'disk', links: false, kind: 'without hard links' },
  { durability: 'os', links: true, kind: 'with hard links' },
  { durability: 'os', links: false, kind: 'without hard links' },
] as const)('a store with durability $durability on a disk with faults, $kind,', testDiskFaults);
