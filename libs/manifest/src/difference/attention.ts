import { accessRules } from './access-rules.js';
import type { RawDifference } from './compare-trees.js';
import type { Attention } from './difference.js';
import { objectRules } from './object-rules.js';
import type { Packages, Rule } from './rule.js';

/** What people read. */
const TEXTS: readonly Rule[] = [
  ...['$schema', 'manifestVersion', 'name', 'version'].map((path): Rule => [path, 'text']),
  ...['publisher/**', 'publisher', 'listing/**', 'listing', 'release/**', 'release'].map(
    (path): Rule => [path, 'text'],
  ),
  ['permissions/*/purpose', 'text'],
  ['roles/*/label', 'text'],
  ['automations/*/name', 'text'],
  ['webhooks/*/description', 'text'],
];

const RULES: readonly (readonly [pattern: readonly string[], judge: Rule[1]])[] = [
  ...accessRules,
  ...objectRules,
  ...TEXTS,
].map(([path, judge]) => [path.split('/'), judge]);

/** The first rule that says something decides; without one it is behaviour. */
export function attentionTo(difference: RawDifference, packages: Packages): { attention: Attention; note?: string } {
  for (const [pattern, judge] of RULES) {
    if (!matches(pattern, difference.steps)) continue;
    const verdict = typeof judge === 'string' ? judge : judge(difference, packages);
    if (verdict === undefined) continue;
    if (typeof verdict === 'string') return { attention: verdict };
    return { attention: verdict[0], note: verdict[1] };
  }
  return { attention: 'behaviour' };
}

function matches(pattern: readonly string[], steps: readonly string[]): boolean {
  const rest = pattern.at(-1) === '**';
  if (rest ? steps.length < pattern.length : steps.length !== pattern.length) return false;
  return pattern.every((part, index) => part === '*' || part === '**' || part === steps[index]);
}
