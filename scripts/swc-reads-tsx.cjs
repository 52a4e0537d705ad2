// Loaded before dependency-cruiser (node --require): its parser passes swc the same options for every file, without `tsx`, and
// swc refuses the components of pages. For files that are not .tsx nothing changes, because there `<T>x` is a type assertion.
const { createRequire } = require('node:module');
const path = require('node:path');

const cruiser = path.join(__dirname, '..', 'node_modules', 'dependency-cruiser', 'package.json');
const swc = createRequire(require('node:fs').realpathSync(cruiser))('@swc/core');
const parseFileSync = swc.parseFileSync.bind(swc);
swc.parseFileSync = (/** @type {string} */ file, /** @type {object} */ options) =>
  parseFileSync(file, { ...options, tsx: file.endsWith('.tsx') });
