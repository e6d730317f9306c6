import type { Durability } from '../store/open-state.ts';
import { version } from './version.ts';

const SURVIVES: Readonly<Record<Durability, string>> = {
  disk: 'an answered change survives a kill and a power cut',
  os: 'an answered change survives a kill, not a power cut',
  memory: 'changes end with the program',
};

/** How many operations that are mocked a start names; of more it tells the number. */
const MOCKED_NAMED = 12;

/** What there is to say of a server that has started. */
interface StartedServer {
  readonly url: string;
  /** The data file; undefined where the state is in memory only. */
  readonly dataFile: string | undefined;
  readonly durability: Durability;
  /** How many operations its contract has. */
  readonly operations: number;
  /** The ids of those that are mocked. */
  readonly mocked: readonly string[];
}

/** What a start prints: the address, the operations and which of them are mocked, the data file, and what a change survives there. */
export function formatStartMessage({ url, dataFile, durability, operations, mocked }: StartedServer): string {
  const told = mocked.length > MOCKED_NAMED ? `${mocked.length} of them` : mocked.join(', ');
  const mock = mocked.length === 0 ? '' : mocked.length === operations ? ', all mocked' : `, mocked: ${told}`;
  return `storefront ${version} at ${url}, ${operations} operations${mock}, data in ${dataFile ?? 'memory'}: ${SURVIVES[durability]}`;
}
