/** Packages outside of the bundles, with the files that a running service needs: an image has no others (decision
 * record 0150). @type {Readonly<Record<string, { why: string, files: RegExp }>>} */
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
