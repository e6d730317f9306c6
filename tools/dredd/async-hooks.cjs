// Converts async functions to hooks of dredd, which end with a callback.

/** Returns a hook for one transaction. The transaction fails if `work` rejects. */
function hookForEach(work) {
  const failTransaction = (transaction) => (message) => {
    transaction.fail = message;
  };
  return (transaction, done) => continueAfter(work(transaction), failTransaction(transaction), done);
}

/** Returns a hook for all transactions. All of them fail if `work` rejects. */
function hookForAll(work) {
  const failAll = (transactions) => (message) => {
    for (const transaction of transactions) transaction.fail = message;
  };
  return (transactions, done) => continueAfter(work(transactions), failAll(transactions), done);
}

/**
 * Calls `done` when the promise `working` settles, because dredd does not await promises. Calls `done` outside the promise, so that an error in `done` does not
 * count as an error of the hook.
 */
function continueAfter(working, fail, done) {
  working.catch((error) => fail(error.message)).then(() => setImmediate(done));
}

module.exports = { hookForAll, hookForEach };
