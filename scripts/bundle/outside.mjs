/**
 * Packages that stay outside of the bundles, and the files of them that a running service needs: those are all that an
 * image has in node_modules (decision record 0150). A service that needs one has it in its dependencies.
 * @type {Readonly<Record<string, { why: string, files: RegExp }>>}
 */
export const OUTSIDE = {
  '@node-rs/argon2': {
    why: 'loads its compiled part, which is a package of its own for each kind of machine',
    files: /\.(js|node)$/,
  },
  'reflect-metadata': {
    why:
      'decorators need it before the first class is evaluated. It is CommonJS, and inside a bundle such a package is ' +
      'evaluated after the modules beside which it is imported; an import that stays outside comes first',
    files: /^Reflect(Lite|NoConflict)?\.m?js$/,
  },
  'swagger-ui-dist': {
    why: 'its files are sent to browsers, never imported',
    files: /^swagger-ui(-bundle\.js|\.css)$/,
  },
};

/** @type {readonly string[]} */
export const OUTSIDE_NAMES = Object.keys(OUTSIDE);
