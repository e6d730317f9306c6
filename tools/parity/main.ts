// Prints, for each documented answer of each operation, whether shop and mock both give it, hold the contract and agree in their fields. Ends with 1 where not.
import { asTable, parity } from './parity.ts';

const rows = await parity(process.argv[2] ?? 'openapi.yaml');
console.log(asTable(rows));
process.exitCode = rows.every(({ differences }) => differences.length === 0) ? 0 : 1;
