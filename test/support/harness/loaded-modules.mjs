// Node loads this file before a program (`--import`). It appends the URL of each module and of each bundle that the program loads to the file in the environment
// variable LOADED_TO.
import fs, { appendFileSync } from 'node:fs';
import { register, syncBuiltinESMExports } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const { readFileSync } = fs;
const loadedTo = resolve(process.env.LOADED_TO);
fs.readFileSync = (path, ...options) => {
  if (String(path).endsWith('.cjs')) appendFileSync(loadedTo, `${pathToFileURL(path)}\n`);
  return readFileSync(path, ...options);
};
syncBuiltinESMExports();

const source = `
  import { appendFileSync } from 'node:fs';
  import { resolve as absolute } from 'node:path';
  const file = absolute(process.env.LOADED_TO);
  export async function load(url, context, next) {
    appendFileSync(file, url + '\\n');
    return next(url, context);
  }
`;
register(`data:text/javascript,${encodeURIComponent(source)}`, pathToFileURL('../'));
