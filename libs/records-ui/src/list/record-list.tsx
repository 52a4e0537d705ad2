import { problemInWords } from '@crm/api-client';
import { Button, Loading, Notice, useLocale, useTexts } from '@crm/ui';
import { useDeferredValue, useEffect, useId, useState } from 'react';
import { useRecordPages } from '../data/record.queries.js';
import type { ObjectModel } from '../objects/object-model.js';
import { TEXTS } from '../texts.js';
import { RecordTable } from './record-table.js';

/** The value once it has not changed for a while. */
export function useSettled<Value>(value: Value, pauseMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}

const SORTS = { newest: '-createdAt', oldest: 'createdAt', changed: '-updatedAt' } as const;
type Sort = keyof typeof SORTS;
/** Pause in typing after which a search is sent, in milliseconds. */
const TYPING_PAUSE_MS = 250;

interface RecordListProps {
  readonly model: ObjectModel;
  readonly onOpen: (id: string) => void;
  readonly onCreate: () => void;
}

/** The records of an object: searched and sorted by the API, more on request. */
export function RecordList({ model, onOpen, onCreate }: RecordListProps) {
  const texts = useTexts(TEXTS);
  const [search, setSearch] = useState('');
  const [sort, setSort] = useState<Sort>('newest');
  const q = useSettled(search.trim(), TYPING_PAUSE_MS);
  const pages = useRecordPages(model.name, { ...(q ? { q } : {}), sort: SORTS[sort] });
  const sortId = useId();
  const records = useDeferredValue(pages.data?.pages.flatMap(({ data }) => data));
  const first = pages.data?.pages[0];
  return (
    <>
      <div className="toolbar">
        <input
          className="input search"
          type="search"
          aria-label={texts.search(model.pluralLabel)}
          placeholder={texts.search(model.pluralLabel)}
          value={search}
          maxLength={200}
          onChange={(event) => setSearch(event.target.value)}
        />
        <label className="visually-hidden" htmlFor={sortId}>
          {texts.sort}
        </label>
        <select
          id={sortId}
          className="input sort"
          value={sort}
          onChange={(event) => setSort(event.target.value as Sort)}
        >
          {Object.keys(SORTS).map((name) => (
            <option key={name} value={name}>
              {texts.sorts[name as Sort]}
            </option>
          ))}
        </select>
        <p className="count" aria-live="polite">
          {first && first.total !== null ? texts.count(first.total, first.totalIsExact) : null}
        </p>
      </div>
      <div className="panel">
        {records === undefined ? (
          <ListState pages={pages} />
        ) : records.length === 0 ? (
          <EmptyList model={model} q={q} onCreate={onCreate} />
        ) : (
          <RecordTable model={model} records={records} onOpen={onOpen} />
        )}
        {pages.hasNextPage ? (
          <div className="more">
            <Button disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
              {pages.isFetchingNextPage ? texts.loading : texts.more}
            </Button>
          </div>
        ) : null}
      </div>
    </>
  );
}

/** While there is nothing to show: loading, or why nothing came. */
function ListState({ pages }: { readonly pages: { error: unknown; refetch: () => unknown } }) {
  const texts = useTexts(TEXTS);
  const { language } = useLocale();
  if (!pages.error) return <Loading label={texts.loading} />;
  const { title, text } = problemInWords(pages.error, language);
  return (
    <Notice kind="error" title={title} action={<Button onClick={() => void pages.refetch()}>{texts.retry}</Button>}>
      {text}
    </Notice>
  );
}

function EmptyList({
  model,
  q,
  onCreate,
}: {
  readonly model: ObjectModel;
  readonly q: string;
  readonly onCreate: () => void;
}) {
  const texts = useTexts(TEXTS);
  if (q !== '') return <Notice kind="info" title={texts.emptySearch(q)} />;
  return (
    <Notice
      kind="info"
      title={texts.empty(model.pluralLabel)}
      action={model.canWrite ? <Button onClick={onCreate}>{texts.create(model.label)}</Button> : null}
    >
      {texts.emptyText}
    </Notice>
  );
}
