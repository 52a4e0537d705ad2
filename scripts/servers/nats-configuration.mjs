// Prints the configuration of a nats-server. Standard input: the options of natsServerConfig as JSON.
import { text } from 'node:stream/consumers';
import { builtFile } from '../root.mjs';

/** @type {typeof import('../../libs/messaging/src/index.js')} */
const { natsServerConfig } = await import(builtFile('libs/messaging'));
process.stdout.write(natsServerConfig(JSON.parse(await text(process.stdin))));
