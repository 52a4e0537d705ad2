import { createHash } from 'node:crypto';
import type { AccessPlan } from '@crm/fields';
import { type EvaluationContext, formulaDependencies, isTimeZone } from '@crm/formula';
import { entityTag } from '@crm/http';
import type { StoredField } from '../object/object-definition.js';
import type { ObjectModel } from '../object/object-model.js';
import { sliceMembers } from './json-members.js';
import { RecordText, type StoredRecord } from './record.js';

/** A record as it leaves through the API: flat, head fields first. */
export type RecordView = {
  id: string;
  version: number;
  createdAt: string;
  updatedAt: string;
} & Record<string, unknown>;

/** The members that one access plan shows, in order, and the computation of its formulas. */
export interface Presentation {
  readonly members: readonly Member[];
  /** Evaluates the readable formulas with the formulas they read; undefined when there is none. */
  readonly compute: ((stored: StoredValue, clock: EvaluationContext) => Readonly<Record<string, unknown>>) | undefined;
  /** Keys of the stored fields that the formulas read. */
  readonly inputs: readonly number[];
  /** Keys of the stored fields that are neither shown nor read. */
  readonly unneeded: readonly string[];
}

export interface Member {
  readonly apiName: string;
  /** Key of a stored value; null for a formula. */
  readonly key: number | null;
}

/** The stored value of a field by its key. */
type StoredValue = (key: number) => unknown;

/** A plan belongs to one model, so its presentation does too. */
const presentations = new WeakMap<AccessPlan, Presentation>();

/** Fields that the caller cannot read are absent; of formulas only the readable ones and what they read are evaluated. */
export function presentationOf(model: ObjectModel, plan: AccessPlan): Presentation {
  let presentation = presentations.get(plan);
  if (!presentation) {
    presentation = prepare(model, plan);
    presentations.set(plan, presentation);
  }
  return presentation;
}

function WithoutPrototype(): void {
  // Sets nothing.
}
WithoutPrototype.prototype = Object.create(null);
/** Inherit nothing, so that __proto__ is a name like any other; objects of Object.create(null) take twice as long. */
const Values = WithoutPrototype as unknown as new () => Record<string, unknown>;

function prepare(model: ObjectModel, plan: AccessPlan): Presentation {
  const readable = model.object.fields.filter(({ apiName }) => plan.readable.has(apiName));
  const members = readable.map(({ apiName, key, type }) => ({ apiName, key: type === 'formula' ? null : key }));
  const wanted = new Set(model.formulas.order.filter((name) => plan.readable.has(name)));
  const inputs = inputsOf(model, wanted);
  const inputKeys = inputs.map(({ key }) => key);
  const needed = new Set([...members.map(({ key }) => key), ...inputKeys]);
  const stored = model.object.fields.filter(({ type, key }) => type !== 'formula' && !needed.has(key));
  const presentation = { members, inputs: inputKeys, unneeded: stored.map(({ key }) => String(key)) };
  if (wanted.size === 0) return { ...presentation, compute: undefined };

  const evaluate = model.formulas.evaluatorOf(wanted);
  return {
    ...presentation,
    compute: (stored, clock) => {
      const values = new Values();
      for (const { apiName, key } of inputs) values[apiName] = stored(key) ?? null;
      evaluate(values, clock);
      return values;
    },
  };
}

/**
 * Keys of the stored values that an answer with this plan does not need: no bound counts them, which would tell how long they are.
 * @param also further fields that it is made from
 */
export function unneededKeys(
  model: ObjectModel,
  plan: AccessPlan,
  also: readonly StoredField[] = [],
): readonly string[] {
  const { unneeded } = presentationOf(model, plan);
  if (unneeded.length === 0 || also.length === 0) return unneeded;
  const read = [...also, ...inputsOf(model, new Set(also.map(({ apiName }) => apiName)))];
  const needed = new Set(read.map(({ key }) => String(key)));
  return unneeded.filter((key) => !needed.has(key));
}

/** The stored fields that the formulas read, directly or through others. */
function inputsOf({ fieldsByName }: ObjectModel, formulas: ReadonlySet<string>): StoredField[] {
  const inputs = new Set<StoredField>();
  const pending = [...formulas];
  const seen = new Set(pending);
  for (const formula of pending) {
    for (const name of formulaDependencies(fieldsByName.get(formula)?.expression ?? '')) {
      const field = fieldsByName.get(name);
      if (field && field.type !== 'formula') inputs.add(field);
      else if (field && !seen.has(name)) {
        seen.add(name);
        pending.push(name);
      }
    }
  }
  return [...inputs];
}

/** A record as events carry it: fields that the plan does not show are absent, unset fields are null. */
export function recordView(
  model: ObjectModel,
  { id, version, createdAt, updatedAt, data }: StoredRecord,
  plan: AccessPlan,
  clock: EvaluationContext,
): RecordView {
  const { members, compute } = presentationOf(model, plan);
  const computed = compute?.((key) => data[key], clock);
  const view: RecordView = { id, version, createdAt, updatedAt };
  for (const { apiName, key } of members) view[apiName] = (key === null ? computed?.[apiName] : data[key]) ?? null;
  return view;
}

