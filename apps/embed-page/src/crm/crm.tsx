import { type ApiClient, type ObjectName, problemInWords, RecordsApi, STANDARD_OBJECTS } from '@crm/api-client';
import { canRead, canWrite, customObject, type ObjectModel, RecordsProvider, standardObject } from '@crm/records-ui';
import type { EmbedView } from '@crm/sdk/embed/protocol';
import { Button, type Language, Loading, Notice, useLocale, useTexts } from '@crm/ui';
import { useMemo, useState } from 'react';
import { TEXTS } from '../texts.js';
import { useCaller } from './caller.queries.js';
import { ObjectArea } from './object-area.js';
import { ObjectNav } from './object-nav.js';

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
