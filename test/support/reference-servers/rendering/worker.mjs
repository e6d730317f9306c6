// Runs the server of app.mjs in a worker thread.
import { Worker } from 'node:worker_threads';

new Worker(new URL('app.mjs', import.meta.url));
