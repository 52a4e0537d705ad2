import { LoadingLines, ProblemNotice, useTexts } from '@crm/ui';
import { Button, CloseButton, Group, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback, useElementSize } from '@mantine/hooks';
import { type ComponentType, lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { useRecordPages } from '../data/record.queries.js';
import { columnsOf, expandOf, type ObjectModel } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import type { ColumnButtonProps } from './column-button.js';
import type { EmptyListProps } from './empty-list.js';
import type { VirtualTableProps } from './virtual-table.js';

// Loaded when someone filters or chooses columns, or nothing is found.
const ColumnButton = lazy(() => import('./column-button.js'));
const FilterButton = lazy(() => import('./filter-button.js'));
const FilterPills = lazy(() => import('./filter-pills.js'));
const EmptyList = lazy(() => import('./empty-list.js'));

/** Pause in typing after which a search is sent, in milliseconds. */
const TYPING_PAUSE_MS = 250;
const NEWEST_FIRST = '-createdAt';

export interface RecordListProps extends EmptyListProps {
  /** How its rows are drawn. */
  readonly table: ComponentType<VirtualTableProps>;
  /** Rows that are asked for at a time. */
  readonly size: number;
  /** True when more is asked for by a button and not by scrolling. */
  readonly hasMoreButton?: boolean;
}

/** The records of an object: searched, filtered and sorted by the API. */
export function RecordList(props: RecordListProps) {
  const { model, state, onState, table: Table, size, hasMoreButton } = props;
  const texts = useTexts(TEXTS);
  const [opened, setOpened] = useState<readonly ('filter' | 'columns')[]>([]);
  const { ref, width } = useElementSize();
  const panel = (name: 'filter' | 'columns', Panel: ComponentType<ColumnButtonProps>) => {
    const button = (
      <Button
        variant="default"
        visibleFrom={name === 'columns' ? 'sm' : undefined}
        onClick={() => setOpened([...opened, name])}
      >
        {texts[name]}
      </Button>
    );
    if (!opened.includes(name)) return button;
    return (
      <Suspense fallback={button}>
        <Panel model={model} state={state} onState={onState} width={width} />
      </Suspense>
    );
  };
  const { q, sort = '', filter, columns } = state;
  const expand = useMemo(() => expandOf(columnsOf(model, columns)), [model, columns]);
  const pages = useRecordPages(
    model.name,
    {
      ...(q ? { q } : {}),
      sort: sort || NEWEST_FIRST,
      ...(filter ? { filter: JSON.stringify(filter) } : {}),
      ...(expand === undefined ? {} : { expand }),
    },
    size,
  );
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage, isPlaceholderData } = pages;
  const records = useMemo(() => data?.pages.flatMap((page) => page.data), [data]);
  const total = data?.pages[0]?.total ?? undefined;
  const isExact = data?.pages[0]?.totalIsExact ?? true;
  const onEnd = useMemo(
    () => (hasNextPage && !isFetchingNextPage && !hasMoreButton ? () => void fetchNextPage() : undefined),
    [hasNextPage, isFetchingNextPage, hasMoreButton, fetchNextPage],
  );
  return (
    <>
      <Group gap="xs" className="records-bar">
        <SearchInput
          key={model.apiName}
          model={model}
          value={q ?? ''}
          onChange={(next) => onState({ ...state, q: next || undefined })}
        />
        {panel('filter', FilterButton)}
        {panel('columns', ColumnButton)}
        <Text size="sm" c="dimmed" ml="auto" aria-live="polite" className="records-count">
          {total === undefined ? '\u00a0' : texts.count(total, isExact)}
        </Text>
      </Group>
      {filter ? (
        <Suspense fallback={<div className="records-pills" />}>
          <FilterPills model={model} state={state} onState={onState} />
        </Suspense>
      ) : null}
      <div ref={ref} className="records-panel" aria-busy={isPlaceholderData}>
        {records === undefined ? (
          pages.error ? (
            <ProblemNotice problem={pages.error} onRetry={pages.refetch} />
          ) : (
            <LoadingLines label={texts.loading} lines={10} />
          )
        ) : records.length === 0 ? (
          <Suspense>
            <EmptyList {...props} />
          </Suspense>
        ) : (
          <Table
            model={model}
            records={records}
            total={isExact ? total : undefined}
            columns={columns}
            width={width}
            sort={sort}
            onSort={(next) => onState({ ...state, sort: next || undefined })}
            onEnd={onEnd}
          />
        )}
        {records && pages.error ? <ProblemNotice problem={pages.error} onRetry={pages.refetch} /> : null}
        {hasMoreButton && hasNextPage ? (
          <Group justify="center" p="sm">
            <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {texts.more}
            </Button>
          </Group>
        ) : null}
      </div>
    </>
  );
}

interface SearchInputProps {
  readonly model: ObjectModel;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** What is typed is shown at once, and searched for after a pause. */
function SearchInput({ model, value, onChange }: SearchInputProps) {
  const texts = useTexts(TEXTS);
  const [text, setText] = useState(value);
  const [sent, setSent] = useState(value);
  const send = useDebouncedCallback((next: string) => {
    setSent(next);
    onChange(next);
  }, TYPING_PAUSE_MS);
  // Back and forward change it too.
  useEffect(() => {
    if (value !== sent) {
      setSent(value);
      setText(value);
    }
  }, [value, sent]);
  return (
    <TextInput
      type="search"
      className="records-search"
      aria-label={texts.search(model.pluralLabel)}
      placeholder={texts.search(model.pluralLabel)}
      value={text}
      maxLength={200}
      rightSection={
        text === '' ? null : (
          <CloseButton size="sm" aria-label={texts.clear} onClick={() => [setText(''), setSent(''), onChange('')]} />
        )
      }
      onChange={({ currentTarget: { value: next } }) => {
        setText(next);
        send(next.trim());
      }}
    />
  );
}
