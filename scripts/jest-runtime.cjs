const { types } = require('node:util');
const vm = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** @typedef {(from: string, file: string, context: undefined) => vm.Module} Build */
/** @typedef {{ getContext: () => undefined, buildCjsAsEsmSyntheticModule: Build }} Loader */
/** @typedef {(name: string, from: string, context: undefined, attributes: object) => Promise<vm.Module>} DynamicImport */
/** @typedef {{ injectedModuleParameters: string[], dynamicImport: DynamicImport, compile: (source: string, file: string) => Function }} Executor */

/** Each test file has metrics of its own. */
const isShared = (/** @type {string} */ file) =>
  file.includes('/node_modules/') && !file.includes('/node_modules/prom-client/');

/** What `import` gets of an installed package, in either format. @param {string} file */
function sharedModule(file) {
  const loaded = require(file);
  const whole = types.isModuleNamespaceObject(loaded)
    ? loaded
    : { ...loaded, default: loaded, 'module.exports': loaded };
  return new vm.SyntheticModule(
    Object.keys(whole),
    function () {
      for (const [name, value] of Object.entries(whole)) this.setExport(name, value);
    },
    { identifier: file },
  );
}

/**
 * Jest loads everything again for each test file, in a realm of its own, of which installed packages are two thirds. Here they are loaded as
 * Node loads them, once for all files of a worker and in its own realm; sources of ours are loaded again for each file as ever.
 */
module.exports.default = class extends Runtime {
  /** @param {ConstructorParameters<typeof Runtime>} parameters */
  constructor(...parameters) {
    super(...parameters);
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
  }

  /** @override @param {string} file */
  unstable_shouldLoadAsEsm(file) {
    return !isShared(file) && super.unstable_shouldLoadAsEsm(file);
  }

  /** @override @type {typeof Runtime.prototype.requireModule} */
  requireModule(from, name, options, isActual) {
    return name && isShared(name) && !options?.isInternalModule
      ? require(name)
      : super.requireModule(from, name, options, isActual);
  }
};
Object.assign(module.exports, { __esModule: true });
