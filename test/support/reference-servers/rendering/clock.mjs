// A server that responds with the time of the sandbox, in ms since 1970.
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

const { now } = await import(pathToFileURL(process.env.CLOCK).href);

const server = createServer(async (_request, response) => response.end(String((await now()).getTime())));
server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on ${server.address().port}\n`));
