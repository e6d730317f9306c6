// Lints openapi.yaml with all rules of Redocly (recommended-strict) and Spectral (spectral:oas). Prints the findings, and exits with 1 if there are any.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { lintFindings } from './contract/lint.ts';

const path = resolve(process.argv[2] ?? 'openapi.yaml');
const findings = await lintFindings(path, readFileSync(path, 'utf8'));
for (const { pointer, message } of findings) console.error(`#${pointer} ${message}`);
process.exitCode = findings.length > 0 ? 1 : 0;
