// Runs dredd in a child process, because dredd prints to the console. Receives the configuration as a message. Sends the warnings and the results back.
const { EventEmitter } = require('node:events');
const Dredd = require('dredd');

process.once('message', (configuration) => {
  const emitter = new EventEmitter();
  const found = { annotations: [], results: [] };
  emitter.on('start', (descriptions, next) => {
    found.annotations = descriptions.flatMap(({ annotations }) => annotations);
    next();
  });
  for (const outcome of ['pass', 'fail', 'skip']) {
    emitter.on(`test ${outcome}`, (test) => found.results.push({ outcome, test }));
  }
  emitter.on('test error', ({ message }, test) => found.results.push({ outcome: 'error', test: { ...test, message } }));
  new Dredd({ ...configuration, emitter }).run((error) => {
    process.send({ ...found, error: error?.message }, () => process.exit());
  });
});
