import { describe } from 'vitest';
import { testFaults } from '../support/harness/fault-tests.ts';

describe('a store on a disk with injected errors', () => testFaults({ durability: 'disk', links: true }));
