import { describe, expect, it } from '@jest/globals';
import { Outbox } from './outbox.js';
import { CLAIM_EVENTS, LIST_WRITERS, READ_POSITION } from './outbox.sql.js';
import type { Writer } from './outbox-nodes.js';

describe('a gap of the outbox', () => {
  it.each<[what: string, writers: Writer[][], isFilled: boolean]>([
    ['is filled once its writer has ended', [[{ writer: '5/1', prepared: false }], []], true],
    [
      'is kept while its writer is open',
      [[{ writer: '5/1', prepared: false }], [{ writer: '5/1', prepared: false }]],
      false,
    ],
    [
      'is filled although another writer has begun',
      [[{ writer: '5/1', prepared: false }], [{ writer: '6/1', prepared: false }]],
      true,
    ],
    // It may be the one that was open, which has another number since then.
    [
      'is kept while a writer is prepared',
      [[{ writer: '5/1', prepared: false }], [{ writer: '-1/9', prepared: true }]],
      false,
    ],
    [
      'is filled once each writer has ended that was prepared when one had ended',
      [
        [{ writer: '5/1', prepared: false }],
        [{ writer: '-1/9', prepared: true }],
        [{ writer: '-1/12', prepared: true }],
      ],
      true,
    ],
    [
      'is kept while a writer is prepared that may have been noted',
      [
        [
          { writer: '5/1', prepared: false },
          { writer: '6/1', prepared: false },
        ],
        [
          { writer: '6/1', prepared: false },
          { writer: '-1/9', prepared: true },
        ],
        [{ writer: '-1/10', prepared: true }],
      ],
      false,
    ],
  ])('%s', async (_what, writers, isFilled) => {
    const claimed: unknown[] = [];
    const answer = (sql: string, parameters: readonly unknown[]): unknown[] => {
      if (sql === READ_POSITION) return [{ published: '{[0,2),[3,4)}', streamSeq: null, streamSubject: null }];
      if (sql === LIST_WRITERS) return writers.shift() ?? [];
      if (sql === CLAIM_EVENTS) claimed.push(parameters[0]);
      return [];
    };
    const queryPrepared = async <Row>(sql: string, parameters: readonly unknown[]) => answer(sql, parameters) as Row[];
    const outbox = await Outbox.open({ queryPrepared }, { url: '', narrowUrl: '', applicationName: 'test' });
    for (const looks = [...writers]; looks.length > 0; looks.shift()) await outbox.settleGaps();
    await outbox.claimBatch(10);
    expect(claimed).toEqual([isFilled ? [3] : [1, 3]]);
  });
});
