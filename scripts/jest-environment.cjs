const { TestEnvironment } = require('jest-environment-node');

/** Ends what a test file keeps running for all of its tests, after its last hook. See libs/testing/src/test-nats.ts. */
module.exports = class extends TestEnvironment {
  /** @override */
  async teardown() {
    const { stopTestServers } = /** @type {{ stopTestServers?: () => void }} */ (this.global);
    stopTestServers?.();
    await super.teardown();
  }
};
