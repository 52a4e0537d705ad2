import { createHash } from 'node:crypto';
import { type AccessPlan, foldForSearch, foldForSearchUpTo, searchText } from '@crm/fields';
import type { StoredField } from '../object/object-definition.js';
import { type ObjectModel } from '../object/object-model.js';
import type { RowCondition } from './filter-sql.js';

/** Longest text kept for the search of one audience, in code units. */
export const SEARCH_TEXT_LENGTH = 8_000;

/**
 * The readers of a set of fields: everyone, or holders of certain roles. Each audience has a search text, so that no
 * match reveals, letter by letter, a field that the caller cannot read.
 */
interface Audience {
  /** Empty for everyone. */
  readonly name: string;
  readonly fields: readonly StoredField[];
}

type Values = Readonly<Record<string, unknown>>;

const audiences = new WeakMap<ObjectModel, readonly Audience[]>();
const readableAudiences = new WeakMap<AccessPlan, readonly string[]>();

function audiencesOf(model: ObjectModel): readonly Audience[] {
  let known = audiences.get(model);
  if (!known) {
    const fields = new Map<string, StoredField[]>();
    for (const field of model.object.fields) {
      if (field.type === 'formula') continue;
      const name = audienceName(field.readRoles ?? []);
      fields.set(name, [...(fields.get(name) ?? []), field]);
    }
    known = [...fields].map(([name, ofAudience]) => ({ name, fields: ofAudience }));
    audiences.set(model, known);
  }
  return known;
}

/** Roles are many and long; the name is part of a key. */
function audienceName(readRoles: readonly string[]): string {
  if (readRoles.length === 0) return '';
  const roles = [...new Set(readRoles)].sort();
  return createHash('sha256').update(JSON.stringify(roles)).digest('hex').slice(0, 32);
}

/** The audiences of an object to which a caller belongs. */
export function audiencesFor(model: ObjectModel, plan: AccessPlan): readonly string[] {
  let known = readableAudiences.get(plan);
  if (!known) {
    const readable = audiencesOf(model).filter(({ fields }) =>
      fields.every(({ apiName }) => plan.readable.has(apiName)),
    );
    known = readable.map(({ name }) => name);
    readableAudiences.set(plan, known);
  }
  return known;
}

/** A record's texts by audience; null where it has no longer one. */
export type SearchTexts = ReadonlyMap<string, string | null>;

/**
 * The texts that `q` searches.
 * @param previous values before a change: only texts that may have changed are returned
 */
export function searchTextsOf(model: ObjectModel, values: Values, previous?: Values): SearchTexts {
  const texts = new Map<string, string | null>();
  for (const { name, fields } of audiencesOf(model)) {
    if (previous !== undefined && fields.every((field) => isSame(field, previous, values))) continue;
    const text = textOf(fields, values);
    if (text !== null || previous !== undefined) texts.set(name, text);
  }
  return texts;
}

const isSame = (field: StoredField, previous: Values, values: Values): boolean =>
  searchText(field, previous[field.apiName] ?? null) === searchText(field, values[field.apiName] ?? null);

/** The folded values in the order of the fields, so that `ada lovelace` finds a first and a last name, up to the limit. */
function textOf(fields: readonly StoredField[], values: Values): string | null {
  const parts: string[] = [];
  let remaining = SEARCH_TEXT_LENGTH;
  for (const field of fields) {
    if (remaining <= 0) break;
    const text = searchText(field, values[field.apiName] ?? null);
    const folded = text === null ? '' : foldForSearchUpTo(textIn(field, text), remaining);
    if (folded === '') continue;
    parts.push(folded);
    remaining -= folded.length + 1;
  }
  return parts.length === 0 ? null : parts.join(' ');
}

/** A phone number is found by its digits alone too. */
const textIn = ({ isPhone }: StoredField, text: string): string =>
  isPhone ? `${text} ${text.replace(/[^0-9]/g, '')}` : text;

/** Returns whether a value of a field has a folded text in it. */
export function hasText(field: StoredField, value: unknown, searched: string): boolean {
  const text = searchText(field, value ?? null);
  return text !== null && foldForSearch(textIn(field, text)).includes(searched);
}

/** A folded search text. */
export interface SearchedText {
  /** Folded. */
  readonly text: string;
  /** True when the index can find it. */
  readonly isIndexed: boolean;
}

/** Texts that contain a trigram of pg_trgm. Where pg_trgm disagrees the index returns every text: slow, not wrong. */
const HAS_TRIGRAM = /[\p{L}\p{N}]{3}|[\p{L}\p{N}]{2}[^\p{L}\p{N}]|[^\p{L}\p{N}][\p{L}\p{N}]{2}/u;

/** @returns null for a text that every record has: empty, or white space only */
export function searchedText(q: string | undefined): SearchedText | null {
  const text = q === undefined ? '' : foldForSearch(q);
  return text === '' ? null : { text, isIndexed: HAS_TRIGRAM.test(text) };
}

/** A text that is looked for in an object, by a caller who belongs to the audiences. */
export interface TextSearch {
  readonly objectId: string;
  readonly audiences: readonly string[];
  readonly searched: SearchedText;
}

/**
 * Compares the texts of the records that the other conditions leave; OFFSET stops Postgres from reading all texts
 * first.
 * @param first number of the first free parameter
 */
export const containsText = ({ audiences, searched }: TextSearch, first: number): RowCondition => ({
  sql: `EXISTS (SELECT 1 FROM record_search AS s
                 WHERE s.tenant_id = $1::uuid AND s.object_id = $2 AND s.id = custom_record.id
                   AND s.audience = ANY ($${first}::text[]) AND strpos(s.text, $${first + 1}) > 0 OFFSET 0)`,
  parameters: [audiences, searched.text],
});
