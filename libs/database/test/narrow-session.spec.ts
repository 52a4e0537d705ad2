import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NarrowSession } from '../src/index.js';
import { type Fixture, startFixture } from './fixture.js';

const LOCK = 4_711;

describe('a session of the narrow role', () => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture.drop());

  it('tells the server how long its client may be silent', async () => {
    const session = await NarrowSession.open(fixture.database.config, { silenceSeconds: 8 });
    const settings = await session.query(
      "SELECT name, setting FROM pg_settings WHERE name ~ '^(tcp_|idle_session)' ORDER BY name",
    );
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      idle_session_timeout: '8000',
      tcp_keepalives_count: '2',
      tcp_keepalives_idle: '4',
      tcp_keepalives_interval: '2',
      tcp_user_timeout: '8000',
    });
    await session.close();
  });

  it('loses its lock when its client is silent for that long, and not while it sends statements', async () => {
    const busy = await NarrowSession.open(fixture.database.config, { silenceSeconds: 1 });
    const silent = await NarrowSession.open(fixture.database.config, { silenceSeconds: 1 });
    const third = await NarrowSession.open(fixture.database.config);
    expect([await busy.tryLock(LOCK), await silent.tryLock(LOCK + 1)]).toEqual([true, true]);
    while (!(await third.tryLock(LOCK + 1))) {
      await busy.query('SELECT 1');
      await delay(50);
    }
    expect(await third.tryLock(LOCK)).toBe(false);
    await expect(silent.query('SELECT 1')).rejects.toThrow();
    await Promise.all([busy.close(), silent.close(), third.close()]);
  });
});
