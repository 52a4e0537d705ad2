// The database of the service, and in it a plain table for the bare server.
import pg from 'pg';
import { builtFile, inRoot } from '../../scripts/root.mjs';
import { PASSWORD } from '../processes.mjs';

/** @param {string} adminUrl of the server */
export async function prepareDatabase(adminUrl) {
  /** @type {typeof import('../../libs/database/src/index.js')} */
  const { provisionDatabase, runMigrations } = await import(builtFile('libs/database'));
  /** @type {typeof import('../../libs/contracts/src/index.js')} */
  const { DATABASES } = await import(builtFile('libs/contracts'));
  /** @type {typeof import('../../apps/automation-hooks/src/migrations/index.js')} */
  const { migrations } = await import(inRoot('apps/automation-hooks/dist/migrations/index.js'));
  const passwords = { owner: PASSWORD, runtime: PASSWORD, narrow: PASSWORD };
  const urls = await provisionDatabase({ adminUrl, definition: DATABASES['automation-hooks'], passwords });
  await runMigrations({ ownerUrl: urls.ownerUrl, migrations });
  const inDatabase = new URL(adminUrl);
  inDatabase.pathname = new URL(urls.runtimeUrl).pathname;
  const admin = new pg.Pool({ connectionString: inDatabase.href, max: 1 });
  await admin.query(
    'CREATE TABLE bare_run (id uuid PRIMARY KEY, workflow_id uuid NOT NULL, input json NOT NULL, created_at timestamptz NOT NULL DEFAULT now())',
  );
  return {
    runtimeUrl: urls.runtimeUrl,
    narrowUrl: urls.narrowUrl,
    bareUrl: inDatabase.href,
    /** How many runs wait or are under way. */
    async unfinished() {
      const { rows } = await admin.query('SELECT count(*)::int AS runs FROM run_queue');
      return /** @type {number} */ (rows[0].runs);
    },
    /** Forgets the runs, so that what one part of the measurement leaves does not burden the next. */
    async clear() {
      await admin.query('TRUNCATE run, run_step, run_queue, bare_run');
    },
    close: () => admin.end(),
  };
}
