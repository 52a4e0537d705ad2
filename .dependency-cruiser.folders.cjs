// Folders that import each other in a circle (decision record 0045).
// Tests do not count: they reach across folders to show that the parts fit together.
const { options } = require('./.dependency-cruiser.cjs');

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [{ name: 'no-circular-folders', severity: 'error', scope: 'folder', from: {}, to: { circular: true } }],
  options: { ...options, exclude: { path: ['(^|/)dist/', '\\.spec\\.(ts|mjs)$', '/test/'] } },
};
