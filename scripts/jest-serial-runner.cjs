const { default: TestRunner } = require('jest-runner');

/** Runs the test files of a project one after the other, when those of other runners have ended. */
module.exports = class extends TestRunner {
  /** @override */
  isSerial = true;
};
