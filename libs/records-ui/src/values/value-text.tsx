import type { FieldValue } from '@crm/api-client';
import { useLocale, useTexts } from '@crm/ui';
import type { FieldModel } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { formatValue } from './format-value.js';
import { ReferenceName } from './reference-name.js';

/** The value of a field for reading. */
export function ValueText({ field, value }: { readonly field: FieldModel; readonly value: FieldValue | undefined }) {
  const texts = useTexts(TEXTS);
  const locale = useLocale();
  if (field.type === 'reference' && typeof value === 'string' && value !== '') {
    return <ReferenceName target={field.target} id={value} />;
  }
  const text = formatValue(field, value, locale, texts);
  return text ?? <span className="unset">{texts.none}</span>;
}
