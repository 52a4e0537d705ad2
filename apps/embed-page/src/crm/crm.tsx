import { type ApiClient, type ObjectName, problemInWords, RecordsApi, STANDARD_OBJECTS } from '@crm/api-client';
import {
  canRead,
  canWrite,
  customObject,
  type ObjectModel,
  Pipeline,
  RECORD_TEXTS,
  RecordForm,
  RecordList,
  RecordPage,
  RecordsProvider,
  standardObject,
} from '@crm/records-ui';
import type { EmbedView } from '@crm/sdk/embed/protocol';
import { Button, type Language, Loading, Notice, useLocale, useTexts } from '@crm/ui';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { TEXTS } from '../texts.js';

interface ObjectAreaProps {
  readonly model: ObjectModel;
  readonly recordId: string | undefined;
  readonly onNavigate: (view: EmbedView) => void;
}

/** One object: its list or pipeline, one of its records, or the form of a new one. */
function ObjectArea({ model, recordId, onNavigate }: ObjectAreaProps) {
  const texts = useTexts(RECORD_TEXTS);
  const [isCreating, setCreating] = useState(false);
  const [display, setDisplay] = useState<'board' | 'list'>(model.name === 'opportunities' ? 'board' : 'list');
  const open = (id: string): void => onNavigate({ object: model.name, recordId: id });

  if (recordId !== undefined) {
    return <RecordPage key={recordId} model={model} id={recordId} onBack={() => onNavigate({ object: model.name })} />;
  }
  if (isCreating) {
    return (
      <article className="panel record">
        <header className="record-head">
          <h1>{texts.create(model.label)}</h1>
        </header>
        <RecordForm model={model} onSaved={({ id }) => open(id)} onCancel={() => setCreating(false)} />
      </article>
    );
  }
  return (
    <>
      <header className="area-head">
        <h1>{model.pluralLabel}</h1>
        {model.name === 'opportunities' ? (
          <fieldset className="switch">
            <legend className="visually-hidden">{texts.display}</legend>
            {(['board', 'list'] as const).map((name) => (
              <button key={name} type="button" aria-pressed={display === name} onClick={() => setDisplay(name)}>
                {texts[name]}
              </button>
            ))}
          </fieldset>
        ) : null}
        {model.canWrite ? (
          <Button look="primary" onClick={() => setCreating(true)}>
            {texts.create(model.label)}
          </Button>
        ) : null}
      </header>
      {display === 'board' ? (
        <Pipeline model={model} onOpen={open} onCreate={() => setCreating(true)} />
      ) : (
        <RecordList model={model} onOpen={open} onCreate={() => setCreating(true)} />
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
    <nav className="nav" aria-label={texts.objects}>
      <ul>
        {objects.map(({ name, pluralLabel }) => (
          <li key={name}>
            <button
              type="button"
              className="nav-item"
              aria-current={name === current ? 'page' : undefined}
              onClick={() => onChoose(name)}
            >
              {pluralLabel}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** How often an idle page asks whether its access still holds, in milliseconds. */
const CHECK_MS = 30_000;

/** Who the token is for, and which custom objects they see. */
function useCaller(client: ApiClient) {
  return useQuery({
    queryKey: ['caller'],
    queryFn: async ({ signal }) => {
      const { data: caller } = await client.GET('/api/auth/me', { signal });
      if (!caller) throw new Error('The answer has no body');
      if (!canRead(caller, 'custom')) return { caller, customObjects: [] };
      const { data } = await client.GET('/api/crm/custom', { signal });
      return { caller, customObjects: data?.data ?? [] };
    },
    refetchInterval: CHECK_MS,
  });
}

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
  const { data, error, refetch } = useCaller(client);
  const api = useMemo(() => new RecordsApi(client), [client]);
  const objects = useMemo(() => (data ? modelsFor(data, language) : []), [data, language]);
  const records = useMemo(() => ({ api, objects }), [api, objects]);
  if (!data) {
    if (!error) return <Loading label={texts.connecting} />;
    const { title, text } = problemInWords(error, language);
    return (
      <Notice kind="error" title={title} action={<Button onClick={() => void refetch()}>{texts.retry}</Button>}>
        {text}
      </Notice>
    );
  }
  const [first] = objects;
  if (!first) {
    return (
      <Notice kind="info" title={texts.nothing}>
        {texts.nothingText}
      </Notice>
    );
  }
  return (
    <RecordsProvider value={records}>
      <Shell objects={objects} first={first} wished={view} onNavigate={onNavigate} />
    </RecordsProvider>
  );
}

interface ShellProps {
  readonly objects: readonly ObjectModel[];
  readonly first: ObjectModel;
  readonly wished: EmbedView | undefined;
  readonly onNavigate: (view: EmbedView) => void;
}

function Shell({ objects, first, wished, onNavigate }: ShellProps) {
  const texts = useTexts(TEXTS);
  const [view, setView] = useView(wished, { object: first.name });
  const model = objects.find(({ name }) => name === view.object);
  const go = (next: EmbedView): void => {
    setView(next);
    onNavigate(next);
  };
  return (
    <>
      {objects.length > 1 ? (
        <ObjectNav objects={objects} current={view.object} onChoose={(object: ObjectName) => go({ object })} />
      ) : null}
      <main>
        {model ? (
          <ObjectArea key={model.name} model={model} recordId={view.recordId} onNavigate={go} />
        ) : (
          <div className="panel">
            <Notice kind="error" title={texts.unknownView}>
              {texts.unknownViewText}
            </Notice>
          </div>
        )}
      </main>
    </>
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

type Caller = NonNullable<ReturnType<typeof useCaller>['data']>;

function modelsFor({ caller, customObjects }: Caller, language: Language): readonly ObjectModel[] {
  return [
    ...STANDARD_OBJECTS.filter((name) => canRead(caller, name)).map((name) =>
      standardObject(name, language, canWrite(caller, name)),
    ),
    ...customObjects.map((object) => customObject(object, canWrite(caller, 'custom'))),
  ];
}
