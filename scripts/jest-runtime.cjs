const path = require('node:path');
const { types } = require('node:util');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** @typedef {(from: string, file: string, context: undefined) => vm.Module} Build */
/** @typedef {{ getContext: () => undefined, buildCjsAsEsmSyntheticModule: Build }} Loader */
/** @typedef {{ isCoreModule: (name: string) => boolean, resolveEsm: (from: string, name: string) => string }} Resolution */
/** @typedef {(name: string, from: string, context: undefined, attributes: object) => Promise<vm.Module>} DynamicImport */
/** @typedef {{ transform: (file: string) => string, sourceMaps: Map<string, string> }} TransformCache */
/** @typedef {{ transformCache: TransformCache, injectedModuleParameters: string[], dynamicImport: DynamicImport, compile: (source: string, file: string) => Function }} Executor */

const isShared = (/** @type {string} */ file) => file.includes('/node_modules/');

/** All but jest-circus, which holds the tests of the current file. */
const isSharedOfJest = (/** @type {string} */ file) =>
  file.includes('/node_modules/') && !file.includes('/node_modules/jest-circus/');

/** @type {Map<string, object>} */
const exportsOf = new Map();

/** What `import` gets of an installed package, whichever format it and the importing file have. @param {string} file @returns {object} */
function sharedExports(file) {
  const known = exportsOf.get(file);
  if (known) return known;
  const loaded = require(file);
  const exports = types.isModuleNamespaceObject(loaded)
    ? loaded
    : Object.freeze({ ...loaded, default: loaded, 'module.exports': loaded, __esModule: true });
  exportsOf.set(file, exports);
  return exports;
}

/** @param {string} file */
function sharedModule(file) {
  const exports = sharedExports(file);
  return new vm.SyntheticModule(
    Object.keys(exports),
    function () {
      for (const [name, value] of Object.entries(exports)) this.setExport(name, value);
    },
    { identifier: file },
  );
}

/** Of the test file that runs now. @type {Executor} */
let executing;
/** @type {(from: string, name: string) => string | undefined} */
let fileOf;
/** Of sources, whichever test file has loaded them. @type {Map<string, string>} */
const sourceMaps = new Map();
/** @type {Map<string, { exports: object }>} */
const sources = new Map();

/** A source of ours, which is evaluated once for all test files of a worker. Tests, and what only they use, belong to their file. */
const isSource = (/** @type {string} */ file) =>
  file.endsWith('.ts') && file.includes('/src/') && !/\.spec\.ts$|\/testing\/|\/node_modules\//.test(file);

/** @param {string} file @returns {object} what it exports */
function requireSource(file) {
  const known = sources.get(file);
  if (known) return known.exports;
  const module = { exports: {} };
  sources.set(file, module);
  try {
    const code = executing.transformCache.transform(file);
    const run = vm.compileFunction(code, ['module', 'exports', 'require', '__dirname', '__filename'], {
      filename: file,
    });
    run(module, module.exports, requireFrom(file), path.dirname(file), file);
  } catch (error) {
    sources.delete(file);
    throw error;
  }
  return module.exports;
}

/** @param {string} from a source @returns {(name: string) => object} */
const requireFrom = (from) => (name) => {
  const file = fileOf(from, name);
  if (!file) return require(name);
  return isSource(file) ? requireSource(file) : sharedExports(file);
};

/**
 * Jest loads everything again for each test file, in a realm of its own. Here installed packages and our sources are loaded once for all
 * files of a worker, in its own realm, and only tests with their helpers for each file. With coverage, which counts what each file runs,
 * sources are loaded for each.
 */
module.exports.default = class extends Runtime {
  /** @param {ConstructorParameters<typeof Runtime>} parameters */
  constructor(...parameters) {
    super(...parameters);
    const { collectCoverage } = parameters[5];
    // Jest has no setting for it. None of these is an interface: look at them with each new version of Jest.
    const { esmLoader, executor } = /** @type {{ esmLoader: Loader, executor: Executor }} */ (
      /** @type {unknown} */ (this)
    );
    const build = esmLoader.buildCjsAsEsmSyntheticModule.bind(esmLoader);
    esmLoader.getContext = () => undefined;
    esmLoader.buildCjsAsEsmSyntheticModule = (from, file, context) =>
      isShared(file) ? sharedModule(file) : build(from, file, context);
    executor.compile = (source, filename) =>
      vm.compileFunction(source, executor.injectedModuleParameters, {
        filename,
        importModuleDynamically: (name, _, attributes) => executor.dynamicImport(name, filename, undefined, attributes),
      });
    executor.transformCache.sourceMaps = sourceMaps;
    executing = executor;
    fileOf = (from, name) => this.fileOf(from, name);
    this.sharesSources = !collectCoverage;
  }

  /** @override @param {string} file */
  unstable_shouldLoadAsEsm(file) {
    return !isShared(file) && super.unstable_shouldLoadAsEsm(file);
  }

  /** @override @type {(...parameters: Parameters<typeof Runtime.prototype.requireModule>) => any} */
  requireModule(from, name, options, isActual) {
    if (name && !options?.isInternalModule) {
      const file = this.fileOf(from, name);
      if (file && this.sharesSources && isSource(file)) return requireSource(file);
      if (file && isShared(file)) return from.includes('/node_modules/') ? require(file) : sharedExports(file);
    }
    return super.requireModule(from, name, options, isActual);
  }

  /** What Jest itself consists of. @override @type {(...parameters: Parameters<typeof Runtime.prototype.requireInternalModule>) => any} */
  requireInternalModule(from, name) {
    const file = name && this.fileOf(from, name);
    return file && isSharedOfJest(file) ? require(file) : super.requireInternalModule(from, name);
  }

  /** The file that `import` would load, whichever format asks. @private @param {string} from @param {string} name
   * @returns {string | undefined} undefined for a module of Node */
  fileOf(from, name) {
    const { _resolution: resolution } = /** @type {{ _resolution: Resolution }} */ (/** @type {unknown} */ (this));
    return resolution.isCoreModule(name) ? undefined : resolution.resolveEsm(from, name);
  }
};
Object.assign(module.exports, { __esModule: true });
