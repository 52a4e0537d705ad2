import type { FieldValue } from '@crm/api-client';
import type { Locale } from '@crm/ui';
import type { HTMLInputTypeAttribute } from 'react';
import { numberInput, parseNumber } from './number-input.js';

/** What is in an input of a form: a text, a tick or chosen options. */
export type DraftValue = string | boolean | readonly string[];

/** How a type is shown and edited. What is left out is as for a text. */
export interface FieldTypeView {
  /** What it is edited with; `null` for a type that is never written. */
  readonly control?: 'lines' | 'tick' | 'option' | 'options' | 'record' | null;
  /** The type of an input of one line. */
  readonly inputType?: HTMLInputTypeAttribute;
  /** Typed as a number, and aligned as one. */
  readonly isNumber?: true;
  /** True when lists leave it out. */
  readonly notInColumn?: true;
  readonly format?: (value: string | number, locale: Locale) => string;
  /** From the API to the input and back, where the text in the input is not the value. */
  readonly toInput?: (text: string, tag: string) => string;
  readonly fromInput?: (text: string, tag?: string) => FieldValue;
}

const NUMBER = {
  isNumber: true,
  toInput: (text, tag) => numberInput(Number(text), tag),
  fromInput: (text, tag = 'en') => parseNumber(text, tag),
  format: (value, { tag }) => numberText(value, tag),
} satisfies FieldTypeView;

export const FIELD_TYPES = {
  text: {},
  textarea: { control: 'lines', notInColumn: true },
  number: NUMBER,
  currency: { ...NUMBER, format: (value, { tag }) => numberText(value, tag, { minimumFractionDigits: 2 }) },
  percent: { ...NUMBER, format: (value, { tag }) => `${numberText(value, tag)} %` },
  // A date has no time zone: it is the same day everywhere.
  date: {
    inputType: 'date',
    format: (value, { tag }) => dateText(value, tag, { dateStyle: 'medium', timeZone: 'UTC' }),
  },
  datetime: {
    inputType: 'datetime-local',
    format: (value, { tag, timeZone }) => dateText(value, tag, { dateStyle: 'medium', timeStyle: 'short', timeZone }),
    toInput: localDateTime,
    fromInput: (text) => new Date(text).toISOString(),
  },
  email: { inputType: 'email' },
  phone: { inputType: 'tel' },
  url: { inputType: 'url' },
  picklist: { control: 'option' },
  multi_select: { control: 'options', notInColumn: true },
  checkbox: { control: 'tick' },
  reference: { control: 'record' },
  formula: { control: null },
} satisfies Record<string, FieldTypeView>;

export type FieldType = keyof typeof FIELD_TYPES;

export const isFieldType = (type: string): type is FieldType => Object.hasOwn(FIELD_TYPES, type);

export const viewOf = (type: FieldType): FieldTypeView => FIELD_TYPES[type];

export function numberText(value: string | number, tag: string, options: Intl.NumberFormatOptions = {}): string {
  return typeof value === 'number'
    ? new Intl.NumberFormat(tag, { maximumFractionDigits: 6, ...options }).format(value)
    : value;
}

function dateText(value: string | number, tag: string, options: Intl.DateTimeFormatOptions): string {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? String(value) : new Intl.DateTimeFormat(tag, options).format(date);
}

/** The text that an input of date and time has, in the user's time zone. */
function localDateTime(text: string): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return '';
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}
