// Node loads this file before a program (`--import`). It appends the URL of each module that the program loads to the file in the environment variable
// LOADED_TO.
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';

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
