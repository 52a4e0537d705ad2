import type { CrmRecord } from '@crm/api-client';
import { describe, expect, it } from '@jest/globals';
import type { FieldOption, ObjectModel } from '../objects/object-model.js';
import { columnsOf, stagesOf } from './board.js';

const stage = (value: string, more: Partial<FieldOption> = {}): FieldOption => ({
  ...{ value, label: value, active: true, meaning: 'open', pipelineId: 'first' },
  ...more,
});
const STAGES = [
  stage('qualification'),
  stage('old', { active: false }),
  stage('proposal'),
  stage('won', { meaning: 'won' }),
];

const deal = (name: string | null, amount: number | null = 1, currency: string | null = 'EUR') =>
  ({ id: '', version: 1, createdAt: '', updatedAt: '', stage: name, amount, currency }) as CrmRecord;

describe('the stages of a pipeline', () => {
  const model = {
    pipelines: [{ id: 'first' }, { id: 'second' }],
    fields: [{ apiName: 'stage', options: [...STAGES, stage('partner', { pipelineId: 'second' })] }],
  } as unknown as ObjectModel;

  it.each([
    ['second', ['partner']],
    ['first', ['qualification', 'old', 'proposal', 'won']],
    ['unknown', ['qualification', 'old', 'proposal', 'won']],
    [undefined, ['qualification', 'old', 'proposal', 'won']],
  ])('of %s are its own, in order', (id, values) => {
    expect(stagesOf(model, id).map(({ value }) => value)).toEqual(values);
  });
});

describe('the columns of the board', () => {
  const names = (...stages: (string | null)[]) =>
    columnsOf(
      STAGES,
      stages.map((value) => deal(value)),
    ).map((column) => column.stage?.value ?? null);

  it('are the open stages that are in use, empty ones too', () => {
    expect(names()).toEqual(['qualification', 'proposal']);
  });

  it('are also those that are retired or closed and have deals, and deals without a stage first', () => {
    expect(names('proposal', 'old', null, 'won')).toEqual([null, 'qualification', 'old', 'proposal', 'won']);
  });

  it('add up amounts by currency, and leave out what has none', () => {
    const records = [deal('proposal', 10), deal('proposal', 5.5), deal('proposal', 7, 'USD'), deal('proposal', null)];
    const column = columnsOf(STAGES, [...records, deal('proposal', 1, null)])[1];
    expect(column?.records).toHaveLength(5);
    expect(column?.sums).toEqual(Object.entries({ EUR: 15.5, USD: 7, '': 1 }));
  });
});
