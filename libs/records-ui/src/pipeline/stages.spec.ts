import type { CrmRecord } from '@crm/api-client';
import { describe, expect, it } from '@jest/globals';
import { stagesOf } from './stages.js';

const deal = (stage: string | null, amount: number | null, currency: string | null = 'EUR') =>
  ({ id: '', version: 1, createdAt: '', updatedAt: '', stage, amount, currency }) as CrmRecord;

describe('the stages of the pipeline', () => {
  it('come in the order of a sale, others by alphabet, those without a stage first', () => {
    const stages = ['Zoo', 'negotiation', 'Qualification', null, 'Approval', 'Proposal', ''];
    const names = stagesOf(stages.map((stage) => deal(stage, 1))).map(({ name }) => name);
    expect(names).toEqual([null, 'Qualification', 'Proposal', 'negotiation', 'Approval', 'Zoo']);
  });

  it('add up amounts by currency, and leave out what has none', () => {
    const [stage] = stagesOf([deal('A', 10), deal('A', 5.5), deal('A', 7, 'USD'), deal('A', null), deal('A', 1, null)]);
    expect(stage?.records).toHaveLength(5);
    expect(stage?.sums).toEqual(Object.entries({ EUR: 15.5, USD: 7, '': 1 }));
  });
});
