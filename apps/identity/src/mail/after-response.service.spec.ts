import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { AfterResponse } from './after-response.service.js';

describe('work after the answer', () => {
  it('has not begun when the call returns, and is finished before the process stops', async () => {
    const work = new AfterResponse();
    const steps: string[] = [];
    work.run('mail', async () => {
      steps.push('begun');
      await delay(5);
      steps.push('finished');
    });
    expect(steps).toEqual([]);
    await work.beforeApplicationShutdown();
    expect(steps).toEqual(['begun', 'finished']);
  });

  it('is refused while too much of it is under way, and accepted again afterwards, also after failures', async () => {
    const work = new AfterResponse();
    for (let index = 0; index < 100; index += 1) work.run('mail', () => Promise.reject(new Error('no database')));
    const refusal = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' });
    expect(() => work.run('mail', async () => undefined)).toThrow(refusal);
    await work.beforeApplicationShutdown();
    const next = jest.fn(async () => undefined);
    work.run('mail', next);
    await work.beforeApplicationShutdown();
    expect(next).toHaveBeenCalled();
  });
});
