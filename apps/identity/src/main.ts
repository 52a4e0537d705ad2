import 'reflect-metadata';
import { startService } from '@crm/runtime';
import { AppModule } from './app.module.js';
import { loadConfig } from './config.js';

const config = loadConfig();
await startService(config, AppModule.with(config), { keySource: 'own' });
