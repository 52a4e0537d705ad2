import { ApiProblem, type CrmRecord } from '@crm/api-client';
import { LoadingLines, ProblemNotice, useLocale, useTexts } from '@crm/ui';
import { Button, Group, Modal, Text, Title } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useDelete, useRecord } from '../data/record.queries.js';
import { useRecords } from '../data/records-context.js';
import { viewOf } from '../objects/field-types.js';
import { type FieldModel, type ObjectModel, relationsTo, titleOf } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { formatValue } from '../values/format-value.js';
import { FieldRow } from './field-row.js';
import type { RelatedListsProps } from './related-lists.js';

// Below and beside what the page is opened for.
const RelatedLists = lazy(() => import('./related-lists.js'));
const Timeline = lazy(() => import('../timeline/timeline.js'));

export interface RecordPageProps extends Pick<RelatedListsProps, 'onCreate'> {
  readonly model: ObjectModel;
  readonly id: string;
  /** Leads to the list. */
  readonly back: ReactNode;
  readonly onDeleted: (title: string, id: string) => void;
  /** What else can be done with the record. */
  readonly actions?: (record: CrmRecord) => ReactNode;
}

/** One record: read, changed in place, and deleted by who may. */
export function RecordPage({ model, id, back, onDeleted, onCreate, actions }: RecordPageProps) {
  const texts = useTexts(TEXTS);
  const { data: record, error, refetch } = useRecord(model.name, id);
  // What was read before is no longer there, or no longer for the caller.
  const isGone = error instanceof ApiProblem && error.status === 404;
  return (
    <article className="record">
      {back}
      {record && !isGone ? (
        <RecordView
          model={model}
          record={record}
          onDeleted={onDeleted}
          onCreate={onCreate}
          actions={actions?.(record)}
        />
      ) : error ? (
        <ProblemNotice problem={error} onRetry={refetch} />
      ) : (
        <LoadingLines label={texts.loading} lines={9} />
      )}
    </article>
  );
}

interface RecordViewProps extends Pick<RelatedListsProps, 'onCreate'> {
  readonly model: ObjectModel;
  readonly record: CrmRecord;
  readonly onDeleted: (title: string, id: string) => void;
}

interface RecordPartsProps extends RecordViewProps {
  readonly actions: ReactNode;
}

function RecordView({ model, record, onDeleted, onCreate, actions }: RecordPartsProps) {
  const texts = useTexts(TEXTS);
  const locale = useLocale();
  const relations = relationsTo(model, useRecords().objects);
  const title = titleOf(model, record) || texts.untitled;
  const moment = (value: string): string =>
    formatValue({ shownAs: 'datetime', options: [] }, value, locale, texts) ?? '';
  return (
    <>
      <header className="record-head">
        <div>
          <Text size="sm" c="dimmed">
            {model.label}
          </Text>
          <Title order={1} size="h2">
            {title}
          </Title>
        </div>
        <Group gap="xs">
          {actions}
          {model.deletable ? <DeleteButton model={model} record={record} title={title} onDeleted={onDeleted} /> : null}
        </Group>
      </header>
      <div className="record-columns">
        <div>
          {sectionsOf(model, record).map(({ name, fields }) => (
            <section key={name} className="record-section" aria-label={texts.sections[name]}>
              <Title order={2} size="sm" c="dimmed">
                {texts.sections[name]}
              </Title>
              <dl className="record-fields">
                {fields.map((field) => (
                  <FieldRow key={field.apiName} model={model} field={field} record={record} />
                ))}
              </dl>
            </section>
          ))}
          <Text size="sm" c="dimmed" mb="md">
            {texts.changed(moment(record.updatedAt))} · {texts.created(moment(record.createdAt))}
            {model.updatable ? null : ` · ${texts.readOnly}`}
          </Text>
          {relations.length === 0 ? null : (
            <Suspense fallback={<LoadingLines label={texts.loading} lines={2 * relations.length} />}>
              <RelatedLists model={model} id={record.id} relations={relations} onCreate={onCreate} />
            </Suspense>
          )}
        </div>
        <Suspense fallback={<LoadingLines label={texts.loading} lines={9} />}>
          <Timeline model={model} id={record.id} />
        </Suspense>
      </div>
    </>
  );
}

type SectionName = 'details' | 'texts' | 'links' | 'formulas';

/** The fields by what they are: what is typed, what is long, what leads elsewhere, and what is calculated. */
function sectionsOf({ fields }: ObjectModel, record: CrmRecord): { name: SectionName; fields: FieldModel[] }[] {
  const nameOf = ({ type }: FieldModel): SectionName => {
    if (type === 'formula') return 'formulas';
    if (type === 'reference') return 'links';
    return viewOf(type).control === 'lines' ? 'texts' : 'details';
  };
  // What the platform has not written yet says nothing.
  const shown = fields.filter(({ readOnly, apiName }) => !readOnly || (record[apiName] ?? null) !== null);
  const names: readonly SectionName[] = ['details', 'texts', 'links', 'formulas'];
  return names
    .map((name) => ({ name, fields: shown.filter((field) => nameOf(field) === name) }))
    .filter((section) => section.fields.length > 0);
}

/** Asks first: what is deleted is gone from every list. */
function DeleteButton({ model, record, title, onDeleted }: RecordViewProps & { readonly title: string }) {
  const texts = useTexts(TEXTS);
  const [isOpen, setOpen] = useState(false);
  const { mutate, error, isPending } = useDelete(model.name);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {texts.delete}
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={texts.deleteTitle(title)}
        closeButtonProps={{ 'aria-label': texts.cancel }}
        centered
      >
        <Text>{texts.deleteText}</Text>
        {error ? <ProblemNotice problem={error} /> : null}
        <Group mt="lg">
          <Button
            color="red"
            loading={isPending}
            onClick={() => mutate(record, { onSuccess: () => onDeleted(title, record.id) })}
          >
            {texts.delete}
          </Button>
          <Button variant="default" onClick={() => setOpen(false)}>
            {texts.cancel}
          </Button>
        </Group>
      </Modal>
    </>
  );
}
