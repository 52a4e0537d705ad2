import { afterEach, describe, expect, it } from '@jest/globals';
import { register } from 'prom-client';
import { absentUntilSet, counter, gauge } from './declare.js';

describe('a declared metric', () => {
  afterEach(() => register.clear());

  it('is the same one when it is declared again', () => {
    expect(counter('declared_total', 'Help')).toBe(counter('declared_total', 'Help'));
  });

  it('is asked for its value at each scrape', async () => {
    let value = 0;
    gauge('collected', 'Help', ['state'], (metric) => {
      value += 1;
      metric.set({ state: 'a' }, value);
    });
    expect(await register.metrics()).toContain('collected{state="a"} 1');
    expect(await register.metrics()).toContain('collected{state="a"} 2');
  });

  it('has no value until one is set, if so declared', async () => {
    const declared = absentUntilSet(gauge('late', 'Help'));
    expect(await register.metrics()).not.toMatch(/^late /m);
    declared.set(0);
    expect(await register.metrics()).toMatch(/^late 0$/m);
  });
});
