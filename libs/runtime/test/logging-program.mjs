// A service that only writes numbered lines to its log: node logging-program.mjs <file> <end>
// After each line the file gets its number and the time, at once. `end` is what happens after some seconds' worth of
// lines: `throw` is an uncaught exception; with `wait` the test ends it, and SIGTERM makes it write once more.
import { openSync, writeSync } from 'node:fs';
import { startService } from '@crm/runtime';
import { Logger } from '@nestjs/common';

const [file = '', end] = process.argv.slice(2);
const written = openSync(file, 'a');
const logger = new Logger('Program');
/** More than the buffer, so that a write is in progress while other lines wait. */
const BURST = 2000;
let number = 0;

function writeLine() {
  logger.log({ msg: 'line', number });
  writeSync(written, `${number} ${Date.now()}\n`);
  number += 1;
}

function writeBurst() {
  for (let count = 0; count < BURST; count += 1) writeLine();
}

process.once('SIGTERM', writeBurst);
class EmptyModule {}
await startService(
  {
    service: {
      name: 'custom-objects',
      profile: 'test',
      host: '127.0.0.1',
      port: 0,
      operationsPort: 0,
      logLevel: 'info',
      issuer: 'http://issuer.test',
      baseUrl: 'http://base.test',
      embedApiUrl: 'http://embed.test',
      trustedProxies: [],
      drainSeconds: 2,
      nats: { url: 'nats://127.0.0.1:1', user: 'custom-objects', password: 'unused', service: 'custom-objects' },
    },
  },
  { module: EmptyModule },
  {
    keySource: { getKeys: async () => ({ keys: [] }) },
    revocations: {
      ready: true,
      ageMs: 0,
      isRevoked: () => false,
      isKeyRevoked: () => false,
      isSuspended: () => false,
      suspendedTenants: () => [],
      isAppRevoked: () => false,
      revokedApps: () => [],
    },
  },
);
setInterval(writeLine, 1);
if (end === 'throw') {
  setTimeout(() => {
    writeBurst();
    throw new Error('a defect');
  }, 300);
}
