import type { CrmRecord } from '@crm/api-client';
import { Icon, useTexts } from '@crm/ui';
import { UnstyledButton } from '@mantine/core';
import { type ColumnDef, FlexRender, type Row, tableFeatures, useTable } from '@tanstack/react-table';
import { type KeyboardEvent, type MouseEvent, memo, type ReactNode, useMemo } from 'react';
import { viewOf } from '../objects/field-types.js';
import { type FieldModel, type ObjectModel, titleOf } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { CellValue } from '../values/cell-value.js';
import { RecordLink } from '../values/record-link.js';
import { COLUMN_WIDTH, nextSort, type ShownColumns, shownColumns, TITLE_WIDTH } from './list-state.js';

/** Pixels; each row is as high, so that nothing has to be measured while it scrolls. */
export const ROW_HEIGHT = 44;

const features = tableFeatures({});
type Column = ColumnDef<typeof features, CrmRecord>;

/** A narrow column before the title. */
export type LeadColumn = Column & { readonly id: 'lead' };

export interface RecordTableProps {
  readonly model: ObjectModel;
  readonly records: readonly CrmRecord[];
  /** The number of records that the list has, including those that are not loaded; undefined when it is not known. */
  readonly total: number | undefined;
  /** Names of the fields beside the title; those that suit when there are none. */
  readonly columns?: readonly string[];
  /** Pixels that it has. */
  readonly width: number;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly lead?: LeadColumn;
}

export interface Rows {
  readonly records: readonly CrmRecord[];
  /** Draws the row at an index. */
  readonly rowAt: (index: number) => ReactNode;
  /** How many cells a row has. */
  readonly cells: number;
}

export interface FramedTableProps extends RecordTableProps {
  /** Which rows are drawn, and what else is in the body of the table. */
  readonly body: (rows: Rows) => ReactNode;
}

/** Moves the focus between rows with the arrow keys. */
export function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const row = step === 0 ? null : document.activeElement?.closest('tr');
  const next = step === 1 ? row?.nextElementSibling : row?.previousElementSibling;
  const link = next?.querySelector<HTMLElement>('th a, th button');
  if (!link) return;
  event.preventDefault();
  link.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'nearest' });
}

