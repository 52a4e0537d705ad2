// Parse Server as its own command starts it. PARSE_SERVER_FOLDER has it installed; its port is in PORT, the database in
// DATABASE_URL, and Parse Server itself reads the folder of its logs from PARSE_SERVER_LOGS_FOLDER.
import { createRequire } from 'node:module';
import path from 'node:path';

const folder = /** @type {string} */ (process.env.PARSE_SERVER_FOLDER);
const { ParseServer } = createRequire(path.join(folder, 'package.json'))('parse-server');
const port = Number(process.env.PORT);
await ParseServer.startApp({
  appId: 'bench',
  masterKey: process.env.MASTER_KEY,
  databaseURI: process.env.DATABASE_URL,
  serverURL: `http://127.0.0.1:${port}/parse`,
  mountPath: '/parse',
  host: '127.0.0.1',
  port,
  allowClientClassCreation: false,
});
