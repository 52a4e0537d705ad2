import { type ApiClient, type ObjectName, RecordsApi } from '@crm/api-client';
import {
  type ListState,
  type ObjectModel,
  PlainTable,
  RECORD_TEXTS,
  RecordList,
  RecordsProvider,
  useObjects,
} from '@crm/records-ui';
import type { EmbedView } from '@crm/sdk/embed/protocol';
import { EmptyNotice, Icon, LoadingLines, ProblemNotice, useLocale, useTexts } from '@crm/ui';
import { Anchor, Button, Group, SegmentedControl, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useRef, useState } from 'react';
import { TEXTS } from '../texts.js';

// A host's page waits for the first list; the rest comes when it is opened.
const Pipeline = lazy(async () => ({ default: (await import('@crm/records-ui/pipeline')).Pipeline }));
const RecordForm = lazy(async () => ({ default: (await import('@crm/records-ui/record')).RecordForm }));
const RecordPage = lazy(async () => ({ default: (await import('@crm/records-ui/record')).RecordPage }));

/** Rows of one page; more are loaded on request, and the frame grows. */
const PAGE_SIZE = 50;

interface ObjectAreaProps {
  readonly model: ObjectModel;
  readonly recordId: string | undefined;
  readonly onNavigate: (view: EmbedView) => void;
}

/** One object: its list or pipeline, one of its records, or the form of a new one. */
function ObjectArea({ model, recordId, onNavigate }: ObjectAreaProps) {
  const texts = useTexts(RECORD_TEXTS);
  const [isCreating, setCreating] = useState(false);
  const [state, setState] = useState<ListState>({});
  const [display, setDisplay] = useState<'board' | 'list'>(model.name === 'opportunities' ? 'board' : 'list');
  const [pipelineId, setPipelineId] = useState<string>();
  const toList = (): void => onNavigate({ object: model.name });

  if (recordId !== undefined) {
    const back = (
      <Anchor component="button" type="button" size="sm" onClick={toList}>
        <Icon name="back" /> {texts.back(model.pluralLabel)}
      </Anchor>
    );
    return <RecordPage key={recordId} model={model} id={recordId} back={back} onDeleted={toList} />;
  }
  if (isCreating) {
    return (
      <article className="record record-section">
        <Title order={1} size="h3" mb="sm">
          {texts.create(model.label)}
        </Title>
        <RecordForm
          model={model}
          onCreated={({ id }) => onNavigate({ object: model.name, recordId: id })}
          onCancel={() => setCreating(false)}
        />
      </article>
    );
  }
  return (
    <>
      <Group mb="sm">
        <Title order={1} size="h3" mr="auto">
          {model.pluralLabel}
        </Title>
        {model.name === 'opportunities' ? (
          <SegmentedControl
            size="sm"
            aria-label={texts.display}
            value={display}
            onChange={setDisplay}
            data={(['board', 'list'] as const).map((value) => ({ value, label: texts[value] }))}
          />
        ) : null}
        {model.creatable ? <Button onClick={() => setCreating(true)}>{texts.create(model.label)}</Button> : null}
      </Group>
      {display === 'board' ? (
        <Pipeline model={model} onCreate={() => setCreating(true)} pipelineId={pipelineId} onPipeline={setPipelineId} />
      ) : (
        <RecordList
          model={model}
          state={state}
          onState={setState}
          onCreate={() => setCreating(true)}
          table={PlainTable}
          size={PAGE_SIZE}
          hasMoreButton
        />
      )}
    </>
  );
}

interface ObjectNavProps {
  readonly objects: readonly ObjectModel[];
  readonly current: string;
  readonly onChoose: (object: ObjectName) => void;
}

function ObjectNav({ objects, current, onChoose }: ObjectNavProps) {
  const texts = useTexts(TEXTS);
  return (
    <Group component="nav" gap={4} mb="md" aria-label={texts.objects}>
      {objects.map(({ name, pluralLabel }) => (
        <Button
          key={name}
          size="sm"
          variant={name === current ? 'light' : 'subtle'}
          aria-current={name === current ? 'page' : undefined}
          onClick={() => onChoose(name)}
        >
          {pluralLabel}
        </Button>
      ))}
    </Group>
  );
}

/** How often an idle page asks whether its access still holds, in milliseconds. */
const CHECK_MS = 30_000;

/** Asks from time to time whether the access still holds. */
const useAccess = (client: ApiClient) =>
  useQuery({
    queryKey: ['caller'],
    queryFn: async ({ signal }) => (await client.GET('/api/auth/me', { signal })).data ?? null,
    refetchInterval: CHECK_MS,
  });

export interface CrmProps {
  readonly client: ApiClient;
  /** What the host wishes to see; another object of the same content is the same wish. */
  readonly view: EmbedView | undefined;
  readonly onNavigate: (view: EmbedView) => void;
}

/** The lists and records that the scopes of the token open. */
export function Crm({ client, view, onNavigate }: CrmProps) {
  const texts = useTexts(TEXTS);
  const { language } = useLocale();
  const api = useMemo(() => new RecordsApi(client), [client]);
  const access = useAccess(client);
  const objects = useObjects(api, language, false);
  const error = access.error ?? objects.error;
  if (!objects.data) {
    return error ? (
      <ProblemNotice problem={error} onRetry={objects.refetch} />
    ) : (
      <LoadingLines label={texts.connecting} />
    );
  }
  const [first] = objects.data;
  if (!first) return <EmptyNotice title={texts.nothing} text={texts.nothingText} />;
  return <Shell api={api} objects={objects.data} first={first} wished={view} onNavigate={onNavigate} />;
}

interface ShellProps {
  readonly api: RecordsApi;
  readonly objects: readonly ObjectModel[];
  readonly first: ObjectModel;
  readonly wished: EmbedView | undefined;
  readonly onNavigate: (view: EmbedView) => void;
}

function Shell({ api, objects, first, wished, onNavigate }: ShellProps) {
  const texts = useTexts(TEXTS);
  const [view, setView] = useView(wished, { object: first.name });
  const model = objects.find(({ name }) => name === view.object);
  const go = (next: EmbedView): void => {
    setView(next);
    onNavigate(next);
  };
  const goRef = useRef(go);
  goRef.current = go;
  const records = useMemo(
    () => ({
      api,
      objects,
      open: ({ name }: ObjectModel, id: string) => goRef.current({ object: name, recordId: id }),
    }),
    [api, objects],
  );
  return (
    <RecordsProvider value={records}>
      {objects.length > 1 ? (
        <ObjectNav objects={objects} current={view.object} onChoose={(object: ObjectName) => go({ object })} />
      ) : null}
      <main>
        {model ? (
          <Suspense fallback={<LoadingLines label={texts.connecting} />}>
            <ObjectArea key={model.name} model={model} recordId={view.recordId} onNavigate={go} />
          </Suspense>
        ) : (
          <EmptyNotice title={texts.unknownView} text={texts.unknownViewText} />
        )}
      </main>
    </RecordsProvider>
  );
}

/** The present view: where the user went last, or the host's wish since. */
function useView(wished: EmbedView | undefined, initial: EmbedView): [EmbedView, (view: EmbedView) => void] {
  const [followed, setFollowed] = useState(wished);
  const [view, setView] = useState(wished ?? initial);
  if (followed !== wished) {
    setFollowed(wished);
    if (wished) {
      setView(wished);
      return [wished, setView];
    }
  }
  return [view, setView];
}
