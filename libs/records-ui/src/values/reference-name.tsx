import type { ObjectName } from '@crm/api-client';
import { useTexts } from '@crm/ui';
import { useRecord } from '../data/record.queries.js';
import { useRecords } from '../data/records-context.js';
import { type ObjectModel, titleOf } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';

/** The name of the record that a reference names, if the caller can read it. */
export function ReferenceName({ target, id }: { readonly target?: ObjectName; readonly id: string }) {
  const texts = useTexts(TEXTS);
  const model = useRecords().objects.find(({ name }) => name === target);
  return model ? <Name model={model} id={id} /> : <span className="unset">{texts.linked}</span>;
}

function Name({ model, id }: { readonly model: ObjectModel; readonly id: string }) {
  const texts = useTexts(TEXTS);
  const { data } = useRecord(model.name, id);
  return <>{(data && titleOf(model, data)) || texts.linked}</>;
}
