/** Serves the library over the data file that is the first argument, and prints its address. */
import { startApplication } from '../../../src/server/start-application.ts';
import { library } from './library.ts';

const { url } = await startApplication(library, { data: process.argv[2] });
process.stdout.write(`${url}\n`);
