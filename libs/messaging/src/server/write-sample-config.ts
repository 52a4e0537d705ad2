import { writeFile } from 'node:fs/promises';
import { sampleServerConfig } from './sample-config.js';

// A program: writes deploy/nats/nats-server.conf of this repository (the folder of the built file is as deep as this one's).
const file = new URL('../../../../deploy/nats/nats-server.conf', import.meta.url);
await writeFile(file, sampleServerConfig());
