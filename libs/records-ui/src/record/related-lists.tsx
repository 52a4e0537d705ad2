import type { RecordPage } from '@crm/api-client';
import { LoadingLines, ProblemNotice, useTexts } from '@crm/ui';
import { Anchor, Button, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { shortList } from '../data/record.queries.js';
import { useRecords } from '../data/records-context.js';
import {
  columnsOf,
  expandOf,
  type FieldModel,
  type ObjectModel,
  type Relation,
  titleOf,
} from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { CellValue } from '../values/cell-value.js';
import { RecordLink } from '../values/record-link.js';
import type { Related } from './record-form.js';

/** Records of a related list; the rest is behind its link. */
const SIZE = 5;
/** What is shown of each beside its name. */
const BESIDE = 2;

export interface RelatedListsProps {
  readonly model: ObjectModel;
  readonly id: string;
  readonly relations: readonly Relation[];
  /** Begins a new record that names this one; left out where there is no space for a form. */
  readonly onCreate?: (model: ObjectModel, related: Related) => void;
}

/** The records that refer to this one. */
export default function RelatedLists({ model, id, relations, onCreate }: RelatedListsProps) {
  return relations.map(({ other, field, isOnly }) => (
    <RelatedList
      key={`${other.name}/${field.apiName}`}
      model={other}
      field={field}
      id={id}
      title={isOnly ? other.pluralLabel : `${other.pluralLabel} · ${field.label}`}
      onCreate={
        other.creatable && field.writable && onCreate
          ? () => onCreate(other, { field: field.apiName, object: model.name, id })
          : undefined
      }
    />
  ));
}

interface RelatedListProps {
  readonly model: ObjectModel;
  readonly field: FieldModel;
  /** The record that they name. */
  readonly id: string;
  readonly title: string;
  readonly onCreate: (() => void) | undefined;
}

function RelatedList({ model, field, id, title, onCreate }: RelatedListProps) {
  const texts = useTexts(TEXTS);
  const { api, listHrefOf } = useRecords();
  const beside = columnsOf(model)
    .filter(({ apiName }) => apiName !== field.apiName)
    .slice(0, BESIDE);
  const expand = expandOf(beside);
  const { data, error, refetch } = useQuery(
    shortList(api, model.name, {
      ...{ size: SIZE, sort: '-createdAt', filterField: field.apiName, filterValue: id },
      ...(expand === undefined ? {} : { expand }),
    }),
  );
  return (
    <section className="record-section" aria-label={title}>
      <Group justify="space-between" wrap="nowrap" mih={30}>
        <Title order={2} size="sm" c="dimmed">
          {title}
          {data?.total ? ` (${data.total}${data.totalIsExact ? '' : '+'})` : ''}
        </Title>
        {onCreate ? (
          <Button size="compact-sm" variant="default" onClick={onCreate}>
            {texts.create(model.label)}
          </Button>
        ) : null}
      </Group>
      {data === undefined ? (
        error ? (
          <ProblemNotice problem={error} onRetry={refetch} />
        ) : (
          <LoadingLines label={texts.loading} lines={1} />
        )
      ) : (
        <Rows model={model} page={data} beside={beside} />
      )}
      {data && (data.total ?? 0) > SIZE && listHrefOf ? (
        <Anchor size="sm" href={listHrefOf(model, field.apiName, id)}>
          {texts.showAll(model.pluralLabel)}
        </Anchor>
      ) : null}
    </section>
  );
}

interface RowsProps {
  readonly model: ObjectModel;
  readonly page: RecordPage;
  readonly beside: readonly FieldModel[];
}

function Rows({ model, page, beside }: RowsProps) {
  const texts = useTexts(TEXTS);
  if (page.data.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {texts.empty(model.pluralLabel)}
      </Text>
    );
  }
  return (
    <ul className="related">
      {page.data.map((record) => (
        <li key={record.id}>
          <RecordLink model={model} id={record.id}>
            {titleOf(model, record) || texts.untitled}
          </RecordLink>
          {beside
            .filter(({ apiName }) => (record[apiName] ?? '') !== '')
            .map((shown) => (
              <span key={shown.apiName} className="related-beside">
                <CellValue field={shown} record={record} />
              </span>
            ))}
        </li>
      ))}
    </ul>
  );
}
