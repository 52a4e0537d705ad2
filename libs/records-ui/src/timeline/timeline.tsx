import type { EntryKind, FieldValue, NoteView, TimelineEntryView } from '@crm/api-client';
import { EmptyNotice, Icon, LoadingLines, ProblemNotice, useLocale, useTexts } from '@crm/ui';
import { Button, Group, SegmentedControl, Text, Title, VisuallyHidden } from '@mantine/core';
import { useMemo, useState } from 'react';
import { usePerson } from '../data/record.queries.js';
import { useObject } from '../data/records-context.js';
import { type FieldModel, type ObjectModel } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { formatValue, ValueText } from '../values/format-value.js';
import { RecordLink } from '../values/record-link.js';
import { NoteBody } from './note-body.js';
import { NoteComposer } from './note-composer.js';
import { useTimeline } from './timeline.queries.js';
import { TIMELINE_TEXTS } from './timeline.texts.js';
import './timeline.css';

/** What each choice shows; the creation belongs to the changes. */
const FILTERS = { all: [], note: ['note'], change: ['change', 'created'], task: ['task'] } as const satisfies Record<
  string,
  readonly EntryKind[]
>;
type Filter = keyof typeof FILTERS;

export interface TimelineProps {
  readonly model: ObjectModel;
  readonly id: string;
}

/** What happened to a record, the newest first, and what is to be noted. */
export default function Timeline({ model, id }: TimelineProps) {
  const texts = useTexts(TIMELINE_TEXTS);
  const [filter, setFilter] = useState<Filter>('all');
  const hasTasks = useObject('tasks') !== undefined;
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useTimeline(
    model.name,
    id,
    FILTERS[filter],
  );
  const entries = useMemo(() => data?.pages.flatMap((page) => page.data), [data]);
  const names = (Object.keys(FILTERS) as Filter[]).filter((name) => name !== 'task' || hasTasks);
  return (
    <section className="record-section" aria-label={texts.title}>
      <Title order={2} size="sm" c="dimmed" mb="xs">
        {texts.title}
      </Title>
      {model.updatable ? <NoteComposer model={model} id={id} /> : null}
      <SegmentedControl
        fullWidth
        size="xs"
        mb="md"
        transitionDuration={0}
        aria-label={texts.filter}
        value={filter}
        onChange={setFilter}
        data={names.map((value) => ({ value, label: texts.filters[value] }))}
      />
      {entries === undefined ? (
        error ? (
          <ProblemNotice problem={error} onRetry={refetch} />
        ) : (
          <LoadingLines label={texts.loading} lines={6} />
        )
      ) : entries.length === 0 ? (
        <EmptyNotice title={texts.empty} text={texts.emptyText} />
      ) : (
        <ol className="timeline">
          {entries.map((entry) => (
            <Entry key={keyOf(entry)} model={model} entry={entry} />
          ))}
        </ol>
      )}
      {hasNextPage ? (
        <Group justify="center" mt="sm">
          <Button size="xs" variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {texts.more}
          </Button>
        </Group>
      ) : null}
    </section>
  );
}

const keyOf = ({ kind, at, version, note, task }: TimelineEntryView): string =>
  `${kind} ${note?.id ?? task?.id ?? `${version ?? ''} ${at}`}`;

interface EntryProps {
  readonly model: ObjectModel;
  readonly entry: TimelineEntryView;
}

function Entry({ model, entry }: EntryProps) {
  const texts = useTexts(TIMELINE_TEXTS);
  const { kind, at, note, task, changes } = entry;
  const title = note
    ? texts.kinds[note.kind]
    : { task: texts.task, change: texts.changed, created: texts.created, note: texts.kinds.note }[kind];
  return (
    <li className={`timeline-${kind}`}>
      <Text size="xs" c="dimmed">
        <strong>{title}</strong> · <Who entry={entry} /> · <Moment at={at} />
        {note?.changedAt ? <Changed note={note} at={note.changedAt} /> : null}
      </Text>
      {note ? <NoteBody note={note} /> : null}
      {task ? <Task task={task} /> : null}
      {changes ? <Changes model={model} changes={changes} /> : null}
    </li>
  );
}

function Moment({ at }: { readonly at: string }) {
  const words = useTexts(TEXTS);
  const locale = useLocale();
  return <time dateTime={at}>{formatValue({ shownAs: 'datetime', options: [] }, at, locale, words)}</time>;
}

/** Who it was, and through what; where nobody can list people, someone. */
function Who({ entry: { by, actor, app } }: { readonly entry: TimelineEntryView }) {
  const texts = useTexts(TIMELINE_TEXTS);
  const { someone } = useTexts(TEXTS);
  const { data: person } = usePerson(by ?? undefined);
  const through = actor === 'workflow' || actor === 'service_account' ? texts.by[actor] : undefined;
  const known = [person?.name, app === undefined ? undefined : texts.by.app(app), through];
  return <>{known.filter((name) => name !== undefined).join(' · ') || someone}</>;
}

/** That a note is not as it was written, and through whom: its author is not the only one who may change it. */
function Changed({ note: { authorId, changedBy }, at }: { readonly note: NoteView; readonly at: string }) {
  const texts = useTexts(TIMELINE_TEXTS);
  const { someone } = useTexts(TEXTS);
  const { data: person } = usePerson(changedBy ?? undefined);
  const what = changedBy === authorId ? texts.changed : texts.changedBy(person?.name ?? someone);
  return (
    <>
      {' '}
      · {what} · <Moment at={at} />
    </>
  );
}

function Task({ task: { id, title, status, dueAt } }: { readonly task: NonNullable<TimelineEntryView['task']> }) {
  const texts = useTexts(TIMELINE_TEXTS);
  const words = useTexts(TEXTS);
  const locale = useLocale();
  const model = useObject('tasks');
  const name = title ?? words.untitled;
  const due = formatValue({ shownAs: 'datetime', options: [] }, dueAt, locale, words);
  const state = status === 'completed' ? texts.done : due && texts.due(due);
  return (
    <Text size="sm">
      {model ? (
        <RecordLink model={model} id={id}>
          {name}
        </RecordLink>
      ) : (
        name
      )}
      {state ? <span className="records-second"> {state}</span> : null}
    </Text>
  );
}

interface ChangesProps {
  readonly model: ObjectModel;
  readonly changes: Readonly<Record<string, unknown>>;
}

function Changes({ model, changes }: ChangesProps) {
  const fields = model.fields.filter(({ apiName }) => Object.hasOwn(changes, apiName));
  return (
    <dl className="timeline-changes">
      {fields.map((field) => (
        <Change key={field.apiName} field={field} change={changes[field.apiName] as Change} />
      ))}
    </dl>
  );
}

interface Change {
  readonly from: FieldValue;
  readonly to: FieldValue;
}

function Change({ field, change: { from, to } }: { readonly field: FieldModel; readonly change: Change }) {
  const texts = useTexts(TIMELINE_TEXTS);
  return (
    <div>
      <dt>{field.label}</dt>
      <dd>
        <del>
          <ValueText field={field} value={from} />
        </del>{' '}
        <Icon name="right" />
        <VisuallyHidden>{texts.to}</VisuallyHidden>{' '}
        <ins>
          <ValueText field={field} value={to} />
        </ins>
      </dd>
    </div>
  );
}
