import { poisonProgram } from '@crm/runtime';
import { AppModule } from './app.module.js';
import { loadConfig } from './config.js';

// Run as a program, by hand: `node dist/poison.js`. Lists the messages that were given up and handles them again.
const config = loadConfig();
await poisonProgram(config, AppModule.with(config));
