import 'reflect-metadata';
import { deadLetterProgram } from '@crm/runtime';
import { AppModule } from './app.module.js';
import { loadConfig } from './config.js';

// A program for operators: `node dist/dead-letters.js` lists the events that could not be handled, or that the broker
// refused, and replays them.
const config = loadConfig();
await deadLetterProgram(config, AppModule.with(config), { keySource: 'own' });
