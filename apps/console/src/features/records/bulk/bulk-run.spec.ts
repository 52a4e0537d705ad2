import { ApiProblem, type BulkResult } from '@crm/api-client';
import { describe, expect, it } from '@jest/globals';
import { partsOf, runBulk } from './bulk-run.js';

const BUSY = { code: 'SERVICE_UNAVAILABLE', status: 503, detail: '' };
const records = (count: number, text = '') => Array.from({ length: count }, (_, number) => ({ number, text }));

describe('many records are written in parts', () => {
  it.each([
    [0, '', [0]],
    [200, '', [0]],
    [201, '', [0, 200]],
    [450, '', [0, 200, 400]],
    // A body of 1 MiB is the most that the API reads.
    [5, 'x'.repeat(400_000), [0, 2, 4]],
    [3, 'ä'.repeat(500_000), [0, 1, 2]],
  ])('%d records', (count, text, starts) => {
    expect(partsOf(records(count, text))).toEqual(starts);
  });

  /** @param faults of the calls in turn; undefined answers */
  async function run(count: number, faults: (ApiProblem | 'busy' | undefined)[], controller = new AbortController()) {
    const keys: string[] = [];
    const results: BulkResult[] = [];
    const waited: number[] = [];
    const api = {
      write: async (_object: string, _operation: string, some: readonly unknown[], key: string) => {
        keys.push(key);
        const fault = faults.shift();
        if (fault === 'busy') return some.map((_, index): BulkResult => ({ index, status: 'failed', error: BUSY }));
        if (fault) throw fault;
        return some.map((_, index): BulkResult => ({ index, status: 'created' }));
      },
    };
    const ended = await runBulk({
      ...{ api, object: 'leads', operation: 'create', records: records(count), key: 'k', signal: controller.signal },
      onPart: (part) => {
        results.push(...part);
        if (results.length === 200) controller.signal.dispatchEvent(new Event('part'));
      },
      pause: async (ms) => waited.push(ms),
    }).then(
      () => 'done',
      (problem: ApiProblem) => problem.code,
    );
    return { keys, waited, ended, numbers: results.map(({ index }) => index) };
  }
  const problem = (code: string, status: number, seconds?: number) =>
    new ApiProblem(code, status, '', [], undefined, seconds);

  it('numbers their results among all', async () => {
    const { keys, numbers, ended } = await run(201, []);
    expect([keys, numbers.slice(-2), ended]).toEqual([['k-0', 'k-1'], [199, 200], 'done']);
  });

  it('makes a call again with its key that was not answered, and goes on', async () => {
    const { keys, waited, numbers } = await run(201, [
      problem('OFFLINE', 0),
      problem('IDEMPOTENCY_KEY_IN_USE', 409),
      problem('RATE_LIMITED', 429, 7),
    ]);
    expect([keys, waited, numbers.length]).toEqual([['k-0', 'k-0', 'k-0', 'k-0', 'k-1'], [1000, 2000, 7000], 201]);
  });

  it('writes again what could not be written just now', async () => {
    expect(await run(1, ['busy'])).toMatchObject({ keys: ['k-0', 'k-0'], numbers: [0], ended: 'done' });
  });

  it('ends with a refusal, after five attempts, and when it is cancelled', async () => {
    expect(await run(201, [problem('FORBIDDEN', 403)])).toMatchObject({ keys: ['k-0'], ended: 'FORBIDDEN' });
    const offline = Array.from({ length: 5 }, () => problem('OFFLINE', 0));
    expect(await run(1, offline)).toMatchObject({ ended: 'OFFLINE', keys: { length: 5 } });
    const controller = new AbortController();
    controller.signal.addEventListener('part', () => controller.abort());
    expect(await run(450, [], controller)).toMatchObject({ keys: ['k-0'], ended: 'done' });
  });
});
