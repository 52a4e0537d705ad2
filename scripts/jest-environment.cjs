const { AsyncLocalStorage } = require('node:async_hooks');
const path = require('node:path');
const { TestEnvironment } = require('jest-environment-node');

// A worker of Jest whose work is done ends by itself, and V8 then takes its heap apart, more than half a second for the 800 MB of
// some hundred test files on a busy machine. Jest takes that for a leak and says so. Leaving at once skips most of it; a worker that a
// test really keeps alive never comes here, and is still reported.
if (path.basename(process.argv[1] ?? '') === 'processChild.js') process.once('beforeExit', () => process.exit());

// Node 20 looks at every store that was ever entered whenever anything asynchronous begins, so that those of a hundred finished
// test files would slow down the next. They are disabled with their file; to enter one enables it again.
/** @type {Set<InstanceType<typeof AsyncLocalStorage>>} */
const entered = new Set();
for (const method of /** @type {const} */ (['run', 'enterWith'])) {
  const enter = /** @type {(...args: unknown[]) => unknown} */ (AsyncLocalStorage.prototype[method]);
  Object.assign(AsyncLocalStorage.prototype, {
    /** @this {InstanceType<typeof AsyncLocalStorage>} @param {unknown[]} args */
    [method](...args) {
      entered.add(this);
      return enter.apply(this, args);
    },
  });
}

/** Ends what a test file keeps running for all of its tests, after its last hook. See libs/testing/src/test-nats.ts. */
module.exports = class extends TestEnvironment {
  /** @override */
  async teardown() {
    const { stopTestServers } = /** @type {{ stopTestServers?: () => void }} */ (this.global);
    stopTestServers?.();
    await super.teardown();
    for (const store of entered) store.disable();
    entered.clear();
  }
};
