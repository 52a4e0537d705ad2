// npm run reencrypt -- <service> [--status]: seals again what other encryption keys of a service of the running platform sealed.
import { runCommand } from './plain-error.mjs';
import { serviceCommand } from './platform/run-program.mjs';

await runCommand(() =>
  serviceCommand('reencrypt', '[--status]', { status: { type: 'boolean' } }, ({ status }) =>
    status ? ['--status'] : [],
  ),
);
