import { describe, expect, it } from '@jest/globals';
import {
  type AuditedDelivery,
  countDuplicates,
  countUnlogged,
  listInexact,
  listLedgerProblems,
  listLost,
} from './audit.js';

const DELIVERED: AuditedDelivery = {
  name: 'it',
  isRefused: false,
  answers: [500, 'reset', 200],
  logged: {
    id: 'delivery',
    eventId: 'event',
    subscriptionId: 'subscription',
    status: 'delivered',
    attempts: 3,
    numbers: [1, 2, 3],
    answers: [500, null, 200],
  },
};

const withLogged = (logged: Partial<AuditedDelivery['logged']>): AuditedDelivery => ({
  ...DELIVERED,
  logged: { ...DELIVERED.logged, ...logged } as NonNullable<AuditedDelivery['logged']>,
});

describe('what is said of a delivery', () => {
  it('is nothing when it arrived and the ledger has every attempt', () => {
    expect(listLost([DELIVERED])).toEqual([]);
    expect(listLedgerProblems([DELIVERED])).toEqual([]);
    expect(listInexact([DELIVERED])).toEqual([]);
    expect([countDuplicates([DELIVERED]), countUnlogged([DELIVERED])]).toEqual([0, 0]);
  });

  it('is that it is lost, when it was never accepted, unless the receiver refuses it', () => {
    const never: AuditedDelivery = { ...DELIVERED, answers: [500, 'reset'] };
    expect(listLost([never])).toEqual(['it']);
    expect(listLost([{ ...never, isRefused: true }])).toEqual([]);
  });

  it.each([
    ['is not in the ledger', { ...DELIVERED, logged: undefined }],
    ['is retrying, not delivered', withLogged({ status: 'retrying' })],
    ['is delivered, not failed', { ...DELIVERED, isRefused: true }],
    ['has the attempts 1,3, but says that 3 were made', withLogged({ numbers: [1, 3] })],
    ['logs the answers 200, which were not given', withLogged({ answers: [500, 200, 200] })],
  ])('is that it %s', (problem, delivery) => {
    expect(listLedgerProblems([delivery])).toEqual([`it: ${problem}`]);
  });

  it('is that a request was sent twice, or not recorded', () => {
    const twice: AuditedDelivery = { ...DELIVERED, answers: [500, 'reset', 200, 200] };
    expect([countDuplicates([twice]), countUnlogged([twice])]).toEqual([1, 1]);
    expect(listInexact([twice])).toEqual(['it: answered 500,,200,200, logged 500,,200']);
  });
});
