// Prints the configuration of a nats-server. Standard input: the options of natsServerConfig as JSON.
import { text } from 'node:stream/consumers';
import { builtFile } from '../root.mjs';

// This file alone: the whole package would load Nest.
/** @type {typeof import('../../libs/messaging/src/server/nats-server-config.js')} */
const { natsServerConfig } = await import(builtFile('libs/messaging', 'server/nats-server-config.js'));
process.stdout.write(natsServerConfig(JSON.parse(await text(process.stdin))));
