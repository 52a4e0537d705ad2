import { describe, expect, it } from '@jest/globals';
import { RefusedEvents } from './refused-events.js';

const event = (seq: number) => ({ seq, id: `id ${seq}` });

describe('refused events', () => {
  it('are tried again after growing pauses and then given up', () => {
    const refused = new RefusedEvents({ delaysMs: [10, 20], limit: 10 });
    refused.refuse(event(7), 'no', 0);
    expect([refused.due(9, 5), refused.nextInMs(4), refused.due(10, 5)]).toEqual([[], 6, [7]]);
    refused.refuse(event(7), 'no', 10);
    expect([refused.due(29, 5), refused.due(30, 5), refused.hopeless()]).toEqual([[], [7], []]);
    refused.refuse(event(7), 'still no', 30);
    expect(refused.hopeless()).toMatchObject([{ seq: 7, id: 'id 7', reason: 'still no', tries: 3 }]);
    refused.forget([7]);
    expect([refused.hopeless(), refused.has(7), refused.nextInMs(0)]).toEqual([[], false, Number.POSITIVE_INFINITY]);
  });

  it('are given up early, the oldest first, when too many wait and the broker accepts others', () => {
    const refused = new RefusedEvents({ delaysMs: [1_000], limit: 4 });
    for (const seq of [1, 2, 3, 4]) refused.refuse(event(seq), 'no', 0);
    expect([refused.isFull, refused.hopeless()]).toEqual([true, []]);
    refused.accept(1);
    expect(refused.hopeless().map(({ seq }) => seq)).toEqual([1, 2]);
    refused.forget([1, 2]);
    expect([refused.isFull, refused.hopeless()]).toEqual([false, []]);
  });
});
