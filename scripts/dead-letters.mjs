// npm run dead-letters -- <service> [--replay <id> | --replay-all]: the dead letters of a service of the running platform.
import { runCommand } from './plain-error.mjs';
import { serviceCommand } from './platform/run-program.mjs';

await runCommand(() =>
  serviceCommand(
    'dead-letters',
    '[--replay <id> | --replay-all]',
    { replay: { type: 'string' }, 'replay-all': { type: 'boolean' } },
    ({ replay, 'replay-all': all }) => [
      ...(replay === undefined ? [] : ['--replay', String(replay)]),
      ...(all ? ['--replay-all'] : []),
    ],
  ),
);
