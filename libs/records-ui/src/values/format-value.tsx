import type { FieldValue, ObjectName } from '@crm/api-client';
import { type Locale, useLocale, useTexts } from '@crm/ui';
import type { ReactNode } from 'react';
import { usePerson, useRecord } from '../data/record.queries.js';
import { useObject } from '../data/records-context.js';
import { numberText, viewOf } from '../objects/field-types.js';
import { type FieldModel, type ObjectModel, titleOf } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { RecordLink } from './record-link.js';

/** What is shown of a value; undefined for one that is not set. */
export function formatValue(
  { shownAs, options }: Pick<FieldModel, 'shownAs' | 'options'>,
  value: FieldValue | undefined,
  locale: Locale,
  words: { readonly yes: string; readonly no: string },
): string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  const labelOf = (option: string): string => options.find((known) => known.value === option)?.label ?? option;
  if (typeof value === 'object') return value.length > 0 ? value.map(labelOf).join(', ') : undefined;
  const { format } = viewOf(shownAs);
  if (format) return format(value, locale);
  return typeof value === 'number' ? numberText(value, locale.tag) : labelOf(value);
}

/** An amount of money; without a currency that is known, the bare number. */
export function formatMoney(amount: number, currency: string | undefined, tag: string): string {
  const number = new Intl.NumberFormat(tag, { maximumFractionDigits: 0 }).format(amount);
  if (!currency) return number;
  return /^[A-Z]{3}$/.test(currency)
    ? new Intl.NumberFormat(tag, { style: 'currency', currency, maximumFractionDigits: 0 }).format(amount)
    : `${number} ${currency}`;
}

/** A plain element: many cells of a list are unset, and a component of the kit would double what they cost while it scrolls. */
export const Dimmed = ({ children }: { readonly children: ReactNode }) => (
  <span className="records-dimmed">{children}</span>
);

/** The record or the person that a reference names, by its name if the caller can read it. */
export function ReferenceName({ target, id }: { readonly target?: ObjectName | 'user'; readonly id: string }) {
  const texts = useTexts(TEXTS);
  const model = useObject(target);
  if (model) return <Name model={model} id={id} />;
  if (target === 'user') return <PersonName id={id} />;
  return <Dimmed>{texts.linked}</Dimmed>;
}

function PersonName({ id }: { readonly id: string }) {
  const texts = useTexts(TEXTS);
  const { data: person } = usePerson(id);
  return <>{person?.name ?? texts.someone}</>;
}

function Name({ model, id }: { readonly model: ObjectModel; readonly id: string }) {
  const texts = useTexts(TEXTS);
  const { data } = useRecord(model.name, id);
  return (
    <RecordLink model={model} id={id}>
      {(data && titleOf(model, data)) || texts.linked}
    </RecordLink>
  );
}

export interface ValueTextProps {
  readonly field: FieldModel;
  readonly value: FieldValue | undefined;
  /** The object of the record that it names, where that can be one of several. */
  readonly named?: ObjectName | undefined;
}

/** The value of a field for reading. */
export function ValueText({ field, value, named }: ValueTextProps) {
  const texts = useTexts(TEXTS);
  const locale = useLocale();
  if (field.type === 'reference' && typeof value === 'string' && value !== '') {
    return <ReferenceName target={field.target ?? named} id={value} />;
  }
  return formatValue(field, value, locale, texts) ?? <Dimmed>{texts.none}</Dimmed>;
}
