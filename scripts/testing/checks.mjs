import { inRoot, ROOT } from '../root.mjs';
import { nodeProgram } from '../setup/node.mjs';

/** @param {string} name */
const tool = (name) => inRoot('node_modules', '.bin', name);
/** A second checker would do much of the first one's work again, beside tests that take both cores. */
const types = (/** @type {string} */ project) => ({
  command: tool('tsc'),
  args: ['--noEmit', '--checkers', '1', '-p', project],
});
const script = (/** @type {string} */ name, /** @type {string[]} */ ...args) => ({
  command: nodeProgram(),
  args: [inRoot('scripts', name), ...args],
});

/** What is checked besides the tests; each counts as one. @returns {readonly { name: string, command: string, args: readonly string[] }[]} */
const checks = () => [
  { name: 'format and lint', command: tool('biome'), args: ['check', '--error-on-warnings', '.'] },
  { name: 'types', ...types('tsconfig.json') },
  { name: 'types of the API', ...script('build.mjs', '--projects=@crm/api-client,@crm/sdk') },
  // What runs in a browser knows the DOM and nothing of Node; its tests run in Node.
  { name: 'types of pages', ...types('tsconfig.browser.json') },
  { name: 'types of the tests of pages', ...types('tsconfig.browser-tests.json') },
  { name: 'import rules', ...script('import-rules.mjs') },
  { name: 'licences', ...script('sbom.mjs', '--licences') },
];

/** @param {import('./tally.mjs').Tally} tally
 * @param {(name: string, command: string, args: readonly string[], options: { cwd: string }) => Promise<number>} run shows what it prints, and resolves with its exit code */
export async function runChecks(tally, run) {
  for (const { name, command, args } of checks()) {
    const begun = performance.now();
    const failed = (await run(name, command, args, { cwd: ROOT })) === 0 ? 0 : 1;
    tally.add(name, { passed: 1 - failed, failed }, begun);
  }
}
