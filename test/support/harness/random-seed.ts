import fc from 'fast-check';

// The same cases in each run, so that a failure is caused by the change. `FAST_CHECK_SEED=7 npm test` tries others.
fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 1) });
