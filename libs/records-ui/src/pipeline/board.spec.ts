import type { CrmRecord } from '@crm/api-client';
import { describe, expect, it } from '@jest/globals';
import type { FieldOption, ObjectModel } from '../objects/object-model.js';
import { columnsOf, type DealGroup, groupsOf, stagesOf } from './board.js';

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

const deal = (name: string | null) => ({ id: '', version: 1, createdAt: '', updatedAt: '', stage: name }) as CrmRecord;

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
  const group = (
    name: string | null,
    count: number,
    amount: number | null = null,
    currency: string | null = 'EUR',
  ) => ({
    ...{ group: { stage: name, currency }, count, sum: { amount } },
  });
  const names = (records: (string | null)[], groups?: DealGroup[]) =>
    columnsOf(STAGES, records.map(deal), groups).map(({ stage: own }) => own?.value ?? null);

  it('are the open stages that are in use, empty ones too', () => {
    expect(names([])).toEqual(['qualification', 'proposal']);
  });

  it('are also those that are retired or closed and have deals, loaded or not, and deals without a stage first', () => {
    expect(names(['proposal', 'old', null, 'won'])).toEqual([null, 'qualification', 'old', 'proposal', 'won']);
    expect(names([], [group('old', 1), group(null, 2)])).toEqual([null, 'qualification', 'old', 'proposal']);
  });

  it('count all deals and add up their amounts by currency, however many of them are loaded', () => {
    const groups = [
      ...[group('proposal', 300, 15.5), group('proposal', 2, 7, 'USD'), group('proposal', 1, 1, null)],
      ...[group('proposal', 4, null, 'CHF'), group('qualification', 5, 3)],
    ];
    const column = columnsOf(STAGES, [deal('proposal')], groups)[1];
    expect(column?.records).toHaveLength(1);
    expect([column?.count, column?.sums]).toEqual([307, Object.entries({ EUR: 15.5, USD: 7, '': 1 })]);
  });

  it.each<[string, boolean, [string, number][]]>([
    ['are counted and added up from the records where these are all', true, Object.entries({ EUR: 5.5, USD: 7 })],
    ['have a count alone where the caller cannot read their currency', false, []],
  ])('%s', (_, hasCurrency, sums) => {
    const parts = [
      [3, 'EUR'],
      [2.5, 'EUR'],
      [7, 'USD'],
      [null, 'CHF'],
    ] as const;
    const deals = parts.map(([amount, currency]) => ({
      ...{ ...deal('proposal'), amount },
      ...(hasCurrency ? { currency } : {}),
    }));
    const columns = columnsOf(STAGES, deals, groupsOf(deals, hasCurrency));
    expect(columns.map(({ count }) => count)).toEqual([0, 4]);
    expect(columns[1]?.sums).toEqual(sums);
  });

  it('have a count alone where the caller cannot read amounts, and none before it is asked', () => {
    const counted = columnsOf(STAGES, [], [{ group: { stage: 'proposal' }, count: 3 }])[1];
    expect([counted?.count, counted?.sums]).toEqual([3, []]);
    expect(columnsOf(STAGES, [deal('proposal')], undefined)[1]?.count).toBeUndefined();
  });
});
