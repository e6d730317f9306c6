// Lints openapi.yaml: Redocly's recommended-strict and Spectral's spectral:oas, nothing switched off. Prints what they find; exits 1 if anything.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { lintFindings } from './contract/lint.ts';

const path = resolve(process.argv[2] ?? 'openapi.yaml');
const findings = await lintFindings(path, readFileSync(path, 'utf8'));
for (const { pointer, message } of findings) console.error(`#${pointer} ${message}`);
process.exitCode = findings.length > 0 ? 1 : 0;
