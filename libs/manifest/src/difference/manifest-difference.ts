import type { ManifestDraft } from '../draft.js';
import { pointer } from '../json-pointer.js';
import { attentionTo } from './attention.js';
import { compareTrees } from './compare-trees.js';
import { ATTENTIONS, type Attention, type Difference } from './difference.js';
import { packageShape } from './package-shape.js';
import { compareReach } from './reach.js';

/**
 * Every difference between two versions of a package, for whoever reviews the later one: unlike `compareManifests`, which
 * tells a tenant what an upgrade means, it leaves nothing out. Equal packages have none, whatever the order of members and
 * of lists whose order says nothing, and whichever of two forms with one meaning they use.
 *
 * @param before the version that tenants have
 * @param after the version under review
 */
export function manifestDifference(before: ManifestDraft, after: ManifestDraft): Difference[] {
  const packages = { before, after };
  const differences = [...compareReach(before, after), ...compareTrees(packageShape(before), packageShape(after))];
  return differences.map(({ steps, ...difference }) => ({
    path: pointer(...steps),
    ...difference,
    ...attentionTo({ steps, ...difference }, packages),
  }));
}

/** As much of a difference as fits into an answer. */
export interface DifferenceSummary {
  /** The most urgent first. */
  readonly entries: readonly (Difference & { readonly shortened?: true })[];
  /** How many there are of each attention, shown or not. */
  readonly counts: Readonly<Record<Attention, number>>;
  /** False when entries were left out. */
  readonly complete: boolean;
}

/** In UTF-16 units of JSON. */
const LONGEST_VALUE = 4_000;
const LONGEST_SUMMARY = 150_000;

/** Sorts differences by urgency and shortens them to what fits into one message. */
export function summariseDifference(differences: readonly Difference[]): DifferenceSummary {
  const counts = { access: 0, loss: 0, behaviour: 0, text: 0 };
  for (const { attention } of differences) counts[attention] += 1;
  const sorted = ATTENTIONS.flatMap((attention) => differences.filter((one) => one.attention === attention));
  const entries: DifferenceSummary['entries'][number][] = [];
  let used = 0;
  for (const difference of sorted) {
    const entry = shortened(difference);
    used += JSON.stringify(entry).length;
    if (used > LONGEST_SUMMARY) return { entries, counts, complete: false };
    entries.push(entry);
  }
  return { entries, counts, complete: true };
}

function shortened(difference: Difference): Difference & { shortened?: true } {
  const texts = [difference.before, difference.after].map((value) => JSON.stringify(value) ?? '');
  if (texts.every((text) => text.length <= LONGEST_VALUE)) return difference;
  const [before, after] = texts.map((text, index) =>
    text.length <= LONGEST_VALUE ? [difference.before, difference.after][index] : `${text.slice(0, LONGEST_VALUE)}…`,
  );
  return {
    ...difference,
    ...('before' in difference && { before }),
    ...('after' in difference && { after }),
    shortened: true,
  };
}
