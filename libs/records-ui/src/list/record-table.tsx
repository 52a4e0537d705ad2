import type { CrmRecord } from '@crm/api-client';
import { Button, useTexts } from '@crm/ui';
import { memo } from 'react';
import { viewOf } from '../objects/field-types.js';
import { columnsOf, type FieldModel, type ObjectModel, titleOf } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { ValueText } from '../values/format-value.js';

export interface RecordTableProps {
  readonly model: ObjectModel;
  readonly records: readonly CrmRecord[];
  readonly onOpen: (id: string) => void;
}

/** On a narrow page the rows become cards, in which each value carries the name of its column. */
export function RecordTable({ model, records, onOpen }: RecordTableProps) {
  const columns = columnsOf(model);
  return (
    <table className="records">
      <caption className="visually-hidden">{model.pluralLabel}</caption>
      <thead>
        <tr>
          <th scope="col">{model.label}</th>
          {columns.map(({ apiName, label, type }) => (
            <th key={apiName} scope="col" className={viewOf(type).isNumber ? 'number' : undefined}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <Row key={record.id} model={model} columns={columns} record={record} onOpen={onOpen} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly model: ObjectModel;
  readonly columns: readonly FieldModel[];
  readonly record: CrmRecord;
  readonly onOpen: (id: string) => void;
}

const Row = memo(function Row({ model, columns, record, onOpen }: RowProps) {
  const texts = useTexts(TEXTS);
  return (
    <tr>
      <th scope="row">
        <Button look="link" onClick={() => onOpen(record.id)}>
          {titleOf(model, record) || texts.untitled}
        </Button>
      </th>
      {columns.map((field) => (
        <td key={field.apiName} data-label={field.label} className={viewOf(field.type).isNumber ? 'number' : undefined}>
          <ValueText field={field} value={record[field.apiName]} />
        </td>
      ))}
    </tr>
  );
});
