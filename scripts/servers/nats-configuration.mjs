// Prints the configuration of a nats-server. Standard input: the options of natsServerConfig as JSON.
import { text } from 'node:stream/consumers';
import { builtFile } from '../root.mjs';

/** @type {typeof import('../../libs/messaging/src/index.js')} */
const { natsServerConfig } = await import(builtFile('libs/messaging'));
const options = JSON.parse(await text(process.stdin));
if (natsServerConfig) process.stdout.write(natsServerConfig(options));
else {
  const users = Object.entries(options.passwords).map(
    ([user, password]) => `{ user: ${user}, password: "${password}" }`,
  );
  process.stdout.write(
    `host: ${options.host}\nport: ${options.port}\njetstream { store_dir: "${options.storeDir}" }\nauthorization { users: [${users.join(', ')}] }\n`,
  );
}
