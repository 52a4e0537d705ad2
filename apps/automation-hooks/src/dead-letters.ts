import { deadLetterProgram } from '@crm/runtime';
import { AppModule } from './app.module.js';
import { loadConfig } from './config.js';

// A program for operators: `node dist/dead-letters.js` lists the dead letters and replays them.
const config = loadConfig();
await deadLetterProgram(config, AppModule.with(config));
