/**
 * What a difference calls for, the most urgent first. `access`: the app, those it talks to or some of its users reach more
 * than before. `loss`: what tenants, users or clients have today may be lost or fail. `behaviour`: the app does something
 * else. `text`: people read something else.
 */
export const ATTENTIONS = ['access', 'loss', 'behaviour', 'text'] as const;
export type Attention = (typeof ATTENTIONS)[number];

export const DIFFERENCE_KINDS = ['added', 'removed', 'changed'] as const;
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number];

/** One difference between two versions of a package. */
export interface Difference {
  /**
   * Like a JSON pointer, with names in the place of positions: `/objects/visit/fields/hours/readRoles`. `/hosts/…` and
   * `/events/…` are not sections: they sum up which hosts the whole package calls and which events it listens to.
   */
  readonly path: string;
  readonly kind: DifferenceKind;
  readonly attention: Attention;
  /** Why it has this attention, where the path and the values do not say it. */
  readonly note?: string;
  /** Absent for what was added. */
  readonly before?: unknown;
  /** Absent for what was removed. */
  readonly after?: unknown;
}
