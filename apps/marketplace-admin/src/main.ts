import 'reflect-metadata';
import { AUDIENCES } from '@crm/contracts';
import { startService } from '@crm/runtime';
import { AppModule } from './app.module.js';
import { loadConfig } from './config.js';
import { ROUTES } from './forwarding/routes.js';

const config = loadConfig();
await startService(config, AppModule.with(config), { audiences: [AUDIENCES.admin], openApi: false, forwarded: ROUTES });
