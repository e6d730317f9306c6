// Preloaded into a program: writes the address of each module that it loads to the file that LOADED_TO names.
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
