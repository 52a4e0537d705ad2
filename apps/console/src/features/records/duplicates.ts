import type { ApiClient, RecordFields } from '@crm/api-client';
import type { ObjectModel } from '@crm/records-ui';

/** A record that the search has found. */
export interface Hit {
  readonly object: string;
  readonly id: string;
  readonly title: string;
  readonly matched: { readonly field: string | null; readonly value: string };
}

/** By what a record may be there already, in the order in which it says so. */
interface Question {
  readonly q: string;
  readonly isLikely: (hit: Hit) => boolean;
}

/** People are looked for among leads and contacts alike. */
const SEARCHED: Readonly<Record<string, string>> = {
  lead: 'lead,contact',
  contact: 'lead,contact',
  company: 'company',
};
/** Letters and digits without which the API searches for nothing, and digits that are more than an extension. */
const LEAST = { text: 3, digits: 6 };
const MOST_SHOWN = 5;

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');
const isLong = (text: string, least: number, letters: RegExp): boolean => (text.match(letters) ?? []).length >= least;

/** Returns whether two names may be of the same: one can have words before or behind that the other leaves out. */
export function isSameName(one: string, other: string): boolean {
  const [short = '', long = ''] = [one, other]
    .map((name) => name.toLocaleLowerCase().replace(/\s+/g, ' ').trim())
    .sort((left, right) => left.length - right.length);
  return short !== '' && (long === short || long.startsWith(`${short} `) || long.endsWith(` ${short}`));
}

/** What to ask before a record is created; nothing for an object that has no duplicates. */
export function questionsOf({ apiName, titleFields }: ObjectModel, fields: RecordFields): Question[] {
  if (!Object.hasOwn(SEARCHED, apiName)) return [];
  const [email, phone] = [textOf(fields.email), textOf(fields.phone)];
  const name = titleFields
    .map((field) => textOf(fields[field]))
    .filter(Boolean)
    .join(' ');
  const isMail = ({ matched }: Hit): boolean => matched.value.toLowerCase() === email.toLowerCase();
  return [
    ...(isLong(email, LEAST.text, /[\p{L}\p{N}]/gu) ? [{ q: email, isLikely: isMail }] : []),
    ...(isLong(phone, LEAST.digits, /[0-9]/g) ? [{ q: phone, isLikely: () => true }] : []),
    ...(isLong(name, LEAST.text, /[\p{L}\p{N}]/gu)
      ? [{ q: name, isLikely: ({ title }: Hit) => isSameName(title, name) }]
      : []),
  ];
}

/** Records that may be the same, as far as the caller can read them. A search that fails keeps nobody from creating. */
export async function findDuplicates(client: ApiClient, model: ObjectModel, fields: RecordFields): Promise<Hit[]> {
  const objects = SEARCHED[model.apiName] ?? '';
  const answers = await Promise.allSettled(
    questionsOf(model, fields).map(async ({ q, isLikely }) => {
      const { data } = await client.GET('/api/crm/search', { params: { query: { q, objects, size: 20 } } });
      return (data?.data ?? []).filter(isLikely);
    }),
  );
  const hits = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  return [...new Map(hits.map((hit) => [hit.id, hit])).values()].slice(0, MOST_SHOWN);
}
