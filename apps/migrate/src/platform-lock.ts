import pg from 'pg';

/** Lock on the administrator's database while the platform is brought up to date. An arbitrary constant. */
const PLATFORM_LOCK = 47_152_020;

/**
 * Does something while no other run does: of two jobs that start together, the second finds nothing left to do. The lock
 * belongs to a session, so a run that is killed holds nobody up.
 * @param onWait called when another run holds the lock, before waiting for it
 */
export async function withPlatformLock<Result>(
  adminUrl: string,
  work: () => Promise<Result>,
  onWait: () => void = () => undefined,
): Promise<Result> {
  const session = new pg.Client({ connectionString: adminUrl, application_name: 'migrate' });
  // A session that breaks has lost the lock: another run may begin, and this one must not go on.
  const broken = new Promise<never>((_, reject) => {
    session.once('error', reject);
  });
  // The race below says so; without it, a session that breaks while it connects or waits rejects its own query.
  broken.catch(() => undefined);
  await session.connect();
  try {
    const { rows } = await session.query('SELECT pg_try_advisory_lock($1) AS held', [PLATFORM_LOCK]);
    if (!rows[0].held) {
      onWait();
      await session.query('SELECT pg_advisory_lock($1)', [PLATFORM_LOCK]);
    }
    return await Promise.race([work(), broken]);
  } finally {
    await session.end();
  }
}
