import { describe, expect, it } from '@jest/globals';
import { readEnvironment } from './environment.js';
import { quotaByPlan } from './service-config.js';

const defaults = { developer: 1, business: 2, enterprise: 3 };
const read = (value: string | undefined, profile: 'development' | 'production' = 'production') =>
  readEnvironment((env) => quotaByPlan(env, 'QUOTA', { profile, defaults }), { QUOTA: value });

describe('a quota by plan', () => {
  it('keeps the default of the plans that are not named', () => {
    expect(read(undefined)).toEqual(defaults);
    expect(read('business=0,enterprise=9')).toEqual({ developer: 1, business: 0, enterprise: 9 });
  });

  it('is high outside production, unless the environment names another', () => {
    expect(read('business=4', 'development')).toEqual({ developer: 1e6, business: 4, enterprise: 1e6 });
  });

  it('refuses a plan that does not exist and a number below 0', () => {
    expect(() => read('gold=1')).toThrow('QUOTA names no plan: gold');
    expect(() => read('business=-1')).toThrow('QUOTA must be');
  });
});
