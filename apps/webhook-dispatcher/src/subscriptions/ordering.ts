/** Whether deliveries of a record are made one after the other, in the order of its versions. */
export const ORDERINGS = ['none', 'record'] as const;
export type Ordering = (typeof ORDERINGS)[number];

/** What becomes of a delivery that keeps failing while later ones of its record wait: set aside, or waited for. */
export const STALL_RULES = ['skip', 'hold'] as const;
export type StallRule = (typeof STALL_RULES)[number];
