// npm run dead-letters -- <service> [--replay <id> | --replay-all]: the dead letters of a service of the running platform.
// Runs the service's own program, dist/dead-letters.js, with the environment that the service has.
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { PlainError, runCommand } from './plain-error.mjs';
import { runProgram } from './platform/run-program.mjs';
import { serviceList } from './platform/services.mjs';
import { inRoot } from './root.mjs';

/** @param {string} service */
const program = (service) => inRoot('apps', service, 'dist', 'dead-letters.js');

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { data: { type: 'string' }, replay: { type: 'string' }, 'replay-all': { type: 'boolean' } },
  });
  const { SERVICES } = await serviceList();
  const withConsumers = SERVICES.filter((name) => existsSync(program(name)));
  const service = withConsumers.find((name) => name === positionals[0]);
  if (!service || positionals.length > 1) {
    throw new PlainError(
      `npm run dead-letters -- <service> [--replay <id> | --replay-all]\nServices: ${withConsumers.join(', ') || 'none is built'}`,
    );
  }
  return runProgram(service, 'dead-letters.js', {
    data: values.data,
    args: [
      ...(values.replay === undefined ? [] : ['--replay', values.replay]),
      ...(values['replay-all'] ? ['--replay-all'] : []),
    ],
  });
});
