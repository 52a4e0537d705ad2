import { deadLetterProgram } from '@crm/runtime';
import { AppModule } from './app.module.js';
import { loadConfig } from './config.js';

// Run as a program, by hand: `node dist/dead-letters.js`. Lists the dead letters and replays them.
const config = loadConfig();
await deadLetterProgram(config, AppModule.with(config));
