import type { ManifestDraft } from '../draft.js';
import type { RawDifference } from './compare-trees.js';
import type { Attention } from './difference.js';

/** Both versions, for rules that need more than the difference. */
export interface Packages {
  readonly before: ManifestDraft;
  readonly after: ManifestDraft;
}

/** What a difference calls for, and why where it is not obvious; undefined leaves it to a later rule. */
export type Verdict = Attention | readonly [Attention, note: string] | undefined;

/** A path, `*` for any one name, `**` at its end for whatever is below, and what a difference there calls for. */
export type Rule = readonly [
  path: string,
  judge: Attention | ((difference: RawDifference, packages: Packages) => Verdict),
];
