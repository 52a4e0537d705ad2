import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { RequestDurations } from './metrics.js';

const BUCKETS = [0.002, 0.5, 1];
const [NAME, HELP] = ['request_seconds', 'Duration'];

/** With the labels of each line in alphabetical order: theirs means nothing. */
const sorted = (text: string): string =>
  text.replace(/\{(.*)\}/g, (_, labels: string) => `{${labels.split(',').sort().join(',')}}`);

describe('the histogram of requests', () => {
  it('is written as that of prom-client, whatever is observed', async () => {
    const observation = fc.record({
      route: fc.constantFrom('/a', '/b/:id'),
      method: fc.constantFrom('GET', 'POST'),
      status: fc.constantFrom(200, 404),
      seconds: fc.oneof(fc.constantFrom(0, ...BUCKETS), fc.double({ min: 0, max: 3, noNaN: true })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(observation, { minLength: 1, maxLength: 30 }), async (observations) => {
        const [ours, theirs] = [new Registry(), new Registry()];
        for (const registry of [ours, theirs]) registry.setDefaultLabels({ service: 'test' });
        const durations = new RequestDurations(NAME, HELP, BUCKETS);
        ours.registerMetric(durations as never);
        const routes = new Map(['/a', '/b/:id'].map((route) => [route, durations.ofRoute(route)]));
        const histogram = new Histogram({
          name: NAME,
          help: HELP,
          labelNames: ['method', 'route', 'status'],
          buckets: BUCKETS,
          registers: [theirs],
        });
        for (const { route, method, status, seconds } of observations) {
          routes.get(route)?.(method, status, seconds);
          histogram.observe({ method, route, status: String(status) }, seconds);
        }
        expect(sorted(await ours.metrics())).toBe(sorted(await theirs.metrics()));
      }),
    );
  });

  it('begins at zero after a reset', async () => {
    const durations = new RequestDurations(NAME, HELP, BUCKETS);
    const observe = durations.ofRoute('/a');
    observe('GET', 200, 0.7);
    durations.reset();
    expect((await durations.get()).values).toEqual([]);
    observe('GET', 200, 0.1);
    const { values } = await durations.get();
    expect(values.map(({ value }) => value)).toEqual([0, 1, 1, 1, 0.1, 1]);
  });
});
