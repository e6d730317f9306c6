import { describe } from 'vitest';
import { testDiskFaults } from '../support/harness/fault-tests.ts';

describe('a store on a disk with injected errors', () => testDiskFaults({ durability: 'disk', links: true }));
