import { isOnCluster } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { app, useCustomObjects } from './custom-objects-service.js';
import { arbitraryObjects, arbitraryObserver } from './non-interference/object.js';
import { Observer } from './non-interference/observer.js';
import { arbitraryRecords, arbitraryStep, type Step } from './non-interference/steps.js';
import { WorldPair } from './non-interference/world-pair.js';
import { Writer } from './non-interference/writer.js';

const DEEP = process.env.DEEP === '1';
/** `npm test` always tries the same few, fewer once more on a cluster; `npm run test:deep` tries others each time. */
const RUNS = DEEP ? { numRuns: 1500 } : { numRuns: isOnCluster ? 4 : 12, seed: 11 };
const TIME_LIMIT = DEEP ? 3_600_000 : 120_000;

/** What happens in every series of runs, and in a long one: without calls that succeed the property would say nothing. */
const OUTCOMES = [
  ...['get 200', 'list 200', 'search 200', 'sorted 200', 'filter 200', 'filter 400', 'definition 200', 'event'],
  ...['history 200', 'timeline 200', 'views 200', 'search of all 200'],
  ...[
    'catalogue 200',
    'group 200',
    'group 400',
    'sorted twice 200',
    'sorted twice 400',
    'some fields 200',
    'grouped 200',
    'grouped 400',
    'measured 200',
    'measured 400',
    'expanded 200',
    'bin 200',
    'restore 200',
    'restore 403',
  ],
  ...['create 201', 'create 403', 'change 200', 'change 403', 'merge 200', 'bulk 200', 'bulk 422'],
  ...(DEEP ? ['create 409', 'create 422', 'change 412', 'delete 204', 'delete 409', 'delete 412'] : []),
];

const arbitraryStory = fc.record({
  objects: arbitraryObjects,
  observer: arbitraryObserver,
  /** True when the first records were written while every field was for everyone. */
  begunOpen: fc.boolean(),
  records: arbitraryRecords,
  steps: fc.array(arbitraryStep, { minLength: 6, maxLength: 16 }),
  chosen: fc.nat(1000),
});

describe('for generated objects, roles, records and requests', () => {
  useCustomObjects();

  it(
    'a value that a caller may not read changes nothing that they can observe',
    async () => {
      const outcomes = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(arbitraryStory, async ({ objects, observer: roles, begunOpen, records, steps, chosen }) => {
          const pair = await WorldPair.create(app, objects, roles, begunOpen);
          const writer = new Writer(pair);
          const observer = new Observer(pair, outcomes);
          for (const record of records) await writer.create(record);
          if (begunOpen) await beginAgain(pair);
          for (const step of steps) await TAKE[step.kind](step as never, writer, observer);
          await writer.shareViews(chosen);
          await observer.readAll(chosen);
          await writer.lengthen();
          await observer.readPages();
        }),
        // What has failed by then is reported; without a limit the search for a smaller story could take hours.
        { ...RUNS, interruptAfterTimeLimit: TIME_LIMIT * 0.9 },
      );
      if (!isOnCluster) expect(OUTCOMES.filter((outcome) => !outcomes.has(outcome))).toEqual([]);
    },
    TIME_LIMIT,
  );
});

/** Restricts the fields after records were written. What could be read until then, the observer has not seen. */
async function beginAgain(pair: WorldPair): Promise<void> {
  await pair.both((world) => world.newEvents());
  await pair.restrict();
}

const TAKE: {
  [Kind in Step['kind']]: (step: Extract<Step, { kind: Kind }>, writer: Writer, observer: Observer) => Promise<unknown>;
} = {
  'writer creates': (step, writer) => writer.create(step),
  'writer changes': (step, writer) => writer.change(step),
  'writer deletes': async (step, writer) => (await writer.mayDelete(step)) && writer.delete(step),
  'bin is purged': (_step, writer) => writer.purge(),
  'definition tightens': (step, writer) => writer.tighten(step),
  list: (step, _, observer) => observer.list(step),
  get: (step, _, observer) => observer.get(step),
  definition: (step, _, observer) => observer.definition(step),
  definitions: (_step, _, observer) => observer.definitions(),
  create: (step, _, observer) => observer.create(step),
  'create again': (_step, _, observer) => observer.createAgain(),
  change: (step, _, observer) => observer.change(step),
  'delete and restore': async (step, writer, observer) =>
    (await writer.mayDelete(step)) && observer.deleteAndRestore(step),
  delete: async (step, writer, observer) => (await writer.mayDelete(step)) && observer.delete(step),
  bulk: async (step, writer, observer) => {
    const others = step.operation === 'delete' ? [step, { ...step, record: step.record + 1 }] : [];
    for (const one of others) if (!(await writer.mayDelete(one))) return;
    await observer.bulk(step);
  },
  merge: async (step, writer, observer) => (await writer.mayDelete(step, true)) && observer.merge(step),
};
