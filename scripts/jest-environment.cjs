const { createRequire } = require('node:module');
const path = require('node:path');
const hooks = require('node:perf_hooks');
const { TestEnvironment } = require('jest-environment-node');

// A worker of Jest whose work is done ends by itself, and V8 then takes its heap apart, more than half a second for the 800 MB of
// some hundred test files on a busy machine. Jest takes that for a leak and says so. Leaving at once skips most of it; a worker that a
// test really keeps alive never comes here, and is still reported.
if (path.basename(process.argv[1] ?? '') === 'processChild.js') process.once('beforeExit', () => process.exit());

/** What ends, at teardown, things that would go on after their file and keep its modules in memory. @type {Set<() => void>} */
const endings = new Set();
const { setInterval } = globalThis;
const startInterval = (/** @type {Parameters<typeof setInterval>} */ ...parameters) => {
  const interval = setInterval(...parameters);
  endings.add(() => clearInterval(interval));
  return interval;
};
globalThis.setInterval = Object.defineProperties(startInterval, Object.getOwnPropertyDescriptors(setInterval));
const { PerformanceObserver } = hooks;
hooks.PerformanceObserver = class extends PerformanceObserver {
  /** @param {ConstructorParameters<typeof PerformanceObserver>[0]} callback */
  constructor(callback) {
    super(callback);
    endings.add(() => this.disconnect());
  }
};
// Its handle is never freed: all files share one.
const delays = hooks.monitorEventLoopDelay();
hooks.monitorEventLoopDelay = () => delays;

/** Where typeorm and class-validator keep what the decorators of our classes say, which is said once. @type {Set<string | symbol>} */
const OF_DECORATORS = new Set(['typeormMetadataArgsStorage', 'classValidatorMetadataStorage']);

/** Metrics count from zero for each file. */
function resetMetrics() {
  for (const [file, module] of Object.entries(require.cache))
    if (file.endsWith('/prom-client/index.js')) module?.exports.register.resetMetrics();
}

const loadedByJest = createRequire(require.resolve('jest-environment-node'));

const isOfJest = (/** @type {string | symbol} */ key) =>
  key === 'jest-symbol-do-not-touch' || (typeof key === 'symbol' && key.description?.startsWith('jest-native-'));

/** What Jest replaces of the process. */
const ofProcess = () => {
  const { exit, getBuiltinModule } = process;
  return { exit, getBuiltinModule };
};

/**
 * Test files share the realm of their process, so that installed packages are loaded once, see jest-runtime.cjs. What a file puts into
 * the global object, and what it keeps running for all of its tests (libs/testing/src/test-nats.ts) or leaves running, ends with it.
 */
module.exports = class extends TestEnvironment {
  /** @param {ConstructorParameters<typeof TestEnvironment>} parameters */
  constructor(...parameters) {
    super(...parameters);
    // What Jest needs of the realm that it has made and nobody uses.
    for (const key of Reflect.ownKeys(this.global).filter(isOfJest)) {
      const descriptor = Object.getOwnPropertyDescriptor(this.global, key);
      if (descriptor && !Object.hasOwn(globalThis, key)) Object.defineProperty(globalThis, key, descriptor);
    }
    this.global = /** @type {typeof this.global} */ (/** @type {unknown} */ (globalThis));
    const { ModuleMocker } = loadedByJest('jest-mock');
    const { ModernFakeTimers } = loadedByJest('@jest/fake-timers');
    this.moduleMocker = new ModuleMocker(this.global);
    this.fakeTimersModern = new ModernFakeTimers({ config: parameters[0].projectConfig, global: this.global });
    this.before = {
      keys: new Set(Reflect.ownKeys(globalThis)),
      env: { ...process.env },
      process: ofProcess(),
      console,
    };
  }

  /** @override */
  getVmContext() {
    return null;
  }

  /** @override */
  async teardown() {
    const { keys, env, process: before, console } = this.before;
    const { stopTestServers } = /** @type {{ stopTestServers?: () => void }} */ (globalThis);
    stopTestServers?.();
    this.moduleMocker?.restoreAllMocks();
    await super.teardown();
    for (const end of endings) end();
    endings.clear();
    resetMetrics();
    for (const key of Reflect.ownKeys(globalThis))
      if (!keys.has(key) && !OF_DECORATORS.has(key)) Reflect.deleteProperty(globalThis, key);
    for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name];
    Object.assign(process.env, env);
    Object.assign(globalThis, { console });
    Object.assign(process, before);
  }
};
