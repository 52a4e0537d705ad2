import type { ManifestDraft } from '../example.js';
import { pointer } from '../json-pointer.js';
import { objectRules } from './object-rules.js';
import { accessRules, compareReach, type Packages, type Rule } from './rules.js';
import {
  ATTENTIONS,
  type Attention,
  compareTrees,
  type Difference,
  members,
  named,
  type RawDifference,
  type Shape,
  textSet,
  whole,
  wholeSet,
} from './tree.js';

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
function attentionTo(difference: RawDifference, packages: Packages): { attention: Attention; note?: string } {
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

const by =
  (name: string) =>
  (item: Readonly<Record<string, unknown>>): unknown =>
    item[name];

const field = members(
  {
    options: named(by('value'), members(), { ordered: true, short: 'value' }),
    // A rule is what it demands: with another value it is another rule.
    validationRules: named(({ type, value }) => `${String(type)} ${String(value)}`, members()),
    readRoles: wholeSet,
    writeRoles: wholeSet,
  },
  { required: false, is_unique: false, exposes: false },
);

/** An object whose members are compared one by one, each as a whole. */
const flat = members();

const action = members({ values: flat, headers: flat, data: flat });

/**
 * How each section is compared. What is missing here is compared as a whole, so that a section or a key that joins the
 * manifest is never overlooked.
 */
const packageShape: Shape = members({
  publisher: flat,
  listing: members({ categories: textSet }, { visibility: 'public' }),
  permissions: named(by('scope'), members({}, { optional: false }), { short: 'scope' }),
  roles: named(by('name'), flat),
  objects: named(by('apiName'), members({ fields: named(by('apiName'), field, { ordered: true }) })),
  automations: named(
    by('key'),
    members({
      trigger: members({ payload: named(by('name'), flat) }),
      actions: named(({ key, type }) => key ?? type, action, { ordered: true }),
    }),
  ),
  webhooks: named(by('url'), members({ events: textSet })),
  embed: members({ allowedOrigins: textSet, scopes: textSet }, { linkUsersBy: 'email' }),
  oauth: members({ redirectUris: textSet }),
  connector: members({ streams: named(by('name'), members({ mapping: flat, primaryKey: whole })) }),
  assistant: members({
    tools: named(by('name'), members({}, { readOnly: false, requiresConfirmation: false })),
    mcpServers: named(by('url'), flat, { short: 'url' }),
  }),
  service: members({ consumes: textSet, produces: textSet }),
  release: flat,
});

/**
 * Every difference between two versions of a package, for anyone who reviews the later one: unlike `compareManifests`,
 * which tells a tenant what an upgrade means, it leaves nothing out. Equal packages have none, whatever the order of
 * members and of lists whose order says nothing, and whichever of two forms with one meaning they use.
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
