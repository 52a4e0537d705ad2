import type { CrmRecord } from '@crm/api-client';

/** A column of the pipeline. */
export interface Stage {
  /** Null for opportunities without a stage. */
  readonly name: string | null;
  readonly records: readonly CrmRecord[];
  /** Sums of the amounts by currency; the empty text for amounts without one. */
  readonly sums: readonly (readonly [currency: string, sum: number])[];
}

/**
 * The stages of sales as most teams order them. A stage is free text, so that those that are none of these follow, by alphabet.
 */
const USUAL_ORDER = [
  'new',
  'lead',
  'qualification',
  'qualified',
  'discovery',
  'meeting',
  'demo',
  'proposal',
  'quote',
  'negotiation',
  'contract',
];

/** @param records open opportunities */
export function stagesOf(records: readonly CrmRecord[]): readonly Stage[] {
  const byName = new Map<string | null, CrmRecord[]>();
  for (const record of records) {
    const name = typeof record.stage === 'string' && record.stage !== '' ? record.stage : null;
    byName.set(name, [...(byName.get(name) ?? []), record]);
  }
  return [...byName]
    .sort(([one], [other]) => compareStages(one, other))
    .map(([name, own]) => ({ name, records: own, sums: sumsOf(own) }));
}

function compareStages(one: string | null, other: string | null): number {
  if (one === null || other === null) return one === other ? 0 : one === null ? -1 : 1;
  const [left, right] = [rankOf(one), rankOf(other)];
  return left === right ? one.localeCompare(other) : left - right;
}

function rankOf(stage: string): number {
  const rank = USUAL_ORDER.indexOf(stage.trim().toLowerCase());
  return rank < 0 ? USUAL_ORDER.length : rank;
}

function sumsOf(records: readonly CrmRecord[]): Stage['sums'] {
  const sums = new Map<string, number>();
  for (const { amount, currency } of records) {
    if (typeof amount !== 'number') continue;
    const key = typeof currency === 'string' ? currency : '';
    sums.set(key, (sums.get(key) ?? 0) + amount);
  }
  return [...sums];
}