/** Writes the JSON of a record, in which what does not depend on the record is written already. */
type Writer = (record: StoredRecord, clock: EvaluationContext) => string;

const writers = new WeakMap<Presentation, Writer>();

/**
 * The JSON of a record for callers with this plan: unreadable fields are absent, unset ones null, formulas computed
 * now. Stored values are copied as the JSON that they are, which takes two thirds of the time of parsing and writing them
 * where they are short (decision record 0243).
 */
export function recordJson(
  model: ObjectModel,
  record: StoredRecord,
  plan: AccessPlan,
  clock: EvaluationContext,
): string {
  const presentation = presentationOf(model, plan);
  let writer = writers.get(presentation);
  if (!writer) {
    writer = writerOf(presentation);
    writers.set(presentation, writer);
  }
  return writer(record, clock);
}

function writerOf({ members, compute, inputs }: Presentation): Writer {
  const keys = [...new Set([...members.flatMap(({ key }) => key ?? []), ...inputs])];
  const positions: number[] = [];
  for (const [position, key] of keys.entries()) positions[key] = position;
  const written = members.map(({ apiName, key }) => ({
    apiName,
    label: `,${JSON.stringify(apiName)}:`,
    position: key === null ? null : (positions[key] as number),
  }));
  return (record, clock) => {
    const parts = new Array<string>(keys.length).fill('null');
    sliceMembers(record instanceof RecordText ? record.text : JSON.stringify(record.data), positions, parts);
    const computed = compute?.((key) => parsed(parts[positions[key] as number] as string), clock);
    const { id, version, createdAt, updatedAt } = record;
    let text = `{"id":"${id}","version":${version},"createdAt":"${createdAt}","updatedAt":"${updatedAt}"`;
    for (const { apiName, label, position } of written) {
      text += label + (position === null ? valueJson(computed?.[apiName]) : parts[position]);
    }
    return `${text}}`;
  };
}

/** A stored value from its JSON. Texts without escapes and numbers are most of them, which takes a fifth of JSON.parse. */
function parsed(json: string): unknown {
  const first = json[0] as string;
  if (first === '"') return json.includes('\\') ? JSON.parse(json) : json.slice(1, -1);
  return first === '-' || (first >= '0' && first <= '9') ? Number(json) : JSON.parse(json);
}

/**
 * A text that JSON writes unescaped (RFC 8259, section 7). Surrogates are left to JSON.stringify, which escapes halves.
 */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;
/** A longer text is scanned faster by JSON.stringify itself. */
const LONGEST_SCANNED = 200;

function valueJson(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string' && value.length <= LONGEST_SCANNED && PLAIN.test(value)) return `"${value}"`;
  return JSON.stringify(value);
}

/**
 * The entity tag: version and definition revision, for formulas that read the clock also the tenant's date and zone, and for references
 * that not all readers see what the answer shows of them: that changes without a new version. `If-Match` compares the
 * version alone.
 */
export function recordEtag(
  model: ObjectModel,
  record: StoredRecord,
  plan: AccessPlan,
  clock: EvaluationContext,
): string {
  const parts = [String(model.object.revision), ...hiddenTargets(model, record, plan, clock)];
  if (!model.formulas.readsClock) return entityTag(record.version, ...parts);
  // Formulas do the same: a zone that Node's data no longer has counts as UTC, so that records stay readable.
  const timeZone = clock.timeZone !== undefined && isTimeZone(clock.timeZone) ? clock.timeZone : 'UTC';
  const date = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(clock.now);
  return entityTag(record.version, ...parts, date, timeZone);
}

const HASH_LENGTH = 12;

function hiddenTargets(
  model: ObjectModel,
  { data }: StoredRecord,
  plan: AccessPlan,
  clock: EvaluationContext,
): string[] {
  if (model.hiddenReferences.length === 0) return [];
  const { members, inputs, compute } = presentationOf(model, plan);
  const shown = model.hiddenReferences.filter(({ key }) => members.some((member) => member.key === key));
  const isRead = model.hiddenReferences.some((field) => inputs.includes(field.key) && !shown.includes(field));
  if (shown.length === 0 && !isRead) return [];
  const targets = shown.map(({ key }) => data[key] ?? null);
  // Anyone who sees a formula alone could compare the tag with those of targets that they know.
  const computed = isRead ? compute?.((key) => data[key] ?? null, clock) : undefined;
  const derived = computed && members.filter(({ key }) => key === null).map(({ apiName }) => computed[apiName] ?? null);
  return [
    createHash('sha256')
      .update(JSON.stringify([targets, derived]))
      .digest('hex')
      .slice(0, HASH_LENGTH),
  ];
}
