// Prints the configuration of a nats-server. Standard input: the options of natsServerConfig as JSON, and `syncs`, whether the
// server can be told how often to write to disk.
import { text } from 'node:stream/consumers';
import { builtFile } from '../root.mjs';

// This file alone: the whole package would load Nest.
/** @type {typeof import('../../libs/messaging/src/server/nats-server-config.js')} */
const { MAX_FILE_STORE, natsServerConfig, SYNC_INTERVAL } = await import(
  builtFile('libs/messaging', 'server/nats-server-config.js')
);
const { syncs, ...options } = JSON.parse(await text(process.stdin));
const syncInterval = syncs ? SYNC_INTERVAL : undefined;
process.stdout.write(natsServerConfig({ maxFileStore: MAX_FILE_STORE, ...options, syncInterval }));
