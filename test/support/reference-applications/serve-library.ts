/** Starts a server for the library and prints its URL. The first argument is the path of the data file. */
import { startApplication } from '../../../src/server/storefront.ts';
import { library } from './library.ts';

const { url } = await startApplication(library, { data: process.argv[2] });
process.stdout.write(`${url}\n`);
