// npm run reencrypt -- <service> [--status]: seals again what other encryption keys of a service of the running platform sealed.
// Runs the service's own program, dist/reencrypt.js, with the environment that the service has.
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { PlainError, runCommand } from './plain-error.mjs';
import { runProgram } from './platform/run-program.mjs';
import { serviceList } from './platform/services.mjs';
import { inRoot } from './root.mjs';

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { data: { type: 'string' }, status: { type: 'boolean' } },
  });
  const { SERVICES } = await serviceList();
  const withKeys = SERVICES.filter((name) => existsSync(inRoot('apps', name, 'dist', 'reencrypt.js')));
  const service = withKeys.find((name) => name === positionals[0]);
  if (!service || positionals.length > 1) {
    throw new PlainError(
      `npm run reencrypt -- <service> [--status]\nServices: ${withKeys.join(', ') || 'none is built'}`,
    );
  }
  return runProgram(service, 'reencrypt.js', { data: values.data, args: values.status ? ['--status'] : [] });
});
