import { type CrmRecord, expandedOf } from '@crm/api-client';
import { useTexts } from '@crm/ui';
import { useRecords } from '../data/records-context.js';
import { type FieldModel, titleOf } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { Dimmed, ValueText } from './format-value.js';
import { RecordLink } from './record-link.js';

/** A record that the list brought along is a link with its name; one that the caller cannot read has none. */
export function CellValue({ field, record }: { readonly field: FieldModel; readonly record: CrmRecord }) {
  const texts = useTexts(TEXTS);
  const { objects } = useRecords();
  const named = field.type === 'reference' ? expandedOf(record, field.apiName) : undefined;
  const model = named ? objects.find(({ apiName }) => apiName === named.object) : undefined;
  const value = record[field.apiName];
  if (named === undefined || value === null) return <ValueText field={field} value={value} />;
  if (!named || !model) return <Dimmed>{texts.linked}</Dimmed>;
  return (
    <RecordLink model={model} id={named.id}>
      {titleOf(model, named) || texts.untitled}
    </RecordLink>
  );
}
