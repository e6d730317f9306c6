// `npm run parity`: prints for each documented response whether the shop and the mock return it, match the contract and have the same properties. Exits
// with 1 on a difference.
import { formatTable, parity } from './parity.ts';

const rows = await parity(process.argv[2] ?? 'openapi.yaml');
console.log(formatTable(rows));
process.exitCode = rows.every(({ differences }) => differences.length === 0) ? 0 : 1;
