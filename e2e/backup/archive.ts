import pg from 'pg';
import { eventually } from '../../scripts/demo/client.mjs';

const ARCHIVE_MS = 30_000;

/** Has the server finish its present file of the log, and waits until it is archived: what was committed before is in it. */
export async function archiveEverything(url: string): Promise<void> {
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  try {
    const { rows } = await session.query<{ file: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS file');
    const file = rows[0]?.file ?? '';
    const isArchived = async () => {
      const { rows: archiver } = await session.query<{ done: boolean }>(
        'SELECT last_archived_wal >= $1 AS done FROM pg_stat_archiver',
        [file],
      );
      return archiver[0]?.done === true;
    };
    await eventually(isArchived, `the archiving of ${file}`, ARCHIVE_MS);
  } finally {
    await session.end();
  }
}
