/**
 * What a change means for a tenant that upgrades: `safe` needs nothing, `breaking` may make clients or
 * existing records fail, `destructive` loses stored values.
 */
export type ChangeEffect = 'safe' | 'breaking' | 'destructive';

/** One difference between two versions. */
export interface Change {
  kind: 'added' | 'removed' | 'changed';
  /** Points into the new manifest; for a removal, to the section that contained it. */
  pointer: string;
  message: string;
  effect: ChangeEffect;
  /**
   * Whether the tenant must consent again: a new scope, event, host, origin or object, a scope that was optional, or a
   * formula that starts to show values its readers cannot read, or shows other such values.
   */
  consent: boolean;
}
