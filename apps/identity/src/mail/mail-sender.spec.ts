import { describe, expect, it } from '@jest/globals';
import { retryDelaySeconds } from './mail-sender.js';

describe('retryDelaySeconds', () => {
  it('doubles from five seconds to an hour', () => {
    expect([1, 2, 3, 4, 10, 11, 50].map(retryDelaySeconds)).toEqual([5, 10, 20, 40, 2560, 3600, 3600]);
  });
});