/** On a narrow page a row is one cell. Where the chosen columns do not fit, the table is wider than its frame. */
export function FramedTable(props: FramedTableProps) {
  const { model, records, total, columns: chosen, width, sort, onSort, lead, body } = props;
  const texts = useTexts(TEXTS);
  const shown = useMemo(() => shownColumns(model, chosen, width), [model, chosen, width]);
  const columns = useMemo(() => [...(lead ? [lead] : []), ...columnDefs(model, shown)], [model, shown, lead]);
  const isWide = !shown.isNarrow && chosen !== undefined && chosen.length > 0;
  const table = useTable({ features, columns, data: records, getRowId: ({ id }) => id });
  const { rows } = table.getRowModel();
  const fieldOf = (id: string): FieldModel | undefined =>
    model.fields.find(({ apiName }) => apiName === (id === 'title' ? model.titleFields.at(-1) : id));
  return (
    <table
      className="records"
      style={{ minWidth: isWide ? TITLE_WIDTH + shown.columns.length * COLUMN_WIDTH : undefined }}
      aria-rowcount={total === undefined ? -1 : total + 1}
      onKeyDown={moveFocus}
    >
      <caption className="records-caption">{model.pluralLabel}</caption>
      <thead>
        <tr aria-rowindex={1}>
          {table.getFlatHeaders().map(({ id, column: { columnDef } }) => {
            const field = fieldOf(id);
            const label = String(columnDef.header);
            return (
              <th key={id} scope="col" className={classOf(model, id)} aria-sort={sortOf(sort, field?.apiName)}>
                {field?.sortable ? (
                  <SortButton
                    label={label}
                    field={field.apiName}
                    sort={sort}
                    title={texts.sortBy(field.label)}
                    onSort={onSort}
                  />
                ) : (
                  label
                )}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {body({
          records,
          cells: columns.length,
          rowAt: (index) => {
            const row = rows[index];
            return row ? <TableRow key={row.id} row={row} index={index} model={model} columns={columns} /> : null;
          },
        })}
      </tbody>
    </table>
  );
}

/** The direction of the first field in the order. */
const sortOf = (sort: string, field: string | undefined): 'ascending' | 'descending' | undefined => {
  const [first = ''] = sort.split(',');
  if (field === undefined || first.replace('-', '') !== field) return undefined;
  return first.startsWith('-') ? 'descending' : 'ascending';
};

interface SortButtonProps {
  readonly label: string;
  readonly title: string;
  readonly field: string;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

/** Sorts upwards, then downwards, then as before; with Shift besides the fields that it is sorted by already. */
function SortButton({ label, title, field, sort, onSort }: SortButtonProps) {
  const all = sort.split(',');
  const index = all.findIndex((one) => one.replace('-', '') === field);
  return (
    <UnstyledButton
      className="records-sort"
      title={title}
      onClick={({ shiftKey }: MouseEvent) => onSort(nextSort(sort, field, shiftKey))}
    >
      {label} {index === -1 ? null : <Icon name={all[index] === field ? 'up' : 'down'} />}
      {index !== -1 && all.length > 1 ? <small aria-hidden="true">{index + 1}</small> : null}
    </UnstyledButton>
  );
}

function columnDefs(model: ObjectModel, { isNarrow, columns: fields }: ShownColumns): Column[] {
  const title: Column = {
    id: 'title',
    header: model.label,
    cell: ({ row: { original } }) => (
      <TitleCell model={model} record={original} below={isNarrow ? fields : undefined} />
    ),
  };
  const others = (isNarrow ? [] : fields).map(
    (field): Column => ({
      id: field.apiName,
      header: field.label,
      cell: ({ row: { original } }) => <CellValue field={field} record={original} />,
    }),
  );
  return [title, ...others];
}

interface TableRowProps {
  readonly row: Row<typeof features, CrmRecord>;
  readonly index: number;
  readonly model: ObjectModel;
  /** A row is drawn again when these are others. */
  readonly columns: readonly Column[];
}

const TableRow = memo(function TableRow({ row, index, model }: TableRowProps) {
  return (
    <tr aria-rowindex={index + 2}>
      {row.getAllCells().map((cell) =>
        cell.column.id === 'title' ? (
          <th key={cell.id} scope="row">
            <FlexRender cell={cell} />
          </th>
        ) : (
          <td key={cell.id} className={classOf(model, cell.column.id)}>
            <FlexRender cell={cell} />
          </td>
        ),
      )}
    </tr>
  );
});

const classOf = ({ fields }: ObjectModel, name: string): string | undefined =>
  fields.some(({ apiName, shownAs }) => apiName === name && viewOf(shownAs).isNumber)
    ? 'number'
    : name === 'lead' || name === 'title'
      ? name
      : undefined;

interface TitleCellProps {
  readonly model: ObjectModel;
  readonly record: CrmRecord;
  /** What is said below the title where there is no space beside it. */
  readonly below: readonly FieldModel[] | undefined;
}

function TitleCell({ model, record, below }: TitleCellProps) {
  const texts = useTexts(TEXTS);
  const isSet = ({ apiName }: FieldModel): boolean => record[apiName] !== null && record[apiName] !== undefined;
  const said = below?.filter(isSet).slice(0, 2);
  return (
    <>
      <RecordLink model={model} id={record.id}>
        {titleOf(model, record) || texts.untitled}
      </RecordLink>
      {said && said.length > 0 ? (
        <span className="records-second">
          {said.map((field, index) => (
            <span key={field.apiName}>
              {index > 0 ? ' · ' : ''}
              <CellValue field={field} record={record} />
            </span>
          ))}
        </span>
      ) : null}
    </>
  );
}

/** Every row that is loaded: for a page that grows with its content. */
export function PlainTable(props: RecordTableProps) {
  return <FramedTable {...props} body={({ records, rowAt }) => records.map((_, index) => rowAt(index))} />;
}
