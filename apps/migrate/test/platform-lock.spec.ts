import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { withPlatformLock } from '../src/provision-platform.js';

const url = process.env.TEST_DATABASE_URL as string;

/** A piece of work that ends when it is told to. */
function work(name: string, log: string[]) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = async () => {
    log.push(`${name} begins`);
    await ended;
    log.push(`${name} ends`);
    return name;
  };
  return { run, end };
}

describe('the lock of a migration', () => {
  const admin = new pg.Client({ connectionString: url });
  beforeAll(() => admin.connect());
  afterAll(() => admin.end());

  it('lets a second run begin when the first has ended, and tells it to wait', async () => {
    const log: string[] = [];
    const [first, second] = [work('first', log), work('second', log)];
    const one = withPlatformLock(url, first.run);
    await waitUntil(() => log.includes('first begins'));
    const two = withPlatformLock(url, second.run, () => log.push('second waits'));
    await waitUntil(() => log.includes('second waits'));
    second.end();
    first.end();
    expect(await Promise.all([one, two])).toEqual(['first', 'second']);
    expect(log).toEqual(['first begins', 'second waits', 'first ends', 'second begins', 'second ends']);
  });

  it('is free again after a run that failed', async () => {
    const failed = withPlatformLock(url, () => Promise.reject(new Error('no disk')));
    await expect(failed).rejects.toThrow('no disk');
    const waits = jest.fn();
    await withPlatformLock(url, async () => undefined, waits);
    expect(waits).not.toHaveBeenCalled();
  });

  it('fails a run whose session with the database breaks, because another may have begun', async () => {
    const log: string[] = [];
    const endless = work('endless', log);
    const run = withPlatformLock(url, endless.run);
    await waitUntil(() => log.includes('endless begins'));
    const broken = expect(run).rejects.toThrow(/terminating connection|Connection terminated/);
    await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'migrate'");
    await broken;
    endless.end();
  });
});
