// node rotate-keys.mjs <data folder> api|admin [--revoke]: identity's own program, with the environment that identity has.
import { runProgram } from '../../scripts/platform/run-program.mjs';

const [data, ...args] = process.argv.slice(2);
process.exitCode = await runProgram('identity', 'rotate-keys.js', { data, args });
