import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { shownWhenSlow } from './run.worker.js';

describe('work that is shown when it is slow', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is not shown when it ends soon, or fails soon', async () => {
    const show = jest.fn(async () => undefined);
    expect(await shownWhenSlow(show, async () => 'done')).toBe('done');
    const failing = shownWhenSlow(show, async () => Promise.reject(new Error('refused')));
    await expect(failing).rejects.toThrow('refused');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(show).not.toHaveBeenCalled();
  });

  it('is shown once after 100 ms, and ends only when it has been shown', async () => {
    const order: string[] = [];
    const show = async () => {
      order.push('show');
      await new Promise((resolve) => setTimeout(resolve, 500));
      order.push('shown');
    };
    const work = () => new Promise((resolve) => setTimeout(resolve, 300));
    const ended = shownWhenSlow(show, work).then(() => order.push('ended'));
    await jest.advanceTimersByTimeAsync(99);
    expect(order).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(order).toEqual(['show']);
    await jest.advanceTimersByTimeAsync(1_000);
    await ended;
    expect(order).toEqual(['show', 'shown', 'ended']);
  });
});
