import { useLocale } from '@crm/ui';
import { timeText } from './time-text.js';

export function Time({ at }: { readonly at: string }) {
  return <time dateTime={at}>{timeText(at, useLocale())}</time>;
}
