import { useLocale } from '@crm/ui';
import { timeText } from './time-text.js';

/** A moment, for people and for programs. */
export function Time({ at }: { readonly at: string }) {
  return <time dateTime={at}>{timeText(at, useLocale())}</time>;
}
