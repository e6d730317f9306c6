// Lints openapi.yaml: Redocly's recommended-strict and Spectral's spectral:oas, nothing switched off. Prints what they find; exits 1 if anything.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import parsers from '@stoplight/spectral-parsers';
import { oas } from '@stoplight/spectral-rulesets';

/** What a linter found: its rule, where, and what. */
type Finding = string;

async function redocly(source: string, path: string): Promise<Finding[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source, absoluteRef: path, config });
  return problems.map(
    ({ ruleId, location, message }) => `redocly ${ruleId} at ${location[0]?.pointer ?? '#/'}: ${message}`,
  );
}

async function spectral(source: string, path: string): Promise<Finding[]> {
  const linter = new spectralCore.Spectral();
  // Its own types don't know that a ruleset may be given as an object.
  linter.setRuleset({ extends: [oas] } as unknown as Parameters<typeof linter.setRuleset>[0]);
  const results = await linter.run(new spectralCore.Document(source, parsers.Yaml, path));
  return results.map(({ code, path: at, message }) => `spectral ${code} at #/${at.join('/')}: ${message}`);
}

const path = resolve(process.argv[2] ?? 'openapi.yaml');
const source = readFileSync(path, 'utf8');
const findings = [...(await redocly(source, path)), ...(await spectral(source, path))];
for (const finding of findings) console.error(finding);
process.exitCode = findings.length > 0 ? 1 : 0;
