const { types } = require('node:util');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** @typedef {(from: string, file: string, context: undefined) => vm.Module} Build */
/** @typedef {{ getContext: () => undefined, buildCjsAsEsmSyntheticModule: Build }} Loader */
/** @typedef {(name: string, from: string, context: undefined, attributes: object) => Promise<vm.Module>} DynamicImport */
/** @typedef {{ isCoreModule: (name: string) => boolean, resolveEsm: (from: string, name: string) => string }} Resolution */
/** @typedef {{ injectedModuleParameters: string[], dynamicImport: DynamicImport, compile: (source: string, file: string) => Function }} Executor */

/** All but prom-client: each test file has metrics of its own. */
const isShared = (/** @type {string} */ file) =>
  file.includes('/node_modules/') && !file.includes('/node_modules/prom-client/');

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

/** The executor of the test file that runs now, to which a late import of an ended one goes as well. @type {Executor} */
let executing;
/** @type {Map<string, { source: string, run: Function }>} */
const compiled = new Map();

/** Once for all test files, so that V8 keeps what it has compiled of the functions in a source.
 * @param {string} source @param {string} filename */
function compileOnce(source, filename) {
  const known = compiled.get(filename);
  if (known?.source === source) return known.run;
  const run = compile(source, filename);
  compiled.set(filename, { source, run });
  return run;
}

/** @param {string} source @param {string} filename */
function compile(source, filename) {
  return vm.compileFunction(source, executing.injectedModuleParameters, {
    filename,
    importModuleDynamically: (name, _, attributes) => executing.dynamicImport(name, filename, undefined, attributes),
  });
}

/**
 * Jest loads everything again for each test file, in a realm of its own, of which installed packages are two thirds. Here they are loaded as
 * Node loads them, once for all files of a worker and in its own realm; the modules of our sources are made again for each file as ever, from
 * functions that are compiled once.
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
    executing = executor;
    // Coverage would count no blocks of a function that an earlier file has compiled.
    executor.compile = collectCoverage ? compile : compileOnce;
  }

  /** @override @param {string} file */
  unstable_shouldLoadAsEsm(file) {
    return !isShared(file) && super.unstable_shouldLoadAsEsm(file);
  }

  /** @override @type {(...parameters: Parameters<typeof Runtime.prototype.requireModule>) => any} */
  requireModule(from, name, options, isActual) {
    if (name && !options?.isInternalModule) {
      const file = this.fileOf(from, name);
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
