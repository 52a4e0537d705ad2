import { canonicalJson, type FieldProblem } from '@crm/contracts';
import { ValidateBy } from 'class-validator';
import type { Refusal, Rule } from './rules.js';

/** What a field decorator passes to the pipe in the context of class-validator's rules. */
export interface RefusalContext extends Refusal {
  /** The problems of a list's items, with pointers relative to the list; at most `limit`. */
  readonly ofItems?: (list: readonly unknown[], limit: number) => FieldProblem[];
}

/**
 * Validates every item of a list by the same rules, up to the first broken one per item. class-validator's `each` only
 * reports that some item is invalid; this reports which.
 */
export function everyItem(rules: readonly Rule[], nullable: boolean): Rule {
  const brokenBy = (item: unknown): Rule | undefined =>
    item === null && nullable ? undefined : rules.find(({ test }) => !test(item));
  const test = (list: unknown): boolean => Array.isArray(list) && list.every((item) => !brokenBy(item));
  const ofItems = (list: readonly unknown[], limit: number): FieldProblem[] => {
    const problems: FieldProblem[] = [];
    for (const [index, item] of list.entries()) {
      if (problems.length >= limit) break;
      const broken = brokenBy(item);
      if (broken) problems.push({ pointer: `/${index}`, ...broken.refusal });
    }
    return problems;
  };
  const refusal: RefusalContext = { code: 'INVALID_VALUE', detail: 'Has an item that is not valid', ofItems };
  return {
    decorate: (options) => ValidateBy({ name: 'items', validator: { validate: test } }, options),
    test,
    refusal,
  };
}

/**
 * Items are equal as in JSON Schema, regardless of the order of an object's members. class-validator's own `ArrayUnique` compares
 * every item with every other one, which takes minutes for a list that fills a body.
 */
export function noDuplicates(): Rule {
  const test = (list: unknown): boolean => Array.isArray(list) && new Set(list.map(identityOf)).size === list.length;
  return {
    decorate: (options) => ValidateBy({ name: 'arrayUnique', validator: { validate: test } }, options),
    test,
    refusal: { code: 'DUPLICATE_ITEMS', detail: 'Must not repeat an item' },
  };
}

/** An item rejected for unknown members has values that JSON does not have; they are omitted. */
const identityOf = (item: unknown): string => canonicalJson(JSON.parse(JSON.stringify(item)));
