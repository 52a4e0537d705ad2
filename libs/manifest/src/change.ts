/**
 * What a change means for a tenant that upgrades: `safe` needs nothing, `breaking` may make clients or
 * existing records fail, `destructive` loses stored values.
 */
export type ChangeEffect = 'safe' | 'breaking' | 'destructive';

/** One difference between two versions. */
export interface Change {
  kind: 'added' | 'removed' | 'changed';
  /** Into the new manifest; for what was removed, the place that held it. */
  pointer: string;
  message: string;
  effect: ChangeEffect;
  /**
   * Whether the tenant has to agree again: a new scope, event, host, origin or object, a scope that was optional, or a
   * formula that now shows what its readers may not read, or shows something else of it.
   */
  consent: boolean;
}
